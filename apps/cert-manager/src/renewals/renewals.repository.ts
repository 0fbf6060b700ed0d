import type { RenewalStatus } from '@certloop/contracts';
import {
  column,
  defineTable,
  deleteRows,
  findRow,
  insertMany,
  lockForUpdate,
  placeholders,
  querySql,
  type RowOf,
  type Tx,
  updateRows,
} from '@certloop/db';
import { In } from 'typeorm';
import { isContinued } from '../issuance/signing/issuance-state.js';
import { type IssuanceRow, listIssuances } from '../issuance/signing/issuances.repository.js';
import { findProviderUsers, type ProviderUsers } from '../providers/provider-users.repository.js';

export const isOpen = "status in ('pending', 'processing')";

export const renewalQueue = defineTable('renewal_queue', {
  columns: {
    id: column.uuid().primary(),
    fqdnId: column.uuid(),
    /** Space of the FQDN, which never changes; here so that a list needs no more than its index. */
    spaceId: column.uuid(),
    /** The certificate that is to be renewed. */
    certificateId: column.uuid(),
    /** Whom to ask for the new one, as far as is known when it is queued. */
    providerId: column.uuid(),
    status: column.word<RenewalStatus>(16),
    scheduledAt: column.instant(),
    createdAt: column.instant(),
    isTest: column.boolean(),
    attempt: column.integer(),
    leaseOwner: column.word(64).nullable(),
    leaseUntil: column.instant().nullable(),
    /** The failed entry that this one tries again. */
    retryOf: column.uuid().nullable(),
    reason: column.text().nullable(),
    finishedAt: column.instant().nullable(),
    /** In place of that id, as processes of the version before store it. */
    journal: column.json<{ readonly requestId?: string }>().nullable(),
    /** When to ask the CA when it wants the certificate renewed; null where there is no one to ask. */
    adviceDueAt: column.instant().nullable(),
    /** Its advice (RFC 9773 §4.2). */
    windowStart: column.instant().nullable(),
    windowEnd: column.instant().nullable(),
    explanationUrl: column.text().nullable(),
    /** The issuance by which its CA was asked, in this try or the one before; null if there is nothing to continue. */
    issuanceId: column.uuid().nullable(),
  },
  indexes: [
    // one planned renewal for each FQDN, and one under way, planned or test
    {
      name: 'uq_renewal_queue_open',
      columns: ['fqdnId'],
      unique: true,
      where: `is_test = false and ${isOpen}`,
    },
    {
      name: 'uq_renewal_queue_processing',
      columns: ['fqdnId'],
      unique: true,
      where: "status = 'processing'",
    },
    // what is due, by whom it is asked from
    { columns: ['status', 'providerId', 'scheduledAt', 'id'] },
    // what keeps failing
    {
      name: 'ix_renewal_queue_troubled',
      columns: ['status', 'attempt'],
      where: "status = 'pending' and attempt > 3",
    },
    // whose CA is to be asked
    { columns: ['adviceDueAt'], where: 'advice_due_at is not null' },
    { columns: ['fqdnId', 'status', 'createdAt', 'id'] },
    // lists
    { columns: ['scheduledAt', 'id'] },
    { columns: ['status', 'scheduledAt', 'id'] },
    { columns: ['spaceId', 'scheduledAt', 'id'] },
    { columns: ['spaceId', 'status', 'scheduledAt', 'id'] },
  ],
  references: [{ columns: ['fqdnId'], table: 'fqdns', onDelete: 'CASCADE' }],
});

/** An entry of the renewal queue. */
export type RenewalRow = RowOf<typeof renewalQueue>;

/** The database refuses a second open entry of an FQDN that is not a test. */
export function insertRenewal(tx: Tx, row: RenewalRow): Promise<void> {
  return insertMany(tx, renewalQueue, [row]);
}

export function insertRenewals(tx: Tx, rows: readonly RenewalRow[]): Promise<void> {
  return insertMany(tx, renewalQueue, rows);
}

/** The open entry of an FQDN that is not a test. */
export async function findOpenRenewal(tx: Tx, fqdnId: string): Promise<RenewalRow | undefined> {
  // in the words of the partial index, so that SQLite finds by it
  const text = `select * from renewal_queue where fqdn_id = $1 and is_test = false and ${isOpen}`;
  return (await querySql(tx, renewalQueue.columns, text, [fqdnId]))[0];
}

/** The open entries of the FQDNs, which no one else may change until the transaction ends; tests omitted. */
export async function lockOpenRenewals(tx: Tx, fqdnIds: readonly string[]): Promise<RenewalRow[]> {
  const status = In(['pending', 'processing'] as const);
  return lockForUpdate(tx, renewalQueue, { fqdnId: In([...fqdnIds]), status, isTest: false });
}

/** Returns the FQDNs that have an open entry which is not a test. */
export async function listFqdnsWithOpen(tx: Tx, fqdnIds: readonly string[]): Promise<string[]> {
  if (fqdnIds.length === 0) return [];
  const text = `select fqdn_id from renewal_queue
    where fqdn_id in (${placeholders(fqdnIds.length)}) and is_test = false and ${isOpen}`;
  const rows = await querySql(tx, { fqdnId: renewalQueue.columns.fqdnId }, text, fqdnIds);
  return rows.map(({ fqdnId }) => fqdnId);
}

/** Open entries that are to ask a provider, or have begun with it. */
export function findOpenRenewalsOfProvider(tx: Tx, providerId: string): Promise<ProviderUsers> {
  const asked = 'select id from issuances where provider_id = $1';
  const condition = `${isOpen} and (provider_id = $1 or issuance_id in (${asked}))`;
  return findProviderUsers(tx, { table: 'renewal_queue', fqdnId: 'fqdn_id', condition }, [providerId]);
}

/** Id of the issuance by which the CA was asked for an entry; that may have ended since, and be gone. */
export function tryIdOf({ issuanceId, journal }: RenewalRow): string | undefined {
  return issuanceId ?? journal?.requestId;
}

/** The issuance by which the CA was asked for an entry, if a further try would continue it. */
export async function findTry(tx: Tx, entry: RenewalRow): Promise<IssuanceRow | undefined> {
  return (await listTries(tx, [entry])).get(entry.id);
}

/** The issuances by which CAs were asked for entries, by the ids of these, where a further try would continue them. */
export async function listTries(
  tx: Tx,
  entries: readonly RenewalRow[],
): Promise<ReadonlyMap<string, IssuanceRow>> {
  const asked = new Map(entries.map((entry) => [tryIdOf(entry), entry.id]));
  const ids = entries.flatMap((entry) => tryIdOf(entry) ?? []);
  const tries = (await listIssuances(tx, ids)).filter(isContinued);
  return new Map(tries.map((issuance) => [asked.get(issuance.id) ?? '', issuance]));
}

export async function findRenewal(tx: Tx, id: string): Promise<RenewalRow | undefined> {
  return findRow(tx, renewalQueue, { id });
}

/** Changes an entry that still has the status, the try and the worker given; false when it does not. */
export async function updateRenewal(
  tx: Tx,
  { id, status, attempt, leaseOwner }: Pick<RenewalRow, 'id' | 'status' | 'attempt' | 'leaseOwner'>,
  change: Partial<RenewalRow>,
): Promise<boolean> {
  const where = { id, status, attempt, ...ownedBy(leaseOwner) };
  return (await updateRows(tx, renewalQueue, where, change)) === 1;
}

/** Changes those of the entries that this worker still processes in the try given; how many. */
export function updateRenewals(
  tx: Tx,
  {
    ids,
    attempt,
    leaseOwner,
  }: Pick<RenewalRow, 'attempt' | 'leaseOwner'> & { readonly ids: readonly string[] },
  change: Partial<RenewalRow>,
): Promise<number> {
  const where = { id: In([...ids]), status: 'processing' as const, attempt, ...ownedBy(leaseOwner) };
  return updateRows(tx, renewalQueue, where, change);
}

/** Only an entry that is being processed has an owner, so the status suffices for the others. */
function ownedBy(leaseOwner: string | null): { readonly leaseOwner?: string } {
  return leaseOwner === null ? {} : { leaseOwner };
}

/** Removes an entry that no one has begun; false when someone has. */
export async function deletePendingRenewal(tx: Tx, id: string): Promise<boolean> {
  return (await deleteRows(tx, renewalQueue, { id, status: 'pending' })) === 1;
}

/** Removes entries that are locked. */
export async function deleteLockedRenewals(tx: Tx, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await deleteRows(tx, renewalQueue, { id: In([...ids]) });
}

/** Removes the planned renewals of all FQDNs, those under way excepted; how many there were. */
export function deletePlannedRenewals(tx: Tx): Promise<number> {
  return deleteRows(tx, renewalQueue, { isTest: false, status: 'pending' });
}
