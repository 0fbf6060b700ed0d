import { type ListPage, type ListWindow, readListPage, type Tx } from '@certloop/db';
import { type IssuanceJobRow, issuanceJobs, type JobStatus } from './issuance-jobs.repository.js';

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
