import { Conflict, Forbidden, Unauthenticated } from '@certloop/contracts';
import { newSecret, secretHash } from '@certloop/server';
import type { Caller } from '../../access/caller.js';
import { recordAudit } from '../../audit/audit.service.js';
import type { DbDeps } from '../../db-deps.js';
import { formatApiToken, newApiToken } from '../sessions/credentials.js';
import { lockUser } from '../users.repository.js';
import type { ApiTokenRow } from './api-token.js';
import { deleteApiTokens, endApiToken, insertApiToken, listApiTokensOf } from './api-tokens.repository.js';
import { tokenFacts } from './api-tokens.service.js';

/** How long a token stays valid beside its successor. */
const overlapMs = 24 * 3_600_000;
/** Of one family at a time: a client that renews at each call must not fill the table. */
const maxInForce = 10;

/**
 * Makes the successor of the token that the caller came with, of the same scope, spaces, addresses and lifetime, and
 * returns it with its text. The token itself ends 24 h later. A successor whose answer was lost is replaced: a token
 * has at most one, and may ask for another one until that was used. Throws Forbidden for a token that was not made
 * renewable, Conflict when its successor is in use, Unauthenticated when the token has ended in the meantime.
 */
export async function succeedApiToken(
  { db, clock }: DbDeps,
  caller: Caller,
): Promise<{ readonly row: ApiTokenRow; readonly text: string }> {
  const parts = newApiToken(newSecret());
  return db.transaction(async (tx) => {
    // of two calls at once, the second finds what the first made
    const owner = await lockUser(tx, caller.userId);
    const now = clock.now();
    const tokens = await listApiTokensOf(tx, caller.userId);
    const token = tokens.find(({ id }) => id === caller.tokenId);
    if (owner?.enabled !== true || token === undefined || token.expiresAt <= now) throw hasEnded();
    const { familyId, renewableUntil, lifetimeSeconds } = token;
    if (familyId === null || renewableUntil === null || lifetimeSeconds === null) throw notRenewable();

    const family = tokens.filter((one) => one.familyId === familyId);
    const lost = family.filter(({ predecessorId }) => predecessorId === token.id);
    if (lost.some((one) => one.lastUsedAt !== null || hasSuccessor(family, one))) throw successorInUse();
    const over = family.filter((one) => one.expiresAt <= now);
    const gone = [...new Set([...lost, ...over].map(({ id }) => id))];
    if (family.length - gone.length >= maxInForce) throw tooManyInForce(family);
    if (gone.length > 0) await deleteApiTokens(tx, gone);

    const row: ApiTokenRow = {
      ...token,
      id: parts.id,
      secretHash: secretHash(parts.secret),
      expiresAt: earlier(new Date(now.getTime() + lifetimeSeconds * 1000), renewableUntil),
      createdAt: now,
      lastUsedAt: null,
      lastUsedIp: null,
      predecessorId: token.id,
    };
    const endsAt = earlier(token.expiresAt, new Date(now.getTime() + overlapMs));
    await endApiToken(tx, token.id, endsAt);
    await insertApiToken(tx, row);
    const details = {
      ...tokenFacts(row),
      predecessorId: token.id,
      predecessorExpiresAt: endsAt.toISOString(),
      ...(lost.length > 0 && { replaced: lost.map(({ id }) => id) }),
    };
    await recordAudit(tx, caller, { action: 'auth.token.renew', resourceType: 'token', details }, now);
    return { row, text: formatApiToken(parts) };
  });
}

function hasSuccessor(family: readonly ApiTokenRow[], { id }: ApiTokenRow): boolean {
  return family.some(({ predecessorId }) => predecessorId === id);
}

function earlier(one: Date, other: Date): Date {
  return one < other ? one : other;
}

function hasEnded(): Unauthenticated {
  return new Unauthenticated('the API token has ended', {
    code: 'invalid_token',
    title: 'API token refused',
  });
}

function notRenewable(): Forbidden {
  return new Forbidden('this API token is not renewable: create one with renewable: true', {
    code: 'token_not_renewable',
    title: 'API token not renewable',
  });
}

function successorInUse(): Conflict {
  return new Conflict('the successor of this API token is in use already: renew that one', {
    code: 'successor_in_use',
    title: 'Successor in use',
  });
}

function tooManyInForce(family: readonly ApiTokenRow[]): Conflict {
  const first = Math.min(...family.map(({ expiresAt }) => expiresAt.getTime()));
  return new Conflict(
    `${maxInForce} tokens of this family are valid; the first one ends at ${new Date(first).toISOString()}`,
    { code: 'too_many_successors', title: 'Too many successors' },
  );
}
