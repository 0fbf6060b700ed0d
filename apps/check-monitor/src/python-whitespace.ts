// The service that this API is shared with is written in Python, and "white space" means what it means there: it counts
// four separators and NEL, which \s does not, and omits the byte order mark, which \s does not.
const whitespace = '[\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]';

/** Runs of white space, to split a text by. */
export const pythonWhitespace = new RegExp(`${whitespace}+`, 'u');

const oneWhitespace = new RegExp(whitespace, 'u');

/** `text` without white space at its ends. Takes time in proportion to the length, which `white+$` does not. */
export function stripWhitespace(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && isWhitespace(text.charCodeAt(start))) start += 1;
  while (end > start && isWhitespace(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

function isWhitespace(unit: number): boolean {
  if (unit < 0x80) return (unit >= 0x09 && unit <= 0x0d) || (unit >= 0x1c && unit <= 0x20);
  return oneWhitespace.test(String.fromCharCode(unit));
}
