/** A command line of bash up to the cursor. */
export interface BashLine {
  /** Its words without their quotes; the last one is unfinished and may be ''. */
  readonly words: readonly string[];
  /** Returns the text that bash inserts for a completion of the last word. */
  readonly replyFor: (completed: string) => string;
}

/**
 * Splits a command line as bash does. `replaced` is the end of the line that bash replaces by the reply: bash also ends
 * words at `=` and `:`, and in a quoted word it replaces only what follows the quote.
 */
export function readBashLine(line: string, replaced: string): BashLine {
  const words: string[] = [];
  let word: string | undefined;
  let quote = '';
  // for each character of the line, how much of its word stands before it
  const lengths: number[] = [];
  for (let index = 0; index < line.length; index += 1) {
    const sign = line[index] ?? '';
    lengths.push(word?.length ?? 0);
    if (quote === '' && /\s/.test(sign)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (sign === quote) {
      quote = '';
    } else if (quote === '' && /['"]/.test(sign)) {
      quote = sign;
      word ??= '';
    } else if (sign === '\\' && quote !== "'") {
      lengths.push(word?.length ?? 0);
      index += 1;
      word = `${word ?? ''}${line[index] ?? ''}`;
    } else {
      word = `${word ?? ''}${sign}`;
    }
  }
  const last = word ?? '';
  const before = replaced === '' ? last.length : (lengths[line.length - replaced.length] ?? 0);
  return {
    words: [...words, last],
    replyFor: (completed) => completed.slice(before).replaceAll(special(quote), quoted(quote)),
  };
}

/**
 * Returns the pattern of characters that a shell would not take as they are: within these quotes, or outside of all.
 */
function special(quote: string): RegExp {
  if (quote === "'") return /'/g;
  return quote === '"' ? /["$`\\]/g : /[^\p{L}\p{N}\p{M}_./:=@%+,^-]/gu;
}

/** How it is written there. */
function quoted(quote: string): string {
  return quote === "'" ? String.raw`'\''` : String.raw`\$&`;
}
