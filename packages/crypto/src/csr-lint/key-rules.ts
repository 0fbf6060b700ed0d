import type { LintFacts } from './lint-facts.js';
import { rsaBounds } from './lint-facts.js';
import type { LintRule, RuleResult } from './lint-rule.js';

/** Rules about the signature and the key of a CSR. */
export const keyRules: readonly LintRule[] = [
  ['weak_signature', weakSignature],
  ['signature_unusual', unusualSignature],
  [
    'key_too_small',
    ({ csr, description: { keySize } }) =>
      isRsa(csr) && keySize < rsaBounds.min
        ? `its RSA key has ${keySize} bits, less than ${rsaBounds.min}`
        : undefined,
  ],
  [
    'key_too_large',
    ({ csr, description: { keySize } }) =>
      isRsa(csr) && keySize > rsaBounds.max
        ? `its RSA key has ${keySize} bits, more than ${rsaBounds.max}`
        : undefined,
  ],
  [
    'key_size_unusual',
    ({ rsa, description: { keySize } }) =>
      rsa === undefined || publicSizes.includes(keySize)
        ? undefined
        : `its RSA key has ${keySize} bits; public authorities accept 2048, 3072 and 4096`,
  ],
  [
    'small_exponent',
    ({ rsa }) =>
      rsa !== undefined && rsa.exponent >= 3n && rsa.exponent < 65_537n && rsa.exponent % 2n === 1n
        ? `its RSA key has the exponent ${rsa.exponent}; public authorities accept 65537 alone`
        : undefined,
  ],
  ['exponent_unusual', unusualExponent],
  [
    'modulus_even',
    ({ rsa, csr }) =>
      rsa !== undefined && isEven(csr) ? 'its RSA key has an even modulus, so it is not a key' : undefined,
  ],
  ...(['small_prime', 'close_primes', 'roca'] as const).map(
    (code): LintRule => [
      code,
      ({ rsa, csr }) =>
        rsa?.weaknessCode === code && !isEven(csr) ? `its RSA key is weak: ${rsa.weakness}` : undefined,
    ],
  ),
  ['curve_not_public', unusualCurve],
  ['point_not_on_curve', strayPoint],
  [
    'explicit_parameters',
    ({ csr: { publicKey } }) =>
      isExplicit(publicKey)
        ? 'its public key describes its curve by parameters, not by name, which no authority accepts'
        : undefined,
  ],
  ['key_kind_unusual', unusualKind],
  [
    'post_quantum_key',
    ({ csr: { publicKey } }) =>
      publicKey.kind === 'unknown' && isPostQuantum(publicKey.oid)
        ? 'its key is of a post-quantum kind, which no authority of CertLoop takes yet'
        : undefined,
  ],
];

type Key = LintFacts['csr']['publicKey'];

const publicSizes: readonly number[] = [2048, 3072, 4096];
const publicHashes: readonly string[] = ['sha256', 'sha384', 'sha512'];

const isRsa = ({ publicKey: { kind } }: LintFacts['csr']): boolean => kind === 'RSA' || kind === 'RSA-PSS';

function isEven({ publicKey }: LintFacts['csr']): boolean {
  return 'modulus' in publicKey && ((publicKey.modulus.at(-1) ?? 0) & 1) === 0;
}

const isExplicit = (key: Key): boolean => key.kind === 'ECDSA' && key.curveName === 'explicit';

function weakSignature({ csr: { signatureAlgorithm } }: LintFacts): RuleResult {
  const { name, scheme } = signatureAlgorithm;
  const isSha1 = 'hash' in scheme && scheme.hash === 'sha1';
  const message = `it is signed with ${name}, which most authorities refuse`;
  if (/md[245]/i.test(name)) return { message, severity: 'error' };
  return isSha1 ? message : undefined;
}

function unusualSignature({ csr: { signatureAlgorithm, publicKey } }: LintFacts): RuleResult {
  const { name, scheme } = signatureAlgorithm;
  if (!('hash' in scheme) || scheme.hash === 'sha1' || publicKey.kind === 'RSA-PSS') return undefined;
  if (scheme.kind !== 'rsa-pss' && publicHashes.includes(scheme.hash)) return undefined;
  return `it is signed with ${name}; public authorities accept SHA-256, SHA-384 and SHA-512 with RSA (PKCS #1 v1.5) or ECDSA`;
}

// OpenSSL and Node refuse larger ones
const maxExponent = 2n ** 32n;

function unusualExponent({ rsa }: LintFacts): RuleResult {
  if (rsa === undefined) return undefined;
  const { exponent } = rsa;
  if (exponent > maxExponent) return 'its RSA key has an exponent above 2^32; use 65537';
  if (exponent < 3n || exponent % 2n === 0n) {
    return `its RSA key has the exponent ${exponent}, so it is not a key`;
  }
  return exponent > 65_537n
    ? `its RSA key has the exponent ${exponent}; authorities accept 65537 alone`
    : undefined;
}

const publicCurves: readonly string[] = ['P-256', 'P-384'];
/** Keys that CertLoop accepts and public authorities do not. */
const privateCurves: readonly string[] = ['P-521', 'Ed25519'];

function unusualCurve({ csr: { publicKey } }: LintFacts): RuleResult {
  if (publicKey.kind !== 'ECDSA' && publicKey.kind !== 'Ed25519') return undefined;
  const curve = publicKey.kind === 'ECDSA' ? publicKey.curveName : publicKey.kind;
  if (publicCurves.includes(curve) || isExplicit(publicKey)) return undefined;
  if (privateCurves.includes(curve)) {
    return `its key is on ${curve}; public authorities accept P-256 and P-384`;
  }
  const message = `its key is on ${curve}, which CertLoop does not accept; use P-256, P-384, P-521 or Ed25519`;
  return { message, severity: 'error' };
}

/** The import of a key fails for a point that is not on its curve. */
function strayPoint({ csr: { publicKey }, possession }: LintFacts): RuleResult {
  return publicKey.kind === 'ECDSA' &&
    publicKey.curve !== undefined &&
    possession?.ok === false &&
    possession.code === 'unsupported_key'
    ? 'its public key is not a point of its curve, so it is not a key'
    : undefined;
}

function unusualKind({ csr: { publicKey } }: LintFacts): RuleResult {
  switch (publicKey.kind) {
    case 'RSA':
    case 'ECDSA':
    case 'Ed25519':
      return undefined;
    case 'RSA-PSS':
      return 'its key is bound to RSASSA-PSS; public authorities accept plain RSA keys';
    default: {
      const kind = publicKey.kind === 'unknown' ? publicKey.oid : publicKey.kind;
      if (isPostQuantum(kind)) return undefined;
      const message = `its key is of the kind ${kind}, which CertLoop does not accept; use RSA, P-256, P-384, P-521 or Ed25519`;
      return { message, severity: 'error' };
    }
  }
}

/** ML-DSA and SLH-DSA (NIST, 2.16.840.1.101.3.4.3.17 to .46), ML-KEM (….4.4). */
function isPostQuantum(oid: string): boolean {
  const [, number] = /^2\.16\.840\.1\.101\.3\.4\.3\.(\d+)$/.exec(oid) ?? [];
  if (number !== undefined) return Number(number) >= 17 && Number(number) <= 46;
  return /^2\.16\.840\.1\.101\.3\.4\.4\.[1-3]$/.test(oid);
}
