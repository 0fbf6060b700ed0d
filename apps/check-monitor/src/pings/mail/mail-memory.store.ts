import { setImmediate as nextRound } from 'node:timers/promises';

/** Memory that all mails share that are on their way in. */
export interface MailMemory {
  /**
   * Reads a mail and hands it to `use`; the memory is free again when that is done. Reads to the end in any case, as
   * the client hears no answer earlier. Undefined, and nothing used, when the mail is longer than `maxBytes` or the
   * memory is used up.
   */
  hold<T>(
    stream: AsyncIterable<Buffer>,
    maxBytes: number,
    use: (source: Buffer) => Promise<T>,
  ): Promise<T | undefined>;
}

const firstBytes = 65_536;
const roundBytes = 65_536;

/**
 * Pieces of a stream, at most 64 kB in one round of the event loop: several large mails at once arrive faster than
 * other work gets its turn.
 */
export async function* inRounds(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const piece of stream) {
    yield piece;
    bytes += piece.length;
    if (bytes < roundBytes) continue;
    bytes = 0;
    await nextRound();
  }
}

export function createMailMemory(capacity: number): MailMemory {
  let taken = 0;
  return {
    hold: async (stream, maxBytes, use) => {
      let mine = 0;
      const take = (bytes: number): boolean => {
        if (taken + bytes > capacity) return false;
        taken += bytes;
        mine += bytes;
        return true;
      };
      try {
        const source = await readWhole(stream, maxBytes, take);
        return source === undefined ? undefined : await use(source);
      } finally {
        taken -= mine;
      }
    },
  };
}

/**
 * One buffer that doubles: what arrives in pieces of three bytes would else be millions of objects. `take` says whether
 * it may grow by so many bytes.
 */
async function readWhole(
  stream: AsyncIterable<Buffer>,
  maxBytes: number,
  take: (bytes: number) => boolean,
): Promise<Buffer | undefined> {
  let source: Buffer | undefined = Buffer.alloc(0);
  let length = 0;
  for await (const chunk of inRounds(stream)) {
    length += chunk.length;
    if (source === undefined) continue;
    source = length > maxBytes ? undefined : grown(source, length, maxBytes, take);
    source?.set(chunk, length - chunk.length);
  }
  return source?.subarray(0, length);
}

function grown(
  source: Buffer,
  length: number,
  maxBytes: number,
  take: (bytes: number) => boolean,
): Buffer | undefined {
  if (length <= source.length) return source;
  const size = Math.min(maxBytes, Math.max(firstBytes, source.length * 2, length));
  if (!take(size - source.length)) return undefined;
  const larger = Buffer.allocUnsafeSlow(size);
  larger.set(source);
  return larger;
}
