import { UpstreamFailed } from '@certloop/contracts';
import { bufferedResponse } from './buffered-response.js';

interface Chunked {
  readonly body: AsyncIterable<Uint8Array> | null;
}

/** The bytes of an answer. Throws UpstreamFailed beyond `maxBytes`, and reads no further. */
export async function readBounded(answer: Chunked, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  const isCut = await readChunks(answer, maxBytes, chunks);
  if (isCut) throw new UpstreamFailed(`the answer is larger than ${maxBytes} bytes`);
  return joined(chunks);
}

/** The bytes that there are of an answer, at most `maxBytes`: it may be larger or break off. Never throws. */
export async function readSome(answer: Chunked, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  await readChunks(answer, maxBytes, chunks).catch(() => undefined);
  return joined(chunks).subarray(0, maxBytes);
}

/** Adds what is read to `chunks`; returns whether there is more than `maxBytes`. */
async function readChunks({ body }: Chunked, maxBytes: number, chunks: Uint8Array[]): Promise<boolean> {
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.length;
    chunks.push(chunk);
    if (length > maxBytes) return true;
  }
  return false;
}

function joined(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.concat(chunks));
}

/** The same fetch, which rejects with UpstreamFailed where an answer is larger than `maxBytes` (1 MiB by default). */
export function boundedFetch(call: typeof fetch, maxBytes = 1_048_576): typeof fetch {
  return async (input, init) => {
    const answer = await call(input, init);
    return bufferedResponse(answer.status, answer.headers, await readBounded(answer, maxBytes));
  };
}
