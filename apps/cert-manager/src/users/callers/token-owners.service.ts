import type { Database, Tx } from '@certloop/db';
import { type BatchEnd, batched, sameText, secretHash } from '@certloop/server';
import { type Rights, rightsOf } from '../../access/rights.js';
import { listGroupsOf } from '../../permission-groups/permission-groups.repository.js';
import type { ApiTokenRow } from '../api-tokens/api-token.js';
import { listApiTokensById } from '../api-tokens/api-tokens.repository.js';
import type { TokenParts } from '../sessions/credentials.js';
import type { UserRow } from '../user.js';
import { listUsersById } from '../users.repository.js';

/** An API token with its owner, and what that may do without the limits of the token. */
export interface OwnedToken {
  readonly token: ApiTokenRow;
  readonly user: UserRow;
  readonly rights: Rights;
}

// as many as one connection reads in a few milliseconds
const maxTogether = 32;

/**
 * Reads tokens, those that come at the same time by the same statements, as of a moment after the call: what was
 * revoked before it counts. Undefined for a token that is not there, or has another secret.
 */
export function createTokenReader(db: Database): (parts: TokenParts) => Promise<OwnedToken | undefined> {
  return batched((all) => db.read((tx) => readOwned(tx, all)), maxTogether);
}

async function readOwned(tx: Tx, all: readonly TokenParts[]): Promise<BatchEnd<OwnedToken | undefined>[]> {
  const tokens = new Map(
    (await listApiTokensById(tx, [...new Set(all.map(({ id }) => id))])).map((token) => [token.id, token]),
  );
  const found = all.map(({ id, secret }) => {
    const token = tokens.get(id);
    return token !== undefined && sameText(token.secretHash, secretHash(secret)) ? token : undefined;
  });
  const owners = await readOwners(tx, new Set(found.flatMap((token) => token?.userId ?? [])));
  return found.map((token) => {
    const owner = token && owners.get(token.userId);
    return { status: 'fulfilled', value: token && owner && { token, ...owner } };
  });
}

async function readOwners(tx: Tx, ids: ReadonlySet<string>): Promise<Map<string, Omit<OwnedToken, 'token'>>> {
  const owners = new Map<string, Omit<OwnedToken, 'token'>>();
  if (ids.size === 0) return owners;
  for (const user of await listUsersById(tx, [...ids])) {
    owners.set(user.id, { user, rights: await readRights(tx, user) });
  }
  return owners;
}

/** Returns the rights of a user. */
export async function readRights(tx: Tx, user: UserRow): Promise<Rights> {
  return rightsOf(user, user.isAdmin ? [] : await listGroupsOf(tx, user.id));
}
