// The service that this API is shared with is written in Python, and "blank" means what it means there: it counts
// four separators and NEL, which \s does not, and leaves out the byte order mark, which \s does not.
const blank = '[\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]';

/** Runs of blanks, to split a text by. */
export const pythonBlanks = new RegExp(`${blank}+`, 'u');

const outerBlanks = new RegExp(`^${blank}+|${blank}+$`, 'gu');

/** `text` without blanks at its two ends. */
export function stripBlanks(text: string): string {
  return text.replace(outerBlanks, '');
}
