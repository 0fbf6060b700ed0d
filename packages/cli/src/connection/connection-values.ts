/** Whether a text is the address of a service, such as https://certs.example.org. */
export function isAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

/** How an address is written, for errors. */
export const addressForm = 'write it with its scheme, as https://certs.example.org';

/** Whether a text may be a token or a key, which a header can carry. */
export function isSecret(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}
