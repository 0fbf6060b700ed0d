/** Whether a text is the address of a service, such as https://certs.example.org. */
export function isAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

/** Whether a text may be a token or a key, which a header can carry. */
export function isSecret(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}
