/** Whether the text is a UUID in lower case. PostgreSQL rejects the comparison of a UUID with any other text. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);
}
