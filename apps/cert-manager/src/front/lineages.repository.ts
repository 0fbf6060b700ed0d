import { placeholders, querySql, type RowOf, type Tx } from '@certloop/db';
import { acmeServerAccounts } from './accounts/server-accounts.repository.js';
import { acmeServerOrders } from './orders/server-orders.repository.js';

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
};

/** The newest issued order of a lineage, with its account and the last order that came after it. */
export type LineageRow = RowOf<{ columns: typeof columns }>;

/**
 * Lineages of FQDNs, of which at least one is named, also of those whose certificates have expired and that were released.
 * The last order of a lineage says whether the client failed since: one that was superseded is never the last.
 */
export function listLineagesOf(tx: Tx, fqdnIds: readonly string[]): Promise<LineageRow[]> {
  const text = `select o.*, a.status as account_status, a.seen_at as account_seen_at,
      a.user_agent as account_user_agent, a.ip_address as account_ip_address,
      l.id as last_id, l.state as last_state, l.problem as last_problem, l.ended_at as last_ended_at
    from acme_server_orders o
    join acme_server_accounts a on a.id = o.account_id
    join acme_server_orders l on l.id = (
      select n.id from acme_server_orders n where n.lineage = o.lineage order by n.created_at desc, n.id desc limit 1)
    where o.is_newest and o.fqdn_id in (${placeholders(fqdnIds.length)})
    order by o.created_at, o.id`;
  return querySql<LineageRow>(tx, columns, text, fqdnIds);
}
