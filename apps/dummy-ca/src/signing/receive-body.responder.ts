import type { IncomingMessage } from 'node:http';
import { AppError, InvalidInput } from '@certloop/contracts';
import { inOwnTurn, onBrokenBody } from '@certloop/server';

/** Largest body of a request to sign, in octets. */
export const csrBodyBytes = 65_536;

/**
 * Octets of a body, large ones in a turn of their own. Throws payload_too_large above `csrBodyBytes`, as soon as that is known, InvalidInput for an
 * encoded body, and BrokenRequest for one that breaks off.
 */
export function receiveBody(request: IncomingMessage): Promise<Uint8Array> {
  const { 'content-encoding': encoding = 'identity', 'content-length': length } = request.headers;
  if (encoding.toLowerCase() !== 'identity') {
    throw new InvalidInput(`the content encoding ${encoding.slice(0, 40)} is not supported`);
  }
  if (Number(length) > csrBodyBytes) throw tooLarge();
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let received = 0;
    request.on('data', (chunk: Buffer) => {
      received += chunk.length;
      if (received > csrBodyBytes) reject(tooLarge());
      else chunks.push(chunk);
    });
    request.once('end', () => resolve(inOwnTurn(joined(chunks))));
    onBrokenBody(request, reject);
  });
}

// Most bodies arrive in one piece, which need not be copied.
function joined(chunks: readonly Buffer[]): Buffer {
  const [first] = chunks;
  return first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks);
}

function tooLarge(): AppError {
  return new AppError('payload_too_large', `the body is larger than ${csrBodyBytes} octets`);
}
