import type { RevocationReasonName } from '@certloop/contracts';
import {
  claimDueBatch,
  column,
  defineTable,
  deleteRows,
  findRow,
  insertMany,
  querySql,
  type RowOf,
  type Tx,
  updateRows,
} from '@certloop/db';
import { LessThanOrEqual } from 'typeorm';
import type { JobCaller } from '../issuance/jobs/job-audit.js';
import { findProviderUsers, maxNamed, type ProviderUsers } from '../providers/provider-users.repository.js';

export const pendingRevocations = defineTable('pending_revocations', {
  columns: {
    /** The certificate's. */
    id: column.uuid().primary(),
    fqdnId: column.uuid(),
    spaceId: column.uuid(),
    fqdn: column.word(253),
    providerId: column.uuid(),
    pem: column.text(),
    serialNumber: column.text(),
    spkiSha256: column.word(64),
    expiresAt: column.instant(),
    reason: column.word<RevocationReasonName>(32),
    /** Who asked for it last. */
    caller: column.json<JobCaller>(),
    askedAt: column.instant(),
    /** How often the CA did not answer. */
    attempts: column.integer(),
    /** When the service itself asks the CA. */
    dueAt: column.instant(),
  },
  // no references: an FQDN that is deleted takes no revocation with it
  indexes: [{ columns: ['dueAt', 'id'] }],
});

/** A revocation that a CA is asked for and that is not settled yet. It outlives the certificate that it is about. */
export type PendingRevocationRow = RowOf<typeof pendingRevocations>;

/** Stores a revocation of a certificate whose FQDN is locked; whether one was pending before, which it replaces. */
export async function storePendingRevocation(tx: Tx, row: PendingRevocationRow): Promise<boolean> {
  const { id, reason, caller, dueAt } = row;
  if ((await findRow(tx, pendingRevocations, { id })) === undefined) {
    await insertMany(tx, pendingRevocations, [row]);
    return false;
  }
  await updateRows(tx, pendingRevocations, { id }, { reason, caller, dueAt });
  return true;
}

/** Revocations that a provider's CA has not settled. */
export async function findRevocationsOfProvider(tx: Tx, providerId: string): Promise<ProviderUsers> {
  const from = { table: 'pending_revocations', fqdnId: 'fqdn_id', condition: 'provider_id = $1' };
  const { count } = await findProviderUsers(tx, from, [providerId]);
  // by the names that they have themselves, as their FQDNs may be gone
  const text = `select fqdn from pending_revocations where provider_id = $1 order by id limit ${maxNamed}`;
  const named = await querySql(tx, { fqdn: pendingRevocations.columns.fqdn }, text, [providerId]);
  return { count, fqdnIds: [], names: named.map(({ fqdn }) => fqdn) };
}

/** Takes revocations that are due, the earliest first, until `until`. */
export function claimPendingRevocations(
  tx: Tx,
  { now, until, limit }: { readonly now: Date; readonly until: Date; readonly limit: number },
): Promise<PendingRevocationRow[]> {
  return claimDueBatch(tx, {
    table: pendingRevocations,
    where: { dueAt: LessThanOrEqual(now) },
    order: { dueAt: 'ASC', id: 'ASC' },
    limit,
    set: { dueAt: until },
  });
}

/** Puts off a revocation whose CA did not answer. */
export async function postponeRevocation(
  tx: Tx,
  { id, attempts }: Pick<PendingRevocationRow, 'id' | 'attempts'>,
  dueAt: Date,
): Promise<void> {
  await updateRows(tx, pendingRevocations, { id }, { attempts, dueAt });
}

export async function deletePendingRevocation(tx: Tx, id: string): Promise<void> {
  await deleteRows(tx, pendingRevocations, { id });
}
