import { claimDueBatch, column, defineTable, deleteRows, type Tx } from '@certloop/db';
import { In, LessThanOrEqual } from 'typeorm';
import type { JobCaller } from '../jobs/job-audit.js';

/**
 * A renewal or a call of csr/sign of an earlier version, by a CA that issues at once. The row refers to nothing, so that it
 * outlives what it names.
 */
interface SigningRequestRow {
  readonly id: string;
  readonly spaceId: string;
  readonly fqdnId: string;
  readonly fqdn: string;
  readonly csrId: string;
  /** Fingerprint of the CSR's key, hex. */
  readonly spkiSha256: string;
  readonly providerId: string;
  /** Idempotency key with which the CA was asked. */
  readonly idempotencyKey: string;
  readonly caller: JobCaller;
  /** How often another process has asked again. */
  readonly attempt: number;
  /** From then on the process that asked counts as dead. */
  readonly leaseUntil: Date;
  readonly createdAt: Date;
}

// the database has named the column so since its first version
type StoredRequest = Omit<SigningRequestRow, 'idempotencyKey'> & { readonly wish: string };

export const signingRequests = defineTable<StoredRequest>('signing_requests', {
  columns: {
    id: column.uuid().primary(),
    spaceId: column.uuid(),
    fqdnId: column.uuid(),
    fqdn: column.text(),
    csrId: column.uuid(),
    spkiSha256: column.text(),
    providerId: column.uuid(),
    wish: column.text(),
    caller: column.json<JobCaller>(),
    attempt: column.integer(),
    leaseUntil: column.instant(),
    createdAt: column.instant(),
  },
  indexes: [{ columns: ['leaseUntil'] }],
});

/** Deletes what has ended or is in the table of issuances now. */
export async function deleteSigningRequests(tx: Tx, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await deleteRows(tx, signingRequests, { id: In([...ids]) });
}

/** Claims requests whose process counts as dead, at most `limit`: exactly one worker gets each. */
export async function claimLapsedRequests(tx: Tx, now: Date, limit: number): Promise<SigningRequestRow[]> {
  const claimed = await claimDueBatch<StoredRequest>(tx, {
    table: signingRequests,
    where: { leaseUntil: LessThanOrEqual(now) },
    order: { leaseUntil: 'ASC' },
    limit,
    set: { leaseUntil: now },
  });
  return claimed.map(({ wish: idempotencyKey, ...row }) => ({ ...row, idempotencyKey }));
}
