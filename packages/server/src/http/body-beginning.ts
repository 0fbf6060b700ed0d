import type { IncomingMessage } from 'node:http';
import { AppError, InvalidInput } from '@certloop/contracts';

export interface BeginningLimits {
  /** Bytes that are returned. */
  readonly keepBytes: number;
  /** Bytes of the largest body. */
  readonly maxBytes: number;
}

/**
 * Reads a whole body and returns its first bytes; the rest is never in memory. Throws InvalidInput for a body that is
 * too large or breaks off.
 */
export async function receiveBeginning(
  request: IncomingMessage,
  { keepBytes, maxBytes }: BeginningLimits,
): Promise<Buffer> {
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
    if (cause instanceof AppError) throw cause;
    throw new InvalidInput('the request ended before its body was complete', { cause });
  }
  return Buffer.concat(beginning);
}

function tooLarge(): InvalidInput {
  return new InvalidInput('the body is too large');
}
