/** Names in a pasted list: one a line, or between commas, semicolons and blanks. What follows a # is a comment. */
export function namesIn(text: string): readonly string[] {
  return text
    .split('\n')
    .flatMap((line) => line.replace(/#.*$/, '').split(/[\s,;]+/))
    .filter((name) => name !== '');
}
