import type { KeyObject } from 'node:crypto';
import { AcmeProblem, AppError } from '@certloop/contracts';
import { type ParsedJws, parseJws, verifyJws } from '@certloop/crypto';
import { faultOfJsonSize, maxPublicValues } from '@certloop/server';
import type { z } from 'zod';
import type { Awaitable, Nonces } from '../ports.js';
import type { Account } from '../records/records.js';
import type { AcmeLinks } from './acme-links.js';
import { badAlgorithm, readHeader, type Signer, type SignerForm } from './jws-header.js';
import { orProblem } from './problems.js';
import type { SignedRequest } from './signed-request.js';

export interface SignedDeps<A extends Account> {
  readonly store: { findAccount(id: string): Awaitable<A | undefined> };
  readonly nonces: Nonces;
  admit?(request: SignedRequest<A>): Awaitable<void>;
}

export interface UnjudgedRequest extends Pick<SignedRequest, 'url' | 'links' | 'exchange'> {
  readonly body: Uint8Array;
  readonly form: SignerForm;
}

/**
 * Judges a signed request (RFC 8555 §6): form, algorithm, signer, url, nonce, account, signature, in this order.
 * Throws the AcmeProblem of the first that does not hold.
 */
export async function judgeRequest<A extends Account>(
  deps: SignedDeps<A>,
  { body, form, ...asked }: UnjudgedRequest,
): Promise<SignedRequest<A>> {
  const jws = parseSigned(parseJson(body, 'the body', maxPublicValues));
  const { signer, nonce } = readHeader(jws.header, { url: asked.url, form });
  await deps.nonces.check(nonce);
  const known = await identify(deps, signer, asked.links);
  await requireSignature(jws, known.key);
  return { ...asked, nonce, payload: jws.payload, ...known };
}

async function identify<A extends Account>({ store }: SignedDeps<A>, signer: Signer, links: AcmeLinks) {
  if (signer.form === 'jwk') return { jwk: signer.jwk, key: signer.key, account: undefined };
  const account = await store.findAccount(links.accountIdOf(signer.kid) ?? '');
  if (account === undefined) throw new AcmeProblem('accountDoesNotExist', 'no account has this kid');
  return { jwk: account.jwk, key: account.key, account };
}

/** Throws `unauthorized` with status 401 for an account that is deactivated or revoked (RFC 8555 §7.3.6). */
export function requireActive({ deactivatedAt, revokedAt }: Account): void {
  if (deactivatedAt === undefined && revokedAt === undefined) return;
  const state = revokedAt === undefined ? 'deactivated' : 'revoked';
  throw new AcmeProblem('unauthorized', `the account is ${state}`, { kind: 'unauthenticated' });
}

/** JWS of a value. Throws `malformed` when it is none in flattened form. */
export function parseSigned(value: unknown): ParsedJws {
  return orProblem('malformed', () => parseJws(value));
}

/** Throws `malformed` when the signature is not the key's, `badSignatureAlgorithm` when the key has another. */
export async function requireSignature(jws: ParsedJws, key: KeyObject): Promise<void> {
  let holds: boolean;
  try {
    holds = await verifyJws(jws, key);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw badAlgorithm(error.message);
  }
  if (!holds) throw new AcmeProblem('malformed', 'the signature of the JWS is not valid');
}

/** Payload of a request by its schema. Throws `malformed` for anything that is not a JSON object or does not fit. */
export function parsePayload<S extends z.ZodType>(schema: S, payload: Buffer): z.output<S> {
  const result = schema.safeParse(parseJson(payload, 'the payload'));
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const place = issue?.path.join('.') || 'the payload';
  throw new AcmeProblem('malformed', `${place}: ${issue?.message ?? 'is not as documented'}`);
}

/** Throws `malformed` when a resource that is only fetched is sent something (RFC 8555 §6.3). */
export function requireNoPayload({ payload }: SignedRequest): void {
  if (payload.length === 0) return;
  throw new AcmeProblem('malformed', 'the payload of a POST-as-GET must be empty');
}

/** Value of a payload that must be JSON. Throws `malformed`. */
export const parseJsonPayload = (payload: Buffer): unknown => parseJson(payload, 'the payload');

function parseJson(octets: Uint8Array, what: string, maxValues?: number): unknown {
  const fault = faultOfJsonSize(octets, maxValues);
  if (fault !== undefined) throw new AcmeProblem('malformed', `${what} ${fault.message}`);
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(octets));
  } catch (cause) {
    throw new AcmeProblem('malformed', `${what} is not JSON in UTF-8`, { cause });
  }
}

/** The account of a request that must have one. */
export function accountOf<A extends Account>({ account }: SignedRequest<A>): A {
  if (account === undefined) throw new AcmeProblem('malformed', 'the JWS header must have kid here, not jwk');
  return account;
}
