import { claimDue, column, defineTable, deleteRows, insertMany, type Tx } from '@certloop/db';
import { In, LessThanOrEqual } from 'typeorm';
import type { JobCaller } from '../jobs/job-audit.js';

/**
 * A call of csr/sign, or a renewal, whose CA is asked for a certificate and issues it at once. The row goes with the
 * transaction that stores the certificate or records the CA's refusal. It refers to nothing, so that it outlives what it
 * names.
 */
export interface SigningRequestRow {
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

export function insertSigningRequests(tx: Tx, rows: readonly SigningRequestRow[]): Promise<void> {
  const stored = rows.map(({ idempotencyKey: wish, ...row }) => ({ ...row, wish }));
  return insertMany(tx, signingRequests, stored);
}

/** Deletes what has ended. */
export async function deleteSigningRequests(tx: Tx, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await deleteRows(tx, signingRequests, { id: In([...ids]) });
}

/** Takes over a request whose process counts as dead: exactly one worker gets it. */
export async function claimSigningRequest(
  tx: Tx,
  now: Date,
  leaseAfter: (attempt: number) => Date,
): Promise<SigningRequestRow | undefined> {
  const claimed = await claimDue(tx, {
    table: signingRequests,
    where: { leaseUntil: LessThanOrEqual(now) },
    order: { leaseUntil: 'ASC' },
    set: ({ attempt }) => ({ attempt: attempt + 1, leaseUntil: leaseAfter(attempt + 1) }),
  });
  if (claimed === undefined) return undefined;
  const { wish: idempotencyKey, ...row } = claimed;
  return { ...row, idempotencyKey };
}
