import {
  column,
  defineTable,
  deleteRows,
  executeSql,
  findRow,
  findRows,
  insertUnlessTaken,
  querySql,
  type RowOf,
  type Tx,
  updateRows,
} from '@certloop/db';
import { In } from 'typeorm';
import type { OrderState } from '../../providers/provider.js';
import type { JobCaller } from '../jobs/job-audit.js';
import type { StepReports } from '../jobs/request-plan.js';
import type { IssuanceState } from './issuance-state.js';

export const issuances = defineTable('issuances', {
  columns: {
    id: column.uuid().primary(),
    fqdnId: column.uuid(),
    fqdn: column.text(),
    spaceId: column.uuid(),
    csrId: column.uuid(),
    /** Fingerprint of the CSR's key, hex. */
    spkiSha256: column.text(),
    providerId: column.uuid(),
    cause: column.word<'sign' | 'request' | 'renewal' | 'client'>(16),
    /** Whether the provider issues by orders, such as an ACME one. */
    isOrder: column.boolean(),
    state: column.word<IssuanceState['state']>(16),
    attempt: column.integer(),
    leaseUntil: column.instant().nullable(),
    nextAt: column.instant().nullable(),
    /** Idempotency key with which the CA is asked. */
    idempotencyKey: column.text(),
    orderUrl: column.text().nullable(),
    /** State of the order, as the provider stores it. */
    orderState: column.json<OrderState>().nullable(),
    /** The CA's answer, not stored as a certificate yet. */
    issued: column.json<{ readonly certificatePem: string; readonly upstreamId: string | null }>().nullable(),
    steps: column.json<StepReports>(),
    caller: column.json<JobCaller>(),
    /** A user reported that they have published what the order waits for. */
    isConfirmed: column.boolean(),
    /** The valid certificate whose place the new one takes. */
    replacesId: column.uuid().nullable(),
    certificateId: column.uuid().nullable(),
    /** Stable machine key of a failure. */
    code: column.text().nullable(),
    /** A sentence for people. */
    message: column.text(),
    createdAt: column.instant(),
    finishedAt: column.instant().nullable(),
    /** The order of an ACME client that it is for, with its client, account and lineage; null for other causes. */
    orderId: column.uuid().nullable(),
    clientId: column.uuid().nullable(),
    accountId: column.uuid().nullable(),
    lineage: column.word(64).nullable(),
  },
  indexes: [
    // one request at a time for each FQDN
    { name: 'uq_issuances_running', columns: ['fqdnId'], unique: true, where: "state = 'running'" },
    {
      name: 'uq_issuances_open_order',
      columns: ['fqdnId'],
      unique: true,
      where: "is_order and cause not in ('renewal', 'client') and state in ('queued', 'running', 'waiting')",
    },
    { columns: ['state', 'leaseUntil'], where: 'lease_until is not null' },
    { columns: ['state', 'nextAt'], where: 'next_at is not null' },
    { columns: ['orderUrl'], where: 'order_url is not null' },
    { columns: ['lineage'], where: 'lineage is not null' },
    { columns: ['clientId'], where: 'client_id is not null' },
    // one turn for each space, and there for each client
    { columns: ['providerId', 'spaceId', 'clientId', 'nextAt'], where: "state = 'queued'" },
    { columns: ['fqdnId', 'createdAt', 'id'] },
    { columns: ['spaceId', 'createdAt', 'id'], where: 'is_order' },
    { columns: ['finishedAt'], where: 'finished_at is not null' },
  ],
});

/**
 * One request for a certificate for an FQDN, with its CSR and by a provider. The row refers to nothing, so that it
 * outlives what it names: a CA may have issued a certificate for it. That of a provider without orders is deleted by the
 * transaction that stores the certificate or records the refusal.
 */
export type IssuanceRow = RowOf<typeof issuances>;

/** Inserts running issuances, at most 32, except for FQDNs that have one; returns the ids of the inserted ones. */
export function insertRunning(tx: Tx, rows: readonly IssuanceRow[]): Promise<ReadonlySet<string>> {
  // two transactions that insert the same FQDNs in another order would wait for each other
  const sorted = rows.toSorted((one, other) =>
    one.fqdnId < other.fqdnId ? -1 : Number(one.fqdnId > other.fqdnId),
  );
  return insertUnlessTaken(tx, issuances, sorted);
}

/** The running issuances of FQDNs, of which at least one is named. */
export function listRunning(tx: Tx, fqdnIds: readonly string[]): Promise<IssuanceRow[]> {
  return findRows(tx, issuances, { fqdnId: fqdnIds, state: 'running' });
}

export function findIssuance(tx: Tx, id: string): Promise<IssuanceRow | undefined> {
  return findRow(tx, issuances, { id });
}

export async function listIssuances(tx: Tx, ids: readonly string[]): Promise<IssuanceRow[]> {
  return ids.length === 0 ? [] : findRows(tx, issuances, { id: ids });
}

/** Whether an issuance other than the one named holds the ACME order of the address, or has left it to the next one. */
export async function hasIssuanceWithOrder(tx: Tx, url: string, exceptId: string): Promise<boolean> {
  const text = 'select 1 from issuances where order_url = $1 and id <> $2 limit 1';
  return (await querySql(tx, {}, text, [url, exceptId])).length > 0;
}

/** Columns of an issuance that no ACME client ordered. */
export const noClient = { orderId: null, clientId: null, accountId: null, lineage: null } as const;

/** Columns of a request without an order at a CA. */
export const noOrder = { orderState: null, orderUrl: null } as const;

/**
 * Ends the tries of renewals by providers with orders whose worker is silent, and leaves their orders to the next requests.
 * Those of deleted FQDNs are left to the job that asks CAs again.
 */
export async function endLapsedTries(tx: Tx, now: Date): Promise<void> {
  const lapsed = `cause = 'renewal' and is_order and state = 'running' and lease_until <= $1
    and exists (select 1 from fqdns where fqdns.id = issuances.fqdn_id)`;
  await executeSql(tx, `delete from issuances where ${lapsed} and order_state is null`, [now]);
  const ended = "state = 'failed', attempt = attempt + 1, lease_until = null, finished_at = $1";
  await executeSql(tx, `update issuances set ${ended} where ${lapsed}`, [now]);
}

/**
 * Takes over the order that the last request for the same CSR by the same provider has left, whatever its cause; it is that
 * of no other request then. Nothing if there is none.
 */
export async function takeOrderLeft(
  tx: Tx,
  { fqdnId, csrId, providerId }: Pick<IssuanceRow, 'fqdnId' | 'csrId' | 'providerId'>,
): Promise<Pick<IssuanceRow, 'orderState' | 'orderUrl'>> {
  const text = `select * from issuances where fqdn_id = $1 and csr_id = $2 and provider_id = $3
      and state in ('unknown', 'failed') and order_state is not null
    order by finished_at desc, id desc limit 1`;
  const [last] = await querySql(tx, issuances.columns, text, [fqdnId, csrId, providerId]);
  if (last === undefined) return noOrder;
  const { id, attempt, cause, orderState, orderUrl } = last;
  // a worker that asks the CA again has lost it, and of two that find it at the same moment one has it
  const change = { ...noOrder, state: 'failed', attempt: attempt + 1, nextAt: null } as const;
  const taken = await (cause === 'renewal'
    ? deleteRows(tx, issuances, { id, attempt })
    : updateRows(tx, issuances, { id, attempt }, change));
  return taken === 1 ? { orderState, orderUrl } : noOrder;
}

/** Changes an issuance that is still in the hands of the worker, and has the CSR, if one is named; false when it is not. */
export async function updateIssuance(
  tx: Tx,
  { id, attempt, state }: Pick<IssuanceRow, 'id' | 'attempt' | 'state'>,
  change: Partial<IssuanceRow>,
  csrId?: string,
): Promise<boolean> {
  const where = { id, attempt, state, ...(csrId !== undefined && { csrId }) };
  return (await updateRows(tx, issuances, where, change)) === 1;
}

/** Deletes issuances that have ended, unless another worker has claimed them; returns how many it deleted. */
export async function deleteIssuances(
  tx: Tx,
  ended: readonly Pick<IssuanceRow, 'id' | 'attempt'>[],
): Promise<number> {
  let count = 0;
  for (const attempt of new Set(ended.map((one) => one.attempt))) {
    const ids = ended.filter((one) => one.attempt === attempt).map(({ id }) => id);
    count += await deleteRows(tx, issuances, { id: In(ids), attempt });
  }
  return count;
}

/** Deletes issuances that have ended, whichever worker has claimed them; returns how many it deleted. */
export function deleteIssuancesById(tx: Tx, ids: readonly string[]): Promise<number> {
  return deleteRows(tx, issuances, { id: In([...ids]) });
}
