import { type Certificate, parseCertificate, splitChain } from '@certloop/crypto';

/**
 * Name of a certificate in renewal information (RFC 9773 §4.1): the authority's key identifier and the serial
 * number, both in base64url. Undefined for a certificate without a key identifier.
 */
export function certificateId(certificatePem: string): string | undefined {
  const [leaf] = splitChain(certificatePem);
  if (leaf === undefined) return undefined;
  const { authorityKeyIdentifier, serialNumber }: Certificate = parseCertificate(leaf);
  if (authorityKeyIdentifier === undefined || !/^[0-9a-f]+$/.test(serialNumber)) return undefined;
  return `${authorityKeyIdentifier.toString('base64url')}.${serialOctets(serialNumber).toString('base64url')}`;
}

/** The octets of the DER INTEGER: a leading zero keeps a high bit from reading as a sign. */
function serialOctets(hex: string): Buffer {
  const octets = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex');
  return (octets[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.of(0), octets]) : octets;
}
