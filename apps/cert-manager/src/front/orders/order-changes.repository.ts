import type { AcmeProblemDocument } from '@certloop/contracts';
import {
  executeSql,
  findRow,
  insertMany,
  placeholders,
  querySql,
  type SqlValue,
  type Tx,
  updateRows,
} from '@certloop/db';
import { acmeServerOrders, type ServerOrderRow } from './server-orders.repository.js';

const { columns } = acmeServerOrders;

export function insertServerOrder(tx: Tx, row: ServerOrderRow): Promise<void> {
  return insertMany(tx, acmeServerOrders, [row]);
}

export async function findServerOrder(tx: Tx, id: string): Promise<ServerOrderRow | undefined> {
  return findRow(tx, acmeServerOrders, { id });
}

/** Changes an order that is still in the state; false if it is not. */
export async function updateServerOrder(
  tx: Tx,
  { id, state }: Pick<ServerOrderRow, 'id' | 'state'>,
  change: Partial<ServerOrderRow>,
): Promise<boolean> {
  return (await updateRows(tx, acmeServerOrders, { id, state }, change)) === 1;
}

/** Columns of an order that has its certificate. */
export type CertificateColumns = {
  readonly [Name in 'certificateId' | 'renewalId' | 'notBefore' | 'notAfter' | 'endedAt']: NonNullable<
    ServerOrderRow[Name]
  >;
};

/**
 * Gives the orders that wait for an issuance its certificate; returns them. The last one of each lineage is the newest
 * issued one of it.
 */
export async function answerOrdersOf(
  tx: Tx,
  issuanceId: string,
  { certificateId, renewalId, notBefore, notAfter, endedAt }: CertificateColumns,
): Promise<ServerOrderRow[]> {
  const former = `update acme_server_orders set is_newest = $2 where is_newest and lineage in (
    select o.lineage from acme_server_orders o where o.issuance_id = $1 and o.state = 'processing')`;
  await executeSql(tx, former, [issuanceId, false]);
  const text = `update acme_server_orders set state = 'valid', certificate_id = $2, renewal_id = $3, not_before = $4,
      not_after = $5, ended_at = $6, is_newest = not exists (
        select 1 from acme_server_orders o where o.issuance_id = $1 and o.lineage = acme_server_orders.lineage
          and o.id > acme_server_orders.id)
    where issuance_id = $1 and state = 'processing' returning *`;
  const values = [issuanceId, certificateId, renewalId, notBefore, notAfter, endedAt];
  return querySql<ServerOrderRow>(tx, columns, text, values);
}

/** Makes the orders that wait for an issuance invalid; returns them. */
export function failOrdersOf(
  tx: Tx,
  issuanceId: string,
  problem: AcmeProblemDocument,
  now: Date,
): Promise<ServerOrderRow[]> {
  const text = `update acme_server_orders set state = 'invalid', problem = $2, ended_at = $3
    where issuance_id = $1 and state = 'processing' returning *`;
  return querySql<ServerOrderRow>(tx, columns, text, [issuanceId, problem, now]);
}

/** Makes orders invalid whose issuances a later order has taken over, with those that waited for the same issuances. */
export async function supersedeOrders(
  tx: Tx,
  ids: readonly string[],
  {
    laterId,
    problem,
    now,
  }: { readonly laterId: string; readonly problem: AcmeProblemDocument; readonly now: Date },
): Promise<void> {
  if (ids.length === 0) return;
  const text = `update acme_server_orders set state = 'invalid', problem = $1, ended_at = $2
    where state = 'processing' and id <> $3 and issuance_id in (
      select o.issuance_id from acme_server_orders o where o.id in (${placeholders(ids.length, 4)}))`;
  await executeSql(tx, text, [problem, now, laterId, ...ids]);
}

/** Makes the order the newest issued one of its lineage. */
export async function markNewestOrder(tx: Tx, { id, lineage }: ServerOrderRow): Promise<void> {
  if (lineage === null) return;
  const text = 'update acme_server_orders set is_newest = $1 where lineage = $2 and is_newest';
  await executeSql(tx, text, [false, lineage]);
  await updateRows(tx, acmeServerOrders, { id }, { isNewest: true });
}

/** Notes that the order replaces the certificate of the account, unless another order than `former` does. */
export function storeReplacement(
  tx: Tx,
  certificate: { readonly accountId: string; readonly id: string; readonly former: string | undefined },
  orderId: string,
): Promise<number> {
  const { accountId, id, former } = certificate;
  const text = `update acme_server_orders set replaced_by = $1
    where account_id = $2 and certificate_id = $3 and (replaced_by is null or replaced_by = $4)`;
  return executeSql(tx, text, [orderId, accountId, id, former ?? null]);
}

/** Orders that are not over: of a client, of an account, below an FQDN or a space, or all. */
export type OrderScope =
  | { readonly clientId: string }
  | { readonly accountId: string }
  | { readonly fqdnId: string }
  | { readonly spaceId: string }
  | 'all';

/** Makes open orders invalid; returns how many. */
export function failOpenOrders(
  tx: Tx,
  scope: OrderScope,
  problem: AcmeProblemDocument,
  now: Date,
): Promise<number> {
  const [condition, values] = conditionOf(scope);
  const text = `update acme_server_orders set state = 'invalid', problem = $1, ended_at = $2
    where state in ('ready', 'processing')${condition}`;
  return executeSql(tx, text, [problem, now, ...values]);
}

function conditionOf(scope: OrderScope): [condition: string, values: readonly SqlValue[]] {
  if (scope === 'all') return ['', []];
  if ('clientId' in scope) return [' and client_id = $3', [scope.clientId]];
  if ('accountId' in scope) return [' and account_id = $3', [scope.accountId]];
  return 'fqdnId' in scope ? [' and fqdn_id = $3', [scope.fqdnId]] : [' and space_id = $3', [scope.spaceId]];
}
