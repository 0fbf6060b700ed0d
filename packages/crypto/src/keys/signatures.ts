import {
  constants,
  getCurves,
  getHashes,
  type KeyObject,
  type VerifyKeyObjectInput,
  verify,
} from 'node:crypto';
import { InvalidInput } from '@certloop/contracts';
import type { KeyCache } from './key-cache.js';
import { importPublicKey, type PublicKey } from './public-keys.js';
import type { SignatureAlgorithm, SignatureScheme } from './signature-algorithms.js';
import { verifyByWebCrypto } from './webcrypto.js';

/** Whether a signature holds, or why that cannot be said. */
export type Verification =
  | { readonly ok: true }
  | {
      readonly ok: false;
      readonly code: 'invalid_signature' | 'unsupported_algorithm' | 'unsupported_key';
      readonly reason: string;
    };

/** Octets that were signed, with the signature and what it claims to be. */
export interface SignedOctets {
  readonly signed: Buffer;
  readonly signatureAlgorithm: SignatureAlgorithm;
  readonly signature: Buffer;
}

type Usable = Exclude<SignatureScheme, { kind: 'unsupported' }>;

const knownHashes = new Set(getHashes().map((name) => name.toLowerCase()));
// Some distributions build OpenSSL without secp256k1 and brainpool.
const nodeCurves: ReadonlySet<string> = new Set(getCurves());
const keyKinds = { 'rsa-pkcs1': ['RSA'], 'rsa-pss': ['RSA', 'RSA-PSS'], ecdsa: ['ECDSA'] } as const;
const uncached: KeyCache = { import: importPublicKey };
const wrong: Verification = { ok: false, code: 'invalid_signature', reason: 'the signature does not verify' };

/** Checks the signature, in the thread pool when that takes long, with the key of the cache when there is one. Never throws. */
export async function verifySignature(
  octets: SignedOctets,
  publicKey: PublicKey,
  cache: KeyCache = uncached,
): Promise<Verification> {
  try {
    const scheme = requireScheme(octets.signatureAlgorithm, publicKey);
    const curve = publicKey.kind === 'ECDSA' ? publicKey.curve : undefined;
    // compressed points are beyond the engine in JavaScript
    const isWhole = publicKey.keyOctets[0] === 0x04;
    const isValid =
      curve !== undefined && !nodeCurves.has(curve.nodeName) && scheme.kind === 'ecdsa' && isWhole
        ? await verifyByWebCrypto(octets, publicKey.spkiDer, curve, scheme.hash)
        : isSwift(publicKey)
          ? verify(hashOf(scheme), octets.signed, keyInput(cache.import(publicKey), scheme), octets.signature)
          : await verifyByNode(octets, cache.import(publicKey), scheme);
    return isValid ? { ok: true } : wrong;
  } catch (error) {
    return refusalOf(error);
  }
}

/**
 * Checks the signature at once, on the calling thread, with the key of the cache when there is one; for the few
 * certificates of a chain. Never throws.
 */
export function verifySignatureSync(
  octets: SignedOctets,
  publicKey: PublicKey,
  cache: KeyCache = uncached,
): Verification {
  try {
    const scheme = requireScheme(octets.signatureAlgorithm, publicKey);
    const key = cache.import(publicKey);
    return verify(hashOf(scheme), octets.signed, keyInput(key, scheme), octets.signature)
      ? { ok: true }
      : wrong;
  } catch (error) {
    return refusalOf(error);
  }
}

/**
 * Keys that verify within the time that it costs to wake another thread and be woken by it: usual ones of RSA take 25
 * microseconds, P-256 takes 70.
 */
function isSwift(key: PublicKey): boolean {
  if (key.kind === 'ECDSA') return key.curve?.jwkName === 'P-256';
  return key.kind === 'RSA' && key.modulus.length <= 256 && key.exponent.length <= 3;
}

function requireScheme({ name, scheme }: SignatureAlgorithm, publicKey: PublicKey): Usable {
  if (scheme.kind === 'unsupported') throw unsupported(`${name} is not accepted: ${scheme.reason}`);
  const kinds: readonly string[] = scheme.kind === 'eddsa' ? [scheme.curve] : keyKinds[scheme.kind];
  if (!kinds.includes(publicKey.kind)) {
    // A key kind that is refused anyway gets its own reason.
    importPublicKey(publicKey);
    throw new InvalidInput(`${name} cannot be used with a key of type ${publicKey.kind}`, {
      code: 'invalid_signature',
    });
  }
  if (scheme.kind !== 'eddsa' && !knownHashes.has(scheme.hash)) {
    throw unsupported(`${name} is not accepted: this machine's OpenSSL lacks its hash`);
  }
  return scheme;
}

function verifyByNode(octets: SignedOctets, key: KeyObject, scheme: Usable): Promise<boolean> {
  return new Promise((resolve, reject) => {
    verify(hashOf(scheme), octets.signed, keyInput(key, scheme), octets.signature, (error, isValid) => {
      if (error === null) resolve(isValid);
      else reject(error);
    });
  });
}

const hashOf = (scheme: Usable): string | null => (scheme.kind === 'eddsa' ? null : scheme.hash);

function keyInput(key: KeyObject, scheme: Usable): VerifyKeyObjectInput {
  if (scheme.kind !== 'rsa-pss') return { key };
  return { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: scheme.saltLength };
}

function refusalOf(error: unknown): Verification {
  if (!(error instanceof InvalidInput)) return wrong;
  const { code, message: reason } = error;
  if (code === 'unsupported_algorithm' || code === 'unsupported_key') return { ok: false, code, reason };
  return { ok: false, code: 'invalid_signature', reason };
}

const unsupported = (reason: string): InvalidInput =>
  new InvalidInput(reason, { code: 'unsupported_algorithm' });
