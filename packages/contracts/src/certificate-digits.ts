const octets = /^[0-9a-f]{2}(?:[: ][0-9a-f]{2})*$/;

/**
 * A serial number in hex as `CertificateDetail` has it: lower case, whole octets, without colons and without zero octets
 * before it. Undefined for any other text. Colons or spaces may be between the octets, `0x` may be before it.
 */
export function serialNumberIn(text: string): string | undefined {
  const [, sign = '', digits = ''] = /^(-?)(?:0x)?(.*)$/.exec(text.trim().toLowerCase()) ?? [];
  if (!octets.test(digits) && !/^[0-9a-f]+$/.test(digits)) return undefined;
  const value = digits.replace(/[: ]/g, '').replace(/^0+/, '') || '0';
  return `${sign}${value.padStart(value.length + (value.length % 2), '0')}`;
}

/** A SHA-256 digest in hex, lower case without colons; undefined for any other text. Colons or spaces may be there. */
export function sha256In(text: string): string | undefined {
  const digits = text.trim().toLowerCase();
  const value = octets.test(digits) ? digits.replace(/[: ]/g, '') : digits;
  return /^[0-9a-f]{64}$/.test(value) ? value : undefined;
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Value by which certificates are found: a SHA-256 fingerprint, a serial number, or the id of one. */
export type CertificateSearch =
  | { readonly sha256: string }
  | { readonly serialNumber: string }
  | { readonly id: string };

// RFC 5280 §4.1.2.2: 20 octets; some CAs use more
const maxSerialDigits = 62;

/**
 * How to find a certificate by a text that someone copied: an id, a serial number or a fingerprint, the last two also
 * with a label before them as `openssl x509 -serial` and `-fingerprint` print it. Undefined for any other text.
 */
export function certificateSearchOf(text: string): CertificateSearch | undefined {
  const id = text.trim().toLowerCase();
  if (uuid.test(id)) return { id };
  const digits = text.slice(text.lastIndexOf('=') + 1);
  const sha256 = sha256In(digits);
  if (sha256 !== undefined) return { sha256 };
  const serialNumber = serialNumberIn(digits);
  return serialNumber === undefined || serialNumber.length > maxSerialDigits ? undefined : { serialNumber };
}
