import type { IncomingMessage } from 'node:http';
import { AppError, InvalidInput } from '@certloop/contracts';
import { BrokenRequest } from './connections/broken-request.js';

export interface BeginningLimits {
  /** Bytes that are returned. */
  readonly keepBytes: number;
  /** Bytes of the largest body. */
  readonly maxBytes: number;
}

/**
 * Reads a whole body and returns its first bytes; the rest is never in memory. Throws InvalidInput for a body that is
 * too large, and BrokenRequest for one that breaks off.
 */
export async function receiveBeginning(
  request: IncomingMessage,
  { keepBytes, maxBytes }: BeginningLimits,
): Promise<Buffer> {
  if (!hasBody(request)) return none;
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge();
  const beginning: Buffer[] = [];
  let length = 0;
  // destroying the request would close the connection before the response is sent
  const chunks: AsyncIterable<Buffer> = request.iterator({ destroyOnReturn: false });
  try {
    for await (const chunk of chunks) {
      if (length < keepBytes) beginning.push(chunk.subarray(0, keepBytes - length));
      length += chunk.length;
      if (length > maxBytes) throw tooLarge();
    }
  } catch (cause) {
    throw cause instanceof AppError || cause instanceof BrokenRequest ? cause : new BrokenRequest();
  }
  return Buffer.concat(beginning);
}

const none = Buffer.alloc(0);

/** A message without either header has no body (RFC 9112 §6.3). */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}

function tooLarge(): InvalidInput {
  return new InvalidInput('the body is too large');
}
