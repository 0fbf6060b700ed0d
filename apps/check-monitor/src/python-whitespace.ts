// The service that this API is shared with is written in Python, and "white space" means what it means there: it counts
// four separators and NEL, which \s does not, and omits the byte order mark, which \s does not.
const whitespace = '[\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]';

/** Runs of white space, to split a text by. */
export const pythonWhitespace = new RegExp(`${whitespace}+`, 'u');

const outerWhitespace = new RegExp(`^${whitespace}+|${whitespace}+$`, 'gu');

/** `text` without white space at its ends. */
export function stripWhitespace(text: string): string {
  return text.replace(outerWhitespace, '');
}
