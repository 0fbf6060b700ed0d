const unreserved = /[A-Za-z0-9._~-]/;

/** `text` in UTF-8 with every octet percent-encoded that is neither unreserved (RFC 3986 §2.3) nor in `alsoPlain`. */
export function percentEncode(text: string, alsoPlain = ''): string {
  return [...Buffer.from(text, 'utf8')]
    .map((octet) => {
      const character = String.fromCharCode(octet);
      const isPlain = unreserved.test(character) || alsoPlain.includes(character);
      return isPlain ? character : `%${octet.toString(16).toUpperCase().padStart(2, '0')}`;
    })
    .join('');
}
