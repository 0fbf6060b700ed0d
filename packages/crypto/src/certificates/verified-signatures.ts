import { LRUCache } from 'lru-cache';
import { createKeyCache } from '../keys/key-cache.js';
import { verifySignatureSync } from '../keys/signatures.js';
import { type Certificate, fingerprint, parseCertificate } from './certificate.js';

export function isSignedBy(certificate: Certificate, issuer: Certificate): boolean {
  return issuer.isCa && issuer.maySignCertificates && signatureHolds(certificate, issuer);
}

/** Whether the signature holds with the key of the certificate itself, which need not be an authority. */
export function isSelfSigned(certificate: Certificate): boolean {
  return verifySignatureSync(certificate, certificate.publicKey).ok;
}

// One certificate meets the same issuer when a chain is put in order and when it is checked.
const verified = new WeakMap<Certificate, WeakMap<Certificate, boolean>>();

const issuerKeys = createKeyCache(64);

// Those of authorities come again with every chain: remembered by their octets, the oldest forgotten first.
const maxAuthorities = 256;

const verifiedAuthorities = new LRUCache<string, boolean>({ max: maxAuthorities });
export const authorities = new LRUCache<string, Certificate>({ max: maxAuthorities });

// real ones have less than 3 KiB, with keys of RSA-4096
const maxCachedOctets = 8192;

/** As parseCertificate; one of an authority is parsed once for all the chains that it comes with. */
export function recallCertificate(der: Buffer): Certificate {
  const octets = der.toString('latin1');
  const known = authorities.get(octets);
  if (known !== undefined) return known;
  const certificate = parseCertificate(der);
  if (!certificate.isCa || der.length > maxCachedOctets) return certificate;
  authorities.set(octets, certificate);
  return certificate;
}

function signatureHolds(certificate: Certificate, issuer: Certificate): boolean {
  if (certificate.isCa) return authorityHolds(certificate, issuer);
  const known = verified.get(certificate) ?? new WeakMap<Certificate, boolean>();
  verified.set(certificate, known);
  const holds = known.get(issuer) ?? verifySignatureSync(certificate, issuer.publicKey, issuerKeys).ok;
  known.set(issuer, holds);
  return holds;
}

function authorityHolds(certificate: Certificate, issuer: Certificate): boolean {
  const key = `${fingerprint(certificate.der)} ${fingerprint(issuer.spkiDer)}`;
  const known = verifiedAuthorities.get(key);
  if (known !== undefined) return known;
  const holds = verifySignatureSync(certificate, issuer.publicKey, issuerKeys).ok;
  verifiedAuthorities.set(key, holds);
  return holds;
}
