/** The entries of a text, separated by spaces, commas or line breaks. */
export function entriesIn(text: string): string[] {
  return text.split(/[\s,]+/).filter((entry) => entry !== '');
}
