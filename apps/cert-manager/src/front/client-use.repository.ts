import type { ClientUse } from '@certloop/contracts';
import { column, placeholders, querySql, type Tx } from '@certloop/db';
import { acmeServerAccounts } from './accounts/server-accounts.repository.js';
import { acmeServerOrders } from './orders/server-orders.repository.js';

/**
 * Machines that use clients, by the ids of the clients, with at most so many accounts and FQDNs of each; those that no
 * account was registered with are absent.
 */
export async function readClientUse(
  tx: Tx,
  clientIds: readonly string[],
  maxShown: number,
): Promise<ReadonlyMap<string, ClientUse>> {
  if (clientIds.length === 0) return new Map();
  const accounts = groupedByClient(await listSeenAccounts(tx, clientIds, maxShown));
  const ids = [...accounts.keys()];
  if (ids.length === 0) return new Map();
  const fqdns = groupedByClient(await listOrderedFqdns(tx, ids, maxShown));
  const orders = groupedByClient(await listLastOrders(tx, ids));
  return new Map(
    [...accounts].map(([id, seen]) => {
      const [first] = seen;
      const named = fqdns.get(id) ?? [];
      const use: ClientUse = {
        accountCount: first.count,
        accounts: seen.map(shownAccount),
        lastSeenAt: first.seenAt.toISOString(),
        fqdnCount: named[0]?.count ?? 0,
        fqdns: named.map(({ fqdnId, fqdn }) => ({ id: fqdnId, fqdn })),
        ...lastOrderOf(orders.get(id)?.[0]),
      };
      return [id, use];
    }),
  );
}

function groupedByClient<Row extends { readonly clientId: string }>(
  rows: readonly Row[],
): Map<string, [Row, ...Row[]]> {
  const groups = new Map<string, [Row, ...Row[]]>();
  for (const row of rows) {
    const group = groups.get(row.clientId);
    if (group === undefined) groups.set(row.clientId, [row]);
    else group.push(row);
  }
  return groups;
}

const { jwk: _key, binding: _binding, spaceId: _space, ...shownColumns } = acmeServerAccounts.columns;
const accountColumns = { ...shownColumns, count: column.bigint() };
type SeenAccount = Awaited<ReturnType<typeof listSeenAccounts>>[number];

/** The accounts of each client that were seen last, with how many it has. */
function listSeenAccounts(tx: Tx, clientIds: readonly string[], maxShown: number) {
  const text = `select * from (
      select id, client_id, thumbprint, contacts, status, created_at, seen_at, user_agent, ip_address,
        count(*) over (partition by client_id) as count,
        row_number() over (partition by client_id order by seen_at desc, id) as place
      from acme_server_accounts where client_id in (${placeholders(clientIds.length)})) as seen
    where place <= ${maxShown} order by client_id, place`;
  return querySql(tx, accountColumns, text, clientIds);
}

function shownAccount(row: SeenAccount): ClientUse['accounts'][number] {
  const { status, thumbprint, contacts, createdAt, seenAt, userAgent, ipAddress } = row;
  return {
    status,
    thumbprint,
    contacts: [...contacts],
    createdAt: createdAt.toISOString(),
    lastSeenAt: seenAt.toISOString(),
    userAgent,
    ipAddress,
  };
}

const { clientId, fqdnId, fqdn, identifiers, state, problem, createdAt } = acmeServerOrders.columns;
const fqdnColumns = { clientId, fqdnId, fqdn, count: column.bigint() };

/** The first FQDNs of each client that it has a certificate for, by name, with how many there are. */
function listOrderedFqdns(tx: Tx, clientIds: readonly string[], maxShown: number) {
  const text = `select * from (
      select client_id, fqdn_id, fqdn, count(*) over (partition by client_id) as count,
        row_number() over (partition by client_id order by fqdn, fqdn_id) as place
      from (
        select distinct o.client_id, o.fqdn_id, o.fqdn from acme_server_orders o
        join fqdns f on f.id = o.fqdn_id
        where o.is_newest and o.client_id in (${placeholders(clientIds.length)})) as ordered) as named
    where place <= ${maxShown} order by client_id, place`;
  return querySql(tx, fqdnColumns, text, clientIds);
}

const orderColumns = { clientId, identifiers, state, problem, createdAt };
type LastOrder = Awaited<ReturnType<typeof listLastOrders>>[number];

function listLastOrders(tx: Tx, clientIds: readonly string[]) {
  const text = `select o.client_id, o.identifiers, o.state, o.problem, o.created_at
    from acme_clients c join acme_server_orders o on o.id = (
      select x.id from acme_server_orders x where x.client_id = c.id
      order by x.created_at desc, x.id desc limit 1)
    where c.id in (${placeholders(clientIds.length)})`;
  return querySql(tx, orderColumns, text, clientIds);
}

function lastOrderOf(order: LastOrder | undefined): Pick<ClientUse, 'lastOrder'> {
  if (order === undefined) return {};
  const lastOrder = {
    names: order.identifiers.map(({ value }) => value),
    state: order.state,
    createdAt: order.createdAt.toISOString(),
    ...(order.problem !== null && { problem: order.problem.detail }),
  };
  return { lastOrder };
}
