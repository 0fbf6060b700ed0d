import {
  deleteRows,
  executeSql,
  insertMany,
  lockForUpdate,
  querySql,
  type Tx,
  updateRows,
} from '@certloop/db';
import { In } from 'typeorm';
import { isCsrSent } from '../../acme/orders/order-record.js';
import { type CsrRow, csrs } from '../../csrs/csrs.repository.js';
import type { DeletedScope } from '../../fqdns/fqdns.service.js';
import { isCsrUnsent } from '../signing/issuance-state.js';
import { type IssuanceRow, issuances, noOrder, updateIssuance } from '../signing/issuances.repository.js';

/** Inserts the issuance of an order; an FQDN may have several queued ones. */
export function insertClientIssuance(tx: Tx, row: IssuanceRow): Promise<void> {
  return insertMany(tx, issuances, [row]);
}

/** Whose issuances are meant. */
export type ClientScope =
  | { readonly lineage: string }
  | { readonly clientId: string }
  | { readonly accountId: string; readonly clientId: string }
  | { readonly orderId: string; readonly clientId: string };

/** Open issuances of ACME clients whose CSR was not sent to the CA, locked; the oldest first. */
export async function lockUnsent(tx: Tx, scope: ClientScope): Promise<IssuanceRow[]> {
  const open = await lockForUpdate(tx, issuances, {
    ...scope,
    cause: 'client',
    state: In(['queued', 'running', 'waiting']),
  });
  return open
    .filter(isCsrUnsent)
    .toSorted((one, other) => one.createdAt.getTime() - other.createdAt.getTime());
}

/** The issuance as it is now, locked; undefined if it is not in the hands of the worker any more. */
export async function lockClaimed(
  tx: Tx,
  { id, attempt, state }: Pick<IssuanceRow, 'id' | 'attempt' | 'state'>,
): Promise<IssuanceRow | undefined> {
  const [row] = await lockForUpdate(tx, issuances, { id });
  return row?.attempt === attempt && row.state === state ? row : undefined;
}

/**
 * Ends issuances whose CSR was not sent: one of a provider without orders is deleted, and a worker that has another one
 * stops before it sends the CSR. Their orders at the CA are left to expire.
 */
export async function endUnsent(
  tx: Tx,
  unsent: readonly IssuanceRow[],
  reason: string,
  now: Date,
): Promise<void> {
  const direct = unsent.filter(({ isOrder }) => !isOrder);
  if (direct.length > 0) await deleteRows(tx, issuances, { id: In(direct.map(({ id }) => id)) });
  for (const issuance of unsent) {
    if (!issuance.isOrder) continue;
    const end = {
      state: 'failed',
      leaseUntil: null,
      nextAt: null,
      finishedAt: now,
      message: reason,
    } as const;
    await updateIssuance(tx, issuance, { ...end, ...noOrder });
  }
}

/** Deletes the queued issuances of deleted FQDNs by providers without orders: no CA was asked for them. */
export async function deleteQueuedOf(tx: Tx, scope: DeletedScope): Promise<void> {
  const place = scope === 'all' ? {} : scope;
  await deleteRows(tx, issuances, { ...place, cause: 'client', isOrder: false, state: 'queued' });
}

/**
 * Takes over the order that the last issuance of the lineage by the same provider has left: one whose CSR was not sent, or
 * was the same. It is that of no other issuance then.
 */
export async function takeOrderOfLineage(
  tx: Tx,
  { lineage, csrId, providerId }: Pick<IssuanceRow, 'lineage' | 'csrId' | 'providerId'>,
): Promise<Pick<IssuanceRow, 'orderState' | 'orderUrl'>> {
  if (lineage === null) return noOrder;
  const text = `select * from issuances where lineage = $1 and provider_id = $2 and cause = 'client'
      and state in ('unknown', 'failed') and order_state is not null
    order by finished_at desc, id desc limit 5`;
  const left = await querySql(tx, issuances.columns, text, [lineage, providerId]);
  const last = left.find((one) => one.csrId === csrId || !isCsrSent(one.orderState));
  if (last === undefined) return noOrder;
  const { id, attempt, orderState, orderUrl } = last;
  const change = { ...noOrder, state: 'failed', attempt: attempt + 1, nextAt: null } as const;
  const taken = await updateRows(tx, issuances, { id, attempt }, change);
  return taken === 1 ? { orderState, orderUrl } : noOrder;
}

/** The CSR of an earlier order of the client for the FQDN that is the same to the byte. */
export async function findSameCsr(
  tx: Tx,
  {
    fqdnId,
    clientId,
    csrPem,
    spkiSha256,
  }: { readonly clientId: string } & Pick<CsrRow, 'fqdnId' | 'csrPem' | 'spkiSha256'>,
): Promise<CsrRow | undefined> {
  const text = `select * from csrs where fqdn_id = $1 and position < 0 and acme_client_id = $2 and spki_sha256 = $3
    and csr_pem = $4 limit 1`;
  const values = [fqdnId, clientId, spkiSha256, csrPem];
  return (await querySql<CsrRow>(tx, csrs.columns, text, values))[0];
}

/** Deletes at most 1000 CSRs of orders that are older than `before` and led to no certificate; returns how many. */
export function deleteOldClientCsrs(tx: Tx, before: Date): Promise<number> {
  const text = `delete from csrs where id in (select r.id from csrs r where r.acme_client_id is not null and r.created_at < $1
      and not exists (select 1 from certificates c where c.csr_id = r.id)
      and not exists (select 1 from issuances i where i.fqdn_id = r.fqdn_id and i.csr_id = r.id
        and i.state in ('queued', 'running', 'waiting', 'unknown'))
    order by r.created_at, r.id limit 1000)`;
  return executeSql(tx, text, [before]);
}
