import { createHash, createPublicKey, type KeyObject } from 'node:crypto';
import { InvalidInput } from '@certloop/contracts';
import { signatureAlgorithmOf } from './jws-algorithms.js';

/** A public key as JSON (RFC 7517), with the members that its kind requires and no other. */
export type PublicJwk =
  | { readonly kty: 'EC'; readonly crv: EcCurve; readonly x: string; readonly y: string }
  | { readonly kty: 'RSA'; readonly n: string; readonly e: string }
  | { readonly kty: 'OKP'; readonly crv: 'Ed25519'; readonly x: string };

const ecCurves = ['P-256', 'P-384', 'P-521'] as const;
type EcCurve = (typeof ecCurves)[number];

/** Octets of a coordinate, with the zeros that it begins with (RFC 7518 §6.2.1.2). */
const coordinateOctets: Readonly<Record<EcCurve, number>> = { 'P-256': 32, 'P-384': 48, 'P-521': 66 };

// Larger keys cost more to verify than a caller should be able to make a server spend.
const rsaBits = { min: 2048, max: 8192 };

/** The public half of a key as JWK. Throws InvalidInput for a kind that JWS as used by ACME does not sign with. */
export function exportJwk(key: KeyObject): PublicJwk {
  const publicKey = key.type === 'private' ? createPublicKey(key) : key;
  return requiredMembers(publicKey.export({ format: 'jwk' }));
}

/**
 * Key of a JWK that came from outside. Throws InvalidInput for a private or symmetric one, an unknown kind or
 * curve, an RSA modulus outside 2048 to 8192 bits, a coordinate of another length than its curve has, or a point that
 * is not on its curve. Also for one that is not meant to verify signatures, or only those of another algorithm (RFC 7517
 * §4.2 to §4.4).
 */
export function importJwk(jwk: unknown): KeyObject {
  if (typeof jwk !== 'object' || jwk === null) throw refusal('is not an object');
  if ('d' in jwk) throw refusal('holds a private key');
  const given: Readonly<Record<string, unknown>> = { ...jwk };
  const members = requiredMembers(given);
  requireSignatureUse(given);
  let key: KeyObject;
  try {
    key = createPublicKey({ key: members, format: 'jwk' });
  } catch (cause) {
    throw refusal('is not a valid key', cause);
  }
  const bits = key.asymmetricKeyDetails?.modulusLength;
  if (bits !== undefined && (bits < rsaBits.min || bits > rsaBits.max)) {
    throw refusal(`has an RSA modulus outside ${rsaBits.min} to ${rsaBits.max} bits`);
  }
  const algorithm = signatureAlgorithmOf(key);
  if (given['alg'] !== undefined && given['alg'] !== algorithm) {
    throw refusal(`is for another algorithm than ${algorithm} (its alg)`);
  }
  return key;
}

// `sign` too: clients make their public JWK from the private one
const signatureOperations: readonly unknown[] = ['verify', 'sign'];

function requireSignatureUse({ use, key_ops: operations }: Readonly<Record<string, unknown>>): void {
  if (use !== undefined && use !== 'sig') throw refusal('is not for signatures (its use)');
  if (operations === undefined) return;
  const isForSignatures =
    Array.isArray(operations) && operations.some((operation) => signatureOperations.includes(operation));
  if (!isForSignatures) throw refusal('is not for signatures (its key_ops)');
}

function requiredMembers(jwk: Readonly<Record<string, unknown>>): PublicJwk {
  const text = (name: string): string => {
    const value = jwk[name];
    if (typeof value !== 'string' || !/^[A-Za-z0-9_-]{1,1400}$/.test(value)) throw refusal(`lacks ${name}`);
    return value;
  };
  switch (jwk['kty']) {
    case 'EC': {
      const crv = ecCurves.find((name) => name === jwk['crv']);
      if (crv === undefined) throw refusal('has a curve that is not supported');
      const [x, y] = [text('x'), text('y')];
      // shortened ones would have another thumbprint than the client computes
      for (const [name, value] of [
        ['x', x],
        ['y', y],
      ] as const)
        requireOctets(name, value, coordinateOctets[crv]);
      return { kty: 'EC', crv, x, y };
    }
    case 'RSA':
      return { kty: 'RSA', n: text('n'), e: text('e') };
    case 'OKP':
      if (jwk['crv'] !== 'Ed25519') throw refusal('has a curve that is not supported');
      return { kty: 'OKP', crv: 'Ed25519', x: text('x') };
    default:
      throw refusal('has a kind that is not supported');
  }
}

function requireOctets(name: string, value: string, octets: number): void {
  const { length } = Buffer.from(value, 'base64url');
  if (length !== octets) throw refusal(`has a coordinate ${name} of ${length} octets instead of ${octets}`);
}

function refusal(reason: string, cause?: unknown): InvalidInput {
  return new InvalidInput(`the JWK ${reason}`, { code: 'bad_public_key', cause });
}

/** SHA-256 thumbprint of a public key in base64url (RFC 7638 §3). */
export function thumbprint(jwk: PublicJwk): string {
  const sorted = Object.entries(requiredMembers(jwk)).sort(([one], [other]) => (one < other ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify(Object.fromEntries(sorted)))
    .digest('base64url');
}

/** Returns the key authorization, which answers a challenge (RFC 8555 §8.1). */
export function keyAuthorization(token: string, accountKey: PublicJwk): string {
  return `${token}.${thumbprint(accountKey)}`;
}
