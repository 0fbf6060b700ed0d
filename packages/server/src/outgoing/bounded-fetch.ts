import { UpstreamFailed } from '@certloop/contracts';
import { bufferedResponse } from './buffered-response.js';

interface Chunked {
  readonly body: AsyncIterable<Uint8Array> | null;
}

/** The bytes of an answer. Throws UpstreamFailed beyond `maxBytes`, and reads no further. */
export async function readBounded(answer: Chunked, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of answer.body ?? []) {
    length += chunk.length;
    if (length > maxBytes) throw new UpstreamFailed(`the answer is larger than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
}

/** The same fetch, which rejects with UpstreamFailed where an answer is larger than `maxBytes` (1 MiB by default). */
export function boundedFetch(call: typeof fetch, maxBytes = 1_048_576): typeof fetch {
  return async (input, init) => {
    const answer = await call(input, init);
    return bufferedResponse(answer.status, answer.headers, await readBounded(answer, maxBytes));
  };
}
