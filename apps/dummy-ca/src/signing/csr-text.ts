import { InvalidInput } from '@certloop/contracts';

/**
 * Octets of a Base64 text (RFC 4648 §4): standard alphabet, padded, spare bits zero. Line breaks are the one
 * liberty, since `base64` and `openssl base64` set them. Throws InvalidInput that names the member `csr`.
 */
export function decodeCsrText(text: string): Buffer {
  const joined = text.includes('\n') ? text.replace(/\r?\n/g, '') : text;
  const octets = Buffer.from(joined, 'base64');
  // Node skips what is not Base64; only text that it would itself write back is strict Base64.
  if (octets.length === 0 || octets.toString('base64') !== joined) {
    const message = 'is not Base64 of a PEM text';
    throw new InvalidInput(`csr ${message}`, { fields: [{ path: 'csr', code: 'invalid_base64', message }] });
  }
  return octets;
}
