import { parseCertificate, splitChain } from '@certloop/crypto';

/** Name of a certificate in renewal information (RFC 9773 §4.1). */
export function renewalIdOf(pem: string): string {
  const [leaf = Buffer.alloc(0)] = splitChain(pem);
  const { authorityKeyIdentifier, serialNumber } = parseCertificate(leaf);
  const serial = Buffer.from(
    serialNumber.padStart(serialNumber.length + (serialNumber.length % 2), '0'),
    'hex',
  );
  const octets = (serial[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.of(0), serial]) : serial;
  return [authorityKeyIdentifier ?? Buffer.alloc(0), octets]
    .map((part) => part.toString('base64url'))
    .join('.');
}
