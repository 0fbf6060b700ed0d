/** Tags of a text with spaces or commas between them. */
export function tagsIn(text: string): string[] {
  return text.split(/[\s,]+/).filter((tag) => tag !== '');
}
