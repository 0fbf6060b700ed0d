import type { AcmeProblemDocument } from '@certloop/contracts';
import { querySql, type Tx } from '@certloop/db';
import { acmeServerOrders, type ServerOrderRow } from './server-orders.repository.js';

const { fqdnId, spaceId, isNewest } = acmeServerOrders.columns;

/**
 * Deletes orders, at most `limit`, whose certificates have expired before the moment, or which have no certificate and ended
 * before it; returns what they were for.
 */
export async function deleteOldOrders(
  tx: Tx,
  before: Date,
  limit: number,
): Promise<Pick<ServerOrderRow, 'fqdnId' | 'spaceId' | 'isNewest'>[]> {
  const remove = (condition: string, by: string, count: number) =>
    querySql(
      tx,
      { fqdnId, spaceId, isNewest },
      `delete from acme_server_orders where id in (
         select id from acme_server_orders where ${condition} and ${by} <= $1 order by ${by}, id limit $2)
       returning fqdn_id, space_id, is_newest`,
      [before, count],
    );
  const answered = await remove('not_after is not null', 'not_after', limit);
  if (answered.length === limit) return answered;
  return [...answered, ...(await remove('not_after is null', 'expires_at', limit - answered.length))];
}

/** Makes orders invalid that wait for an issuance which is not there; returns what they were for. */
export function failLostOrders(
  tx: Tx,
  problem: AcmeProblemDocument,
  now: Date,
): Promise<Pick<ServerOrderRow, 'fqdnId' | 'spaceId'>[]> {
  const text = `update acme_server_orders set state = 'invalid', problem = $1, ended_at = $2
    where state = 'processing' and not exists (select 1 from issuances i where i.id = acme_server_orders.issuance_id)
    returning fqdn_id, space_id`;
  return querySql(tx, { fqdnId, spaceId }, text, [problem, now]);
}
