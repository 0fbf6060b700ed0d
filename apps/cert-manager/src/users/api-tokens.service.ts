import { Forbidden, InvalidInput, NotFound, type TokenScope } from '@certloop/contracts';
import type { Database } from '@certloop/db';
import { type Clock, newSecret, secretHash } from '@certloop/server';
import type { Caller } from '../access/caller.js';
import { canOn } from '../access/permissions.js';
import { recordAudit } from '../audit/audit.service.js';
import type { ApiTokenRow } from './api-token.js';
import {
  countApiTokensOf,
  deleteApiToken,
  findApiToken,
  insertApiToken,
  listApiTokensOf,
} from './api-tokens.repository.js';
import { formatApiToken, newApiToken } from './credentials.js';

export interface ApiTokensDeps {
  readonly db: Database;
  readonly clock: Clock;
}

export interface NewToken {
  readonly name: string;
  readonly scope: TokenScope;
  readonly expiresAt?: string | undefined;
  readonly spaceIds?: readonly string[] | undefined;
  readonly allowedCidrs?: readonly string[] | undefined;
}

const dayMs = 86_400_000;
const usualLifeMs = 90 * dayMs;
const longestLifeMs = 365 * dayMs;
const mostTokens = 100;

/** The caller's tokens, oldest first. Throws Forbidden for a caller without a session. */
export async function listApiTokens({ db }: ApiTokensDeps, caller: Caller): Promise<ApiTokenRow[]> {
  requireSession(caller);
  return db.read((tx) => listApiTokensOf(tx, caller.userId));
}

/** The token that the caller came with; undefined when he came with none. */
export async function findOwnToken(
  { db }: ApiTokensDeps,
  { tokenId }: Caller,
): Promise<ApiTokenRow | undefined> {
  return tokenId === undefined ? undefined : db.read((tx) => findApiToken(tx, tokenId));
}

/**
 * Makes a token of the caller's and returns it with its text, which is stored nowhere. Throws Forbidden for a
 * caller without a session and InvalidInput for limits that make no sense.
 */
export async function createApiToken(
  { db, clock }: ApiTokensDeps,
  caller: Caller,
  input: NewToken,
): Promise<{ readonly row: ApiTokenRow; readonly text: string }> {
  requireSession(caller);
  const now = clock.now();
  requireSoundLimits(caller, input);
  const parts = newApiToken(newSecret());
  const row: ApiTokenRow = {
    id: parts.id,
    secretHash: secretHash(parts.secret),
    userId: caller.userId,
    name: input.name,
    scope: input.scope,
    spaceIds: input.spaceIds === undefined ? null : [...new Set(input.spaceIds)],
    allowedCidrs: [...new Set(input.allowedCidrs)],
    expiresAt: expiryOf(input.expiresAt, now),
    createdAt: now,
    lastUsedAt: null,
    lastUsedIp: null,
  };
  await db.transaction(async (tx) => {
    if ((await countApiTokensOf(tx, caller.userId)) >= mostTokens) throw tooManyTokens();
    await insertApiToken(tx, row);
    await recordAudit(tx, caller, { ...entryOf('auth.token.create'), details: factsOf(row) }, now);
  });
  return { row, text: formatApiToken(parts) };
}

/** Revokes one of the caller's tokens at once. Throws Forbidden without a session, NotFound. */
export async function revokeApiToken(
  { db, clock }: ApiTokensDeps,
  caller: Caller,
  id: string,
): Promise<void> {
  requireSession(caller);
  await db.transaction(async (tx) => {
    if (!(await deleteApiToken(tx, caller.userId, id))) {
      throw new NotFound('API token not found', {
        code: 'api_token_not_found',
        title: 'API token not found',
      });
    }
    await recordAudit(tx, caller, { ...entryOf('auth.token.revoke'), details: { tokenId: id } }, clock.now());
  });
}

function requireSession({ sessionId }: Caller): void {
  if (sessionId === undefined) throw new Forbidden('this needs a session', { code: 'session_required' });
}

function requireSoundLimits(caller: Caller, { scope, spaceIds }: NewToken): void {
  if (spaceIds === undefined) return;
  if (scope === 'ADMIN')
    throw fault('spaceIds', 'scope ADMIN reaches beyond spaces and cannot be limited to some');
  const unknown = spaceIds.findIndex((id) => !canOn(caller, id, 'READ'));
  if (unknown >= 0) throw fault(`spaceIds[${unknown}]`, 'names no space that you may read');
}

function expiryOf(text: string | undefined, now: Date): Date {
  if (text === undefined) return new Date(now.getTime() + usualLifeMs);
  const expiresAt = new Date(text);
  const lifeMs = expiresAt.getTime() - now.getTime();
  if (lifeMs > 0 && lifeMs <= longestLifeMs) return expiresAt;
  throw fault('expiresAt', 'must be in the future, at most 365 days from now');
}

function tooManyTokens(): InvalidInput {
  return new InvalidInput(`you have ${mostTokens} API tokens; revoke one first`, {
    code: 'too_many_api_tokens',
    title: 'Too many API tokens',
  });
}

function fault(path: string, message: string): InvalidInput {
  return new InvalidInput(`${path}: ${message}`, { fields: [{ path, code: 'not_allowed', message }] });
}

// The id of a token is no uuid, so it stands among the details.
function entryOf(action: 'auth.token.create' | 'auth.token.revoke') {
  return { action, resourceType: 'token' } as const;
}

function factsOf({ id, name, scope, spaceIds, allowedCidrs, expiresAt }: ApiTokenRow) {
  return { tokenId: id, name, scope, spaceIds, allowedCidrs, expiresAt: expiresAt.toISOString() };
}
