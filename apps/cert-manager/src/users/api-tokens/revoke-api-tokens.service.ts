import { NotFound } from '@certloop/contracts';
import type { Tx } from '@certloop/db';
import type { Caller } from '../../access/caller.js';
import { requireAdmin } from '../../access/permissions.js';
import { recordAudit } from '../../audit/audit.service.js';
import type { DbDeps } from '../../db-deps.js';
import { getUserRow, lockUser, userNotFound } from '../users.repository.js';
import type { ApiTokenRow } from './api-token.js';
import { deleteApiTokens, listApiTokensOf } from './api-tokens.repository.js';
import { requireSession } from './api-tokens.service.js';

/** Revokes one of the caller's tokens at once, with its family. Throws Forbidden without a session, NotFound. */
export async function revokeApiToken(deps: DbDeps, caller: Caller, id: string): Promise<void> {
  requireSession(caller);
  await revokeFamily(deps, caller, caller.userId, id);
}

/** Revokes the token that the caller came with, with its family; its scope does not matter. Throws NotFound. */
export async function revokeOwnApiToken(deps: DbDeps, caller: Caller): Promise<void> {
  await revokeFamily(deps, caller, caller.userId, caller.tokenId ?? '');
}

/** The tokens of a user, oldest first. Throws Forbidden for callers who are not administrators, NotFound. */
export async function listUserApiTokens(
  { db }: DbDeps,
  caller: Caller,
  userId: string,
): Promise<ApiTokenRow[]> {
  requireAdmin(caller);
  return db.read(async (tx) => {
    await getUserRow(tx, userId);
    return listApiTokensOf(tx, userId);
  });
}

/** Revokes a token of a user, with its family. Throws Forbidden for callers who are not administrators, NotFound. */
export async function revokeUserApiToken(
  deps: DbDeps,
  caller: Caller,
  { userId, id }: { readonly userId: string; readonly id: string },
): Promise<void> {
  requireAdmin(caller);
  await revokeFamily(deps, caller, userId, id);
}

/** Revokes all tokens of a user whom the transaction holds, and returns their ids. */
export async function revokeAllApiTokens(tx: Tx, userId: string): Promise<string[]> {
  const ids = (await listApiTokensOf(tx, userId)).map(({ id }) => id);
  if (ids.length > 0) await deleteApiTokens(tx, ids);
  return ids;
}

async function revokeFamily(
  { db, clock }: DbDeps,
  caller: Caller,
  userId: string,
  id: string,
): Promise<void> {
  await db.transaction(async (tx) => {
    // holding the owner keeps a successor from being made in the meantime
    if ((await lockUser(tx, userId)) === undefined) throw userNotFound();
    const tokens = await listApiTokensOf(tx, userId);
    const token = tokens.find((one) => one.id === id);
    if (token === undefined) throw tokenNotFound();
    const family = tokens.filter((one) => one.id === id || (one.familyId ?? '') === token.familyId);
    const ids = family.map((one) => one.id);
    await deleteApiTokens(tx, ids);
    const isOthers = userId !== caller.userId;
    const details = {
      tokenId: id,
      ...(ids.length > 1 && { tokenIds: ids }),
      ...(isOthers && { userId }),
    };
    const entry = { action: 'auth.token.revoke', resourceType: 'token', details } as const;
    await recordAudit(tx, caller, entry, clock.now());
  });
}

function tokenNotFound(): NotFound {
  return new NotFound('API token not found', { code: 'api_token_not_found', title: 'API token not found' });
}
