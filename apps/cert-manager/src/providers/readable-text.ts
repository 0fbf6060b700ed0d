/** Text of another service as it may be passed on: one line, without control characters, at most 500 characters. */
export function readableText(text: string): string {
  const line = text.replace(/[\s\p{C}]+/gu, ' ').trim();
  return line.length > 500 ? `${line.slice(0, 499)}…` : line;
}
