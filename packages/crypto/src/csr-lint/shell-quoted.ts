/** The text as one word of a POSIX shell, in single quotes. It must not contain U+0000, which no argument can have. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
