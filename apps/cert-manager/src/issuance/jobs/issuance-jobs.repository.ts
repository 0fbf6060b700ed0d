import {
  column,
  defineTable,
  executeSql,
  findRow,
  insertMany,
  type ListPage,
  type ListWindow,
  readListPage,
  type Tx,
  updateRows,
} from '@certloop/db';
import type { OrderState } from '../../providers/provider.js';
import type { JobCaller } from './job-audit.js';
import type { StepReports } from './request-plan.js';

/** `waiting` for someone to publish a proof; `running` is someone's as long as the lease lasts. */
export const jobStatuses = ['running', 'waiting', 'completed', 'failed'] as const;

export type JobStatus = (typeof jobStatuses)[number];

/** One request for a certificate, from the question to its end. */
export interface IssuanceJobRow {
  readonly id: string;
  readonly fqdnId: string;
  readonly spaceId: string;
  readonly csrId: string;
  readonly providerId: string;
  /** What was called: request-certificate, or csr/sign. */
  readonly kind: 'request' | 'sign';
  readonly status: JobStatus;
  readonly caller: JobCaller;
  readonly steps: StepReports;
  /** What the provider keeps of the order. */
  readonly orderState: OrderState | null;
  /** A user reported that they have published what the order waits for. */
  readonly isConfirmed: boolean;
  /** The valid certificate whose place the new one takes. */
  readonly replacesId: string | null;
  readonly certificateId: string | null;
  /** A sentence for people. */
  readonly message: string;
  /** How often a worker has claimed it. Each write names this number, so that a former worker cannot write. */
  readonly attempt: number;
  /** Of a failed job: when its order is continued, as its CA may have issued a certificate; null if it is not. */
  readonly leaseUntil: Date | null;
  readonly createdAt: Date;
  /** When it ended; of one that failed and is continued, when it failed first. */
  readonly finishedAt: Date | null;
}

export const isOpen = "status in ('running', 'waiting')";

export const issuanceJobs = defineTable<IssuanceJobRow>('issuance_jobs', {
  columns: {
    id: column.uuid().primary(),
    fqdnId: column.uuid(),
    spaceId: column.uuid(),
    csrId: column.uuid(),
    providerId: column.uuid(),
    kind: column.word<IssuanceJobRow['kind']>(16),
    status: column.word<JobStatus>(16),
    caller: column.json<JobCaller>(),
    steps: column.json<StepReports>(),
    orderState: column.json<OrderState>().nullable(),
    isConfirmed: column.boolean(),
    replacesId: column.uuid().nullable(),
    certificateId: column.uuid().nullable(),
    message: column.text(),
    attempt: column.integer(),
    leaseUntil: column.instant().nullable(),
    createdAt: column.instant(),
    finishedAt: column.instant().nullable(),
  },
  indexes: [
    // one request for each FQDN
    {
      name: 'uq_issuance_jobs_open',
      columns: ['fqdnId'],
      unique: true,
      where: isOpen,
    },
    { columns: ['fqdnId', 'createdAt', 'id'] },
    { columns: ['spaceId', 'createdAt', 'id'] },
    { columns: ['status', 'leaseUntil'] },
    { columns: ['finishedAt'] },
  ],
  references: [{ columns: ['fqdnId'], table: 'fqdns', onDelete: 'CASCADE' }],
});

/** The database refuses a second open job of an FQDN. */
export function insertJob(tx: Tx, row: IssuanceJobRow): Promise<void> {
  return insertMany(tx, issuanceJobs, [row]);
}

export async function findJob(tx: Tx, id: string): Promise<IssuanceJobRow | undefined> {
  return findRow(tx, issuanceJobs, { id });
}

/** The job of an FQDN that was made last. */
export async function findLatestJob(tx: Tx, fqdnId: string): Promise<IssuanceJobRow | undefined> {
  const [row] = await tx.find(issuanceJobs, {
    where: { fqdnId },
    order: { createdAt: 'DESC', id: 'DESC' },
    take: 1,
  });
  return row;
}

/** Id of the job that brought a certificate, as long as the job is stored. */
export async function findJobIdOfCertificate(
  tx: Tx,
  { id, fqdnId }: { readonly id: string; readonly fqdnId: string },
): Promise<string | undefined> {
  return (await findRow(tx, issuanceJobs, { fqdnId, certificateId: id }))?.id;
}

/** Changes a job that is still in the hands of the worker, or waiting; false when it is not. */
export async function updateJob(
  tx: Tx,
  { id, attempt, status }: Pick<IssuanceJobRow, 'id' | 'attempt' | 'status'>,
  change: Partial<IssuanceJobRow>,
): Promise<boolean> {
  return (await updateRows(tx, issuanceJobs, { id, attempt, status }, change)) === 1;
}

/** Deletes at most 1000 ended jobs that are older than `before`; how many there were. */
export function deleteOldJobs(tx: Tx, before: Date): Promise<number> {
  return executeSql(
    tx,
    'delete from issuance_jobs where id in (select id from issuance_jobs where finished_at < $1 limit 1000)',
    [before],
  );
}

/** A job as lists read it. */
export type ListedJob = Omit<IssuanceJobRow, 'orderState'>;

export interface JobFilter {
  readonly fqdnId?: string | undefined;
  readonly spaceId?: string | undefined;
  readonly status?: JobStatus | undefined;
}

/** One page of the jobs that match, the newest first. */
export function readJobPage(
  tx: Tx,
  { fqdnId, spaceId, status }: JobFilter,
  window: ListWindow,
): Promise<ListPage<ListedJob>> {
  const { orderState, ...columns } = issuanceJobs.columns;
  const table = { name: issuanceJobs.name, columns };
  const where = {
    ...(fqdnId !== undefined && { fqdn_id: [fqdnId] }),
    ...(spaceId !== undefined && { space_id: [spaceId] }),
    ...(status !== undefined && { status: [status] }),
  };
  return readListPage<ListedJob>(tx, { table, by: 'createdAt', isNewestFirst: true, where }, window);
}
