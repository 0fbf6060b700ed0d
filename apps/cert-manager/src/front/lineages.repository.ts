import { column, lockForUpdate, placeholders, querySql, type RowOf, type Tx, updateRows } from '@certloop/db';
import { acmeServerAccounts } from './accounts/server-accounts.repository.js';
import { acmeServerOrders, type ServerOrderRow } from './orders/server-orders.repository.js';

const columns = {
  ...acmeServerOrders.columns,
  accountStatus: acmeServerAccounts.columns.status,
  accountSeenAt: acmeServerAccounts.columns.seenAt,
  accountUserAgent: acmeServerAccounts.columns.userAgent,
  accountIpAddress: acmeServerAccounts.columns.ipAddress,
  /** The last order of the lineage: the row itself, or one that came after it. */
  lastId: acmeServerOrders.columns.id,
  lastState: acmeServerOrders.columns.state,
  lastProblem: acmeServerOrders.columns.problem,
  lastEndedAt: acmeServerOrders.columns.endedAt,
  /** Null if the client was deleted. */
  clientName: column.word(64).nullable(),
  /** Of the certificate; `not_after` if that was deleted. */
  certificateExpiresAt: column.instant(),
  revokedAt: column.instant().nullable(),
  serialNumber: column.word(64).nullable(),
  /** An issued order of any lineage names the certificate as the one that it replaces. */
  isReplaced: column.boolean(),
};

/** The newest issued order of a lineage, with its account and the last order that came after it. */
export type LineageRow = RowOf<{ columns: typeof columns }>;

const selection = `select o.*, a.status as account_status, a.seen_at as account_seen_at,
      a.user_agent as account_user_agent, a.ip_address as account_ip_address,
      l.id as last_id, l.state as last_state, l.problem as last_problem, l.ended_at as last_ended_at,
      k.name as client_name, coalesce(c.expires_at, o.not_after) as certificate_expires_at, c.revoked_at, c.serial_number,
      exists (select 1 from acme_server_orders r where r.id = o.replaced_by and r.state = 'valid') as is_replaced
    from acme_server_orders o
    join acme_server_accounts a on a.id = o.account_id
    join acme_server_orders l on l.id = (
      select n.id from acme_server_orders n where n.lineage = o.lineage order by n.created_at desc, n.id desc limit 1)
    left join acme_clients k on k.id = o.client_id
    left join certificates c on c.id = o.certificate_id
    where o.is_newest and`;

/**
 * Lineages of FQDNs, of which at least one is named, also of those whose certificates have expired and that were released.
 * The last order of a lineage says whether the client failed since: one that was superseded is never the last.
 */
export function listLineagesOf(tx: Tx, fqdnIds: readonly string[]): Promise<LineageRow[]> {
  const text = `${selection} o.fqdn_id in (${placeholders(fqdnIds.length)}) order by o.created_at, o.id`;
  return querySql<LineageRow>(tx, columns, text, fqdnIds);
}

/** As listLineagesOf, those whose newest certificates are named; at least one is. */
export function listLineagesWith(tx: Tx, certificateIds: readonly string[]): Promise<LineageRow[]> {
  const text = `${selection} o.certificate_id in (${placeholders(certificateIds.length)})`;
  return querySql<LineageRow>(tx, columns, text, certificateIds);
}

/** The newest issued order of a lineage of an FQDN, locked. */
export async function lockLineage(
  tx: Tx,
  fqdnId: string,
  lineage: string,
): Promise<ServerOrderRow | undefined> {
  return (await lockForUpdate(tx, acmeServerOrders, { fqdnId, lineage, isNewest: true }))[0];
}

/** Notes that a person reported that the machine of a lineage is gone. */
export async function releaseOrder(tx: Tx, id: string, releasedAt: Date): Promise<void> {
  await updateRows(tx, acmeServerOrders, { id }, { releasedAt });
}
