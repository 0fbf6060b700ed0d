import { renewalIdOf } from '@certloop/acme-server/rules';
import { parseCertificate, splitChain } from '@certloop/crypto';

/**
 * Name of a certificate in renewal information (RFC 9773 §4.1): the authority's key identifier and the serial
 * number, both in base64url. Undefined for a certificate without a key identifier.
 */
export function certificateId(certificatePem: string): string | undefined {
  const [leaf] = splitChain(certificatePem);
  if (leaf === undefined) return undefined;
  const certificate = parseCertificate(leaf);
  return certificate.authorityKeyIdentifier === undefined ? undefined : renewalIdOf(certificate);
}
