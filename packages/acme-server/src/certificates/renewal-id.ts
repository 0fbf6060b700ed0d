import { AcmeProblem } from '@certloop/contracts';
import type { Certificate } from '@certloop/crypto';

/** Identifier of a certificate in renewalInfo: key identifier of its issuer, a dot, its serial (RFC 9773 §4.1). */
export function renewalIdOf({ authorityKeyIdentifier, serialNumber }: Certificate): string {
  const octets = Buffer.from(serialNumber, 'hex');
  // The content octets of the DER INTEGER, so with a zero before a leading high bit.
  const serial = ((octets[0] ?? 0) & 0x80) === 0 ? octets : Buffer.concat([Buffer.of(0), octets]);
  return `${(authorityKeyIdentifier ?? Buffer.alloc(0)).toString('base64url')}.${serial.toString('base64url')}`;
}

/** The same text when it has the form of such an identifier. Throws `malformed` otherwise. */
export function requireRenewalId(text: string): string {
  if (/^[A-Za-z0-9_-]{1,128}\.[A-Za-z0-9_-]{1,64}$/.test(text)) return text;
  throw new AcmeProblem(
    'malformed',
    'the certificate identifier is not two base64url texts with a dot between',
  );
}
