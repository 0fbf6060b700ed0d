import { type BodyOf, type certManagerContract, Forbidden, InvalidInput } from '@certloop/contracts';
import { newSecret, secretHash } from '@certloop/server';
import type { Caller } from '../../access/caller.js';
import { canOn } from '../../access/permissions.js';
import { recordAudit } from '../../audit/audit.service.js';
import type { DbDeps } from '../../db-deps.js';
import { invalidField } from '../../http/problem.js';
import { formatApiToken, newApiToken } from '../sessions/credentials.js';
import type { ApiTokenRow } from './api-token.js';
import { countApiTokensOf, findApiToken, insertApiToken, listApiTokensOf } from './api-tokens.repository.js';

export type NewToken = BodyOf<typeof certManagerContract.createApiToken>;

const dayMs = 86_400_000;
const usualLifeMs = 90 * dayMs;
const maxLifeMs = 365 * dayMs;
const maxFamilyLifeMs = 2 * 365 * dayMs;
const maxTokens = 100;

/** The caller's tokens, oldest first. Throws Forbidden for a caller without a session. */
export async function listApiTokens({ db }: DbDeps, caller: Caller): Promise<ApiTokenRow[]> {
  requireSession(caller);
  return db.read((tx) => listApiTokensOf(tx, caller.userId));
}

/** The token that the caller came with; undefined when they came with none. */
export async function findOwnToken({ db }: DbDeps, { tokenId }: Caller): Promise<ApiTokenRow | undefined> {
  return tokenId === undefined ? undefined : db.read((tx) => findApiToken(tx, tokenId));
}

/**
 * Makes a token of the caller's and returns it with its text, which is stored nowhere. Throws Forbidden for a
 * caller without a session and InvalidInput for limits that make no sense.
 */
export async function createApiToken(
  { db, clock }: DbDeps,
  caller: Caller,
  input: NewToken,
): Promise<{ readonly row: ApiTokenRow; readonly text: string }> {
  requireSession(caller);
  const now = clock.now();
  requireValidLimits(caller, input);
  const expiresAt = expiryOf(input.expiresAt, now);
  const parts = newApiToken(newSecret());
  const row: ApiTokenRow = {
    id: parts.id,
    secretHash: secretHash(parts.secret),
    userId: caller.userId,
    name: input.name,
    scope: input.scope,
    spaceIds: input.spaceIds === undefined ? null : [...new Set(input.spaceIds)],
    allowedCidrs: [...new Set(input.allowedCidrs)],
    expiresAt,
    createdAt: now,
    lastUsedAt: null,
    lastUsedIp: null,
    ...familyOf(parts.id, input, expiresAt, now),
  };
  const entry = { action: 'auth.token.create', resourceType: 'token', details: tokenFacts(row) } as const;
  await db.transaction(async (tx) => {
    if ((await countApiTokensOf(tx, caller.userId)) >= maxTokens) throw tooManyTokens();
    await insertApiToken(tx, row);
    await recordAudit(tx, caller, entry, now);
  });
  return { row, text: formatApiToken(parts) };
}

/** Returns the id of the caller's session. Throws Forbidden if there is none. */
export function requireSession({ sessionId }: Caller): string {
  if (sessionId !== undefined) return sessionId;
  throw new Forbidden('this needs a session', { code: 'session_required' });
}

function requireValidLimits(caller: Caller, { scope, spaceIds }: NewToken): void {
  if (spaceIds === undefined) return;
  if (scope === 'ADMIN')
    throw invalidField('spaceIds', 'scope ADMIN reaches beyond spaces and cannot be limited to some');
  const unknown = spaceIds.findIndex((id) => !canOn(caller, id, 'READ'));
  if (unknown >= 0) throw invalidField(`spaceIds[${unknown}]`, 'names no space that you may read');
}

function expiryOf(text: string | undefined, now: Date): Date {
  if (text === undefined) return new Date(now.getTime() + usualLifeMs);
  const expiresAt = new Date(text);
  const lifeMs = expiresAt.getTime() - now.getTime();
  if (lifeMs > 0 && lifeMs <= maxLifeMs) return expiresAt;
  throw invalidField('expiresAt', 'must be in the future, at most 365 days from now');
}

type Family = Pick<ApiTokenRow, 'familyId' | 'predecessorId' | 'renewableUntil' | 'lifetimeSeconds'>;

/** Returns the columns of the first token of a family; all null for a token without successors. */
function familyOf(id: string, { renewable, renewableUntil }: NewToken, expiresAt: Date, now: Date): Family {
  if (renewable !== true) {
    if (renewableUntil !== undefined)
      throw invalidField('renewableUntil', 'is for tokens with renewable: true');
    return { familyId: null, predecessorId: null, renewableUntil: null, lifetimeSeconds: null };
  }
  const latest = new Date(now.getTime() + maxFamilyLifeMs);
  const until = renewableUntil === undefined ? latest : new Date(renewableUntil);
  if (until < expiresAt || until > latest) {
    throw invalidField('renewableUntil', 'must not be before expiresAt, and at most two years from now');
  }
  const lifetimeSeconds = Math.ceil((expiresAt.getTime() - now.getTime()) / 1000);
  return { familyId: id, predecessorId: null, renewableUntil: until, lifetimeSeconds };
}

function tooManyTokens(): InvalidInput {
  return new InvalidInput(`you have ${maxTokens} API tokens; revoke one first`, {
    code: 'too_many_api_tokens',
    title: 'Too many API tokens',
  });
}

/** Facts of a token for the audit log; its id is not a UUID, so it stands among the details. */
export function tokenFacts(row: ApiTokenRow): Record<string, unknown> {
  const { id, name, scope, spaceIds, allowedCidrs, expiresAt, familyId, renewableUntil } = row;
  return {
    tokenId: id,
    name,
    scope,
    spaceIds,
    allowedCidrs,
    expiresAt: expiresAt.toISOString(),
    ...(familyId !== null && { familyId, renewableUntil: renewableUntil?.toISOString() }),
  };
}
