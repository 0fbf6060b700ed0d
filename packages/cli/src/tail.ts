/** Keeps the end of a text. */
export interface Tail {
  add(text: string): void;
  /** At most so many bytes of UTF-8, beginning with a whole character. */
  text(): string;
}

export function createTail(bytes: number): Tail {
  let kept = Buffer.alloc(0);
  return {
    add: (text) => {
      kept = Buffer.concat([kept, Buffer.from(text)]).subarray(-bytes);
    },
    text: () => {
      const isContinuation = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80;
      let from = 0;
      while (isContinuation(kept[from])) from += 1;
      return kept.toString('utf8', from);
    },
  };
}
