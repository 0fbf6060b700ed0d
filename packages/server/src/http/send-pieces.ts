import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';

/**
 * Sends the pieces as fast as they are taken. What fails at the first one is still answered as a refusal; a
 * caller who goes away ends the work and is no fault.
 */
export async function sendPieces(
  response: Response,
  pieces: AsyncIterable<string | Uint8Array>,
): Promise<void> {
  const iterator = pieces[Symbol.asyncIterator]();
  try {
    if (response.req.method === 'HEAD') {
      response.end();
      return;
    }
    const first = await iterator.next();
    await pipeline(Readable.from(resumed(iterator, first)), response);
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  } finally {
    await iterator.return?.();
  }
}

async function* resumed<T>(iterator: AsyncIterator<T>, first: IteratorResult<T>): AsyncGenerator<T> {
  for (let piece = first; piece.done !== true; piece = await iterator.next()) yield piece.value;
}
