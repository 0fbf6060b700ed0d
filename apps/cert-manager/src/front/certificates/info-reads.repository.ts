import { placeholders, querySql, type Tx } from '@certloop/db';
import { acmeServerOrders, type ServerOrderRow } from '../orders/server-orders.repository.js';

const { id, fqdnId, spaceId } = acmeServerOrders.columns;

/** Ids of those of the orders, at least one, whose account was last seen with the user agent. */
export async function listInfoReaders(
  tx: Tx,
  orders: readonly Pick<ServerOrderRow, 'id'>[],
  userAgent: string,
): Promise<string[]> {
  const text = `select o.id from acme_server_orders o join acme_server_accounts a on a.id = o.account_id
    where a.user_agent = $1 and o.id in (${placeholders(orders.length, 2)})`;
  const rows = await querySql(tx, { id }, text, [userAgent, ...orders.map((order) => order.id)]);
  return rows.map((row) => row.id);
}

/**
 * Notes when the renewalInfo of their certificates was first read, and the end of the window there; returns the FQDNs of those
 * for which either is new. A window that has passed is never extended.
 */
export function noteInfoRead(
  tx: Tx,
  ids: readonly string[],
  { now, windowEnd }: { readonly now: Date; readonly windowEnd: Date },
): Promise<Pick<ServerOrderRow, 'fqdnId' | 'spaceId'>[]> {
  const isNew = `(info_window_end is null or $2 < info_window_end or ($2 > info_window_end and $1 < info_window_end))`;
  const text = `update acme_server_orders set info_read_at = coalesce(info_read_at, $1), info_window_end = $2
    where ${isNew} and id in (${placeholders(ids.length, 3)}) returning fqdn_id, space_id`;
  return querySql(tx, { fqdnId, spaceId }, text, [now, windowEnd, ...ids]);
}
