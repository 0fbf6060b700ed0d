import { column, insertUnlessTaken, querySql, type SqlValue, type Tx, updateRows } from '@certloop/db';
import type { AcmeClientRow } from '../../acme-clients/acme-client.js';
import { acmeClients } from '../../acme-clients/acme-clients.repository.js';
import { acmeServerAccounts, type ServerAccountRow } from './server-accounts.repository.js';

/** An account with its client, which is undefined once it was deleted. */
export interface AccountOfClient {
  readonly row: ServerAccountRow;
  readonly client: AcmeClientRow | undefined;
}

export function findServerAccount(tx: Tx, id: string): Promise<AccountOfClient | undefined> {
  return findWithClient(tx, 'a.id = $1', [id]);
}

/** The account that holds the key: valid, or deactivated by its holder. */
export function findAccountOfKey(tx: Tx, thumbprint: string): Promise<AccountOfClient | undefined> {
  return findWithClient(tx, "a.thumbprint = $1 and a.status in ('valid', 'deactivated')", [thumbprint]);
}

const { id: _id, spaceId: _spaceId, createdAt: clientCreatedAt, ...clientColumns } = acmeClients.columns;
const joined = {
  ...clientColumns,
  ...acmeServerAccounts.columns,
  clientCreatedAt,
  /** Null if the client was deleted. */
  kid: clientColumns.kid.nullable(),
};
const selection = `select a.*, k.created_at as client_created_at, k.name, k.kid, k.hmac_key_sealed, k.names,
    k.provider_id, k.create_fqdns, k.may_take_over, k.allowed_cidrs, k.expires_at, k.max_orders_per_day, k.max_accounts,
    k.created_by_id, k.created_by_name, k.changed_at, k.key_changed_at
  from acme_server_accounts a left join acme_clients k on k.id = a.client_id`;

// by one statement, as each request of an account needs both
async function findWithClient(
  tx: Tx,
  condition: string,
  values: readonly SqlValue[],
): Promise<AccountOfClient | undefined> {
  const [found] = await querySql(tx, joined, `${selection} where ${condition} limit 1`, values);
  if (found === undefined) return undefined;
  const { thumbprint, jwk, contacts, binding, status, seenAt, userAgent, ipAddress, ...others } = found;
  const { id, clientId, createdAt, clientCreatedAt: since, kid, ...ofClient } = others;
  const { spaceId } = ofClient;
  const ofAccount = { thumbprint, jwk, contacts, binding, status, createdAt, seenAt, userAgent, ipAddress };
  return {
    row: { id, clientId, spaceId, ...ofAccount },
    client: kid === null ? undefined : { ...ofClient, id: clientId, kid, createdAt: since },
  };
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
