import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import { InvalidInput } from '@certloop/contracts';
import {
  badAlgorithm,
  rules,
  signAsync,
  signatureAlgorithmOf,
  signatureAlgorithms,
  verifyAsync,
} from './jws-algorithms.js';

/** JWS in flattened JSON serialization (RFC 7515 §7.2.2); every member is base64url. */
export interface FlattenedJws {
  readonly protected: string;
  readonly payload: string;
  readonly signature: string;
}

/** A JWS whose form is valid and whose signature is not judged yet. */
export interface ParsedJws {
  readonly header: Readonly<Record<string, unknown>>;
  /** Empty for POST-as-GET (RFC 8555 §6.3). */
  readonly payload: Buffer;
  readonly signature: Buffer;
  /** Octets that are signed. */
  readonly signingInput: Buffer;
}

/** Signs a payload; `alg` is set to what the key signs with. An empty payload text makes a POST-as-GET. */
export async function signJws(
  key: KeyObject,
  header: object,
  payload: string | Uint8Array,
): Promise<FlattenedJws> {
  const algorithm = signatureAlgorithmOf(key);
  const parts = encodedParts({ alg: algorithm, ...header }, payload);
  const signature = await signAsync(rules[algorithm].digest, signingInput(parts), {
    key,
    dsaEncoding: 'ieee-p1363',
  });
  return { ...parts, signature: signature.toString('base64url') };
}

// RFC 7518 §3.2
const macDigests = { HS256: 'sha256', HS384: 'sha384', HS512: 'sha512' } as const;

/** Algorithms of a MAC under a shared secret. */
export type MacAlgorithm = keyof typeof macDigests;

const macAlgorithms = Object.keys(macDigests) as MacAlgorithm[];

const macAlgorithmOf = (header: { readonly alg?: unknown }): MacAlgorithm | undefined =>
  macAlgorithms.find((name) => name === header.alg);

/**
 * The same under a shared secret, as external account bindings are (RFC 8555 §7.3.4): by the `alg` of the header if that is
 * the name of a MAC, else by HS256.
 */
export function macJws(
  secret: Uint8Array,
  header: { readonly alg?: unknown; readonly [member: string]: unknown },
  payload: string | Uint8Array,
): FlattenedJws {
  const parts = encodedParts({ alg: 'HS256', ...header }, payload);
  const signature = mac(macAlgorithmOf(header) ?? 'HS256', secret, signingInput(parts));
  return { ...parts, signature: signature.toString('base64url') };
}

type Parts = Pick<FlattenedJws, 'protected' | 'payload'>;

function encodedParts(header: object, payload: string | Uint8Array): Parts {
  return {
    protected: Buffer.from(JSON.stringify(header)).toString('base64url'),
    payload: Buffer.from(payload).toString('base64url'),
  };
}

function signingInput(parts: Parts): Buffer {
  return Buffer.from(`${parts.protected}.${parts.payload}`, 'ascii');
}

function mac(algorithm: MacAlgorithm, secret: Uint8Array, input: Uint8Array): Buffer {
  return createHmac(macDigests[algorithm], secret).update(input).digest();
}

/**
 * Parts of a flattened JWS. Throws InvalidInput for another serialization, an unprotected header, a member
 * that is not base64url (RFC 7515 §2: without padding), or a header that is not a JSON object or has `crit`.
 */
export function parseJws(value: unknown): ParsedJws {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw malformed('is not a JSON object');
  if ('header' in value) throw malformed('has an unprotected header');
  if ('signatures' in value) throw malformed('has several signatures');
  const members = { ...value } as Readonly<Record<string, unknown>>;
  const protectedText = base64url(members, 'protected');
  const payloadText = base64url(members, 'payload');
  const header = headerOf(protectedText);
  // RFC 7515 §4.1.11: a member that must be understood, and none is.
  if ('crit' in header) throw malformed('has a critical header member');
  return {
    header,
    payload: Buffer.from(payloadText, 'base64url'),
    signature: Buffer.from(base64url(members, 'signature'), 'base64url'),
    signingInput: signingInput({ protected: protectedText, payload: payloadText }),
  };
}

function base64url(members: Readonly<Record<string, unknown>>, name: string): string {
  const text = members[name];
  if (typeof text !== 'string' || !/^[A-Za-z0-9_-]*$/.test(text) || text.length % 4 === 1) {
    throw malformed(`member ${name} is not base64url`);
  }
  return text;
}

function headerOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const header: unknown = JSON.parse(
      new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(text, 'base64url')),
    );
    if (typeof header === 'object' && header !== null && !Array.isArray(header)) return { ...header };
  } catch (cause) {
    throw malformed('has a protected header that is not JSON', cause);
  }
  throw malformed('has a protected header that is not an object');
}

function malformed(reason: string, cause?: unknown): InvalidInput {
  return new InvalidInput(`the JWS ${reason}`, { code: 'malformed', cause });
}

/**
 * Whether the signature is the key's, by the algorithm that the header names. Throws InvalidInput with the
 * code `bad_signature_algorithm` when that is not one of ours or does not fit the key, so that a header can
 * never choose how a key is used.
 */
export async function verifyJws(
  { header, signature, signingInput: input }: ParsedJws,
  key: KeyObject,
): Promise<boolean> {
  const algorithm = signatureAlgorithms.find((name) => name === header['alg']);
  if (algorithm === undefined) throw badAlgorithm(`must be one of ${signatureAlgorithms.join(', ')}`);
  const { digest, fits } = rules[algorithm];
  if (!fits(key)) throw badAlgorithm('does not fit the key');
  return verifyAsync(digest, input, { key, dsaEncoding: 'ieee-p1363' }, signature);
}

/**
 * Whether a JWS was made with the secret, by the MAC that its header names; compared in constant time. Throws InvalidInput
 * with the code `bad_signature_algorithm` for another algorithm.
 */
export function verifyMac(
  { header, signature, signingInput: input }: ParsedJws,
  secret: Uint8Array,
): boolean {
  const algorithm = macAlgorithmOf(header);
  if (algorithm === undefined) throw badAlgorithm(`must be one of ${macAlgorithms.join(', ')}`);
  const expected = mac(algorithm, secret, input);
  return signature.length === expected.length && timingSafeEqual(signature, expected);
}
