/** Keeps the end of what was written. */
export interface Tail {
  add(bytes: Uint8Array): void;
  /** At most so many bytes of UTF-8, beginning with a whole character; bytes that are none stand as U+FFFD. */
  text(): string;
}

export function createTail(size: number): Tail {
  let last = Buffer.alloc(0);
  return {
    add: (bytes) => {
      last = Buffer.concat([last, bytes]).subarray(-size);
    },
    text: () => {
      const isContinuation = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80;
      let from = 0;
      while (isContinuation(last[from])) from += 1;
      return last.toString('utf8', from);
    },
  };
}
