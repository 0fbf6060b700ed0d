import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';
import { createCompressor, type Encoding } from './compression.js';

/**
 * Sends the pieces as fast as they are taken, compressed if `encoding` is given. What fails at the first one is still
 * answered as a refusal; a caller who goes away ends the work and is no fault.
 */
export async function sendPieces(
  response: Response,
  pieces: AsyncIterable<string | Uint8Array>,
  encoding?: Encoding,
): Promise<void> {
  const iterator = pieces[Symbol.asyncIterator]();
  try {
    const isHead = response.req.method === 'HEAD';
    const first = isHead ? undefined : await iterator.next();
    // only now: a refusal is not compressed
    if (encoding !== undefined) response.setHeader('Content-Encoding', encoding);
    if (first === undefined) response.end();
    else await pipe(Readable.from(resumed(iterator, first)), response, encoding);
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  } finally {
    await iterator.return?.();
  }
}

function pipe(source: Readable, response: Response, encoding: Encoding | undefined): Promise<void> {
  if (encoding === undefined) return pipeline(source, response);
  return pipeline(source, createCompressor(encoding), response);
}

async function* resumed<T>(iterator: AsyncIterator<T>, first: IteratorResult<T>): AsyncGenerator<T> {
  for (let piece = first; piece.done !== true; piece = await iterator.next()) yield piece.value;
}
