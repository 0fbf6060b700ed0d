import { column, findRow, insertUnlessTaken, querySql, type Tx, updateRows } from '@certloop/db';
import { acmeServerAccounts, type ServerAccountRow } from './server-accounts.repository.js';

export async function findServerAccount(tx: Tx, id: string): Promise<ServerAccountRow | undefined> {
  return findRow(tx, acmeServerAccounts, { id });
}

/** The account that holds the key: valid, or deactivated by its holder. */
export async function findAccountOfKey(tx: Tx, thumbprint: string): Promise<ServerAccountRow | undefined> {
  return findRow(tx, acmeServerAccounts, { thumbprint, status: ['valid', 'deactivated'] });
}

/** Inserts an account; false if its key has one. */
export async function insertServerAccount(tx: Tx, row: ServerAccountRow): Promise<boolean> {
  return (await insertUnlessTaken(tx, acmeServerAccounts, [row])).size === 1;
}

/** Changes an account that is valid and still has its key; false if it is not. */
export async function updateServerAccount(
  tx: Tx,
  { id, thumbprint }: Pick<ServerAccountRow, 'id' | 'thumbprint'>,
  change: Partial<ServerAccountRow>,
): Promise<boolean> {
  return (await updateRows(tx, acmeServerAccounts, { id, thumbprint, status: 'valid' }, change)) === 1;
}

/** Notes who has used an account, and when. */
export async function noteAccountUse(
  tx: Tx,
  id: string,
  use: Pick<ServerAccountRow, 'seenAt' | 'userAgent' | 'ipAddress'>,
): Promise<void> {
  await updateRows(tx, acmeServerAccounts, { id }, use);
}

/**
 * When the first of the newest `count` accounts of a client was last seen, of those seen since; undefined if there are
 * fewer. One that was seen in the future does not count.
 */
export async function findNthSeen(
  tx: Tx,
  clientId: string,
  { since, now, count }: { readonly since: Date; readonly now: Date; readonly count: number },
): Promise<Date | undefined> {
  const text = `select seen_at from acme_server_accounts
    where client_id = $1 and seen_at > $2 and seen_at <= $3 and status = 'valid'
    order by seen_at desc limit 1 offset $4`;
  const rows = await querySql(tx, { seenAt: column.instant() }, text, [clientId, since, now, count - 1]);
  return rows[0]?.seenAt;
}

export type AccountScope = { readonly clientId: string } | { readonly spaceId: string };

/** Ends the valid accounts of a client or of all clients of a space; their keys may be bound again. */
export function endServerAccounts(tx: Tx, scope: AccountScope): Promise<number> {
  const where = { ...scope, status: 'valid' } as const;
  return updateRows(tx, acmeServerAccounts, where, { status: 'ended' });
}
