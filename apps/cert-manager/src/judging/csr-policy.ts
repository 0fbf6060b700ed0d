import { InvalidInput } from '@certloop/contracts';
import { joinNames, type RsaFacts } from '@certloop/crypto';
import { coversHostname } from './hostname.js';

/** Facts of a CSR to which the policy applies. */
export interface CsrFacts {
  /** `RSA`, `RSA-PSS`, `ECDSA`, `Ed25519` or another. */
  readonly publicKeyAlgorithm: string;
  readonly keySize: number;
  /** Name of an elliptic curve, such as `P-256`. */
  readonly curve?: string | undefined;
  /** Of RSA and RSA-PSS keys. */
  readonly rsa?: RsaFacts | undefined;
  readonly commonNames: readonly string[];
  readonly hasSubjectAltName: boolean;
  readonly dnsNames: readonly string[];
}

/**
 * Throws InvalidInput unless the CSR can be stored for the host name: an RSA key of 2048 to 8192 bits, one on
 * P-256, P-384 or P-521, or an Ed25519 key, none of them known to be weak; and the host name covered by its DNS names, or by its common name
 * when it has no subject alternative names (RFC 6125 §6.4.4).
 */
export function requireUsableCsr(csr: CsrFacts, hostname: string): void {
  if (!isKeyAllowed(csr)) throw keyRefusal(csr);
  requireStrongKey(csr.rsa);
  if (!judgedNames(csr).some((name) => coversHostname(name.toLowerCase(), hostname))) {
    throw nameRefusal(csr, hostname);
  }
}

/** Throws InvalidInput for an RSA key whose private key can be computed from the public one. */
export function requireStrongKey(rsa: RsaFacts | undefined): void {
  if (rsa?.weakness === undefined) return;
  const message = `holds a weak RSA key: ${rsa.weakness}; generate another key and a new CSR`;
  throw new InvalidInput(`csr: ${message}`, {
    code: 'csr_key_weak',
    title: 'The key of the CSR is weak',
    fields: [{ path: 'csr.publicKey', code: 'not_allowed', message }],
  });
}

const allowedCurves: readonly (string | undefined)[] = ['P-256', 'P-384', 'P-521'];

/** Whether the kind and the size of the key are accepted. */
export function isKeyAllowed({
  publicKeyAlgorithm,
  keySize,
  curve,
}: Pick<CsrFacts, 'publicKeyAlgorithm' | 'keySize' | 'curve'>): boolean {
  switch (publicKeyAlgorithm) {
    case 'RSA':
    case 'RSA-PSS':
      return keySize >= 2048 && keySize <= 8192;
    case 'ECDSA':
      return allowedCurves.includes(curve);
    default:
      return publicKeyAlgorithm === 'Ed25519';
  }
}

function keyRefusal({ publicKeyAlgorithm, keySize, curve }: CsrFacts): InvalidInput {
  const key = `${publicKeyAlgorithm} ${curve ?? keySize}`;
  const message = `holds a key that is not accepted (${key}); use RSA of 2048 to 8192 bits, P-256, P-384, P-521 or Ed25519`;
  return new InvalidInput(`csr: ${message}`, {
    code: 'csr_key_not_accepted',
    title: 'The key of the CSR is not accepted',
    fields: [{ path: 'csr.publicKey', code: 'not_allowed', message }],
  });
}

/** Names that decide: the DNS names, or the common names when there are no alternative names at all. */
function judgedNames({ hasSubjectAltName, dnsNames, commonNames }: CsrFacts): readonly string[] {
  return hasSubjectAltName ? dnsNames : commonNames;
}

function nameRefusal(csr: CsrFacts, hostname: string): InvalidInput {
  const place = csr.hasSubjectAltName ? 'csr.dnsNames' : 'csr.subject';
  const held = csr.hasSubjectAltName ? 'the DNS names of the CSR are' : 'the common name of the CSR is';
  const message = `${held} ${joinNames(judgedNames(csr))}; the FQDN is ${hostname}`;
  return new InvalidInput(message, {
    code: 'csr_san_mismatch',
    title: 'CSR does not match the FQDN',
    fields: [{ path: place, code: 'not_allowed', message }],
  });
}
