import { capabilitiesOf, claimDue, findRows, querySql, type Tx, updateRows } from '@certloop/db';
import { In, IsNull, LessThanOrEqual } from 'typeorm';
import { findProviderUsers, type ProviderUsers } from '../../providers/provider-users.repository.js';
import { type IssuanceJobRow, isOpen, issuanceJobs, updateJob } from './issuance-jobs.repository.js';
import { withoutFailure } from './request-plan.js';

/** The job of an FQDN that has not come to its end. */
export async function findOpenJob(tx: Tx, fqdnId: string): Promise<IssuanceJobRow | undefined> {
  const text = `select * from issuance_jobs where fqdn_id = $1 and ${isOpen}`;
  return (await querySql(tx, issuanceJobs.columns, text, [fqdnId]))[0];
}

/** Those of the FQDNs that have a job which runs; at least one is asked for. */
export async function listFqdnsBeingRequested(tx: Tx, fqdnIds: readonly string[]): Promise<string[]> {
  const rows = await findRows(tx, issuanceJobs, { fqdnId: fqdnIds, status: 'running' });
  return rows.map(({ fqdnId }) => fqdnId);
}

/** Jobs by a provider that have not come to their end. */
export function findOpenJobsOfProvider(tx: Tx, providerId: string): Promise<ProviderUsers> {
  const condition = `provider_id = $1 and ${isOpen}`;
  return findProviderUsers(tx, { table: 'issuance_jobs', fqdnId: 'fqdn_id', condition }, [providerId]);
}

/** Whether a job other than the one named holds the ACME order of the address, or has left it to the next one. */
export async function hasJobWithOrder(tx: Tx, url: string, exceptId: string): Promise<boolean> {
  const text = `select 1 from issuance_jobs
    where id <> $2 and order_state is not null and order_state ->> 'url' = $1 limit 1`;
  return (await querySql(tx, {}, text, [url, exceptId])).length > 0;
}

/** Extends the leases of jobs that are still in the hands of their workers. */
export async function extendJobs(
  tx: Tx,
  jobs: readonly Pick<IssuanceJobRow, 'id' | 'attempt'>[],
  leaseUntil: Date,
): Promise<void> {
  for (const attempt of new Set(jobs.map((job) => job.attempt))) {
    const ids = jobs.filter((job) => job.attempt === attempt).map(({ id }) => id);
    // in parts, as a statement takes a bounded number of values
    for (let start = 0; start < ids.length; start += 500) {
      const where = { id: In(ids.slice(start, start + 500)), attempt, status: 'running' as const };
      await updateRows(tx, issuanceJobs, where, { leaseUntil });
    }
  }
}

/** Takes up a running job that no one works on: exactly one worker gets it. */
export function claimJob(tx: Tx, now: Date, leaseUntil: Date): Promise<IssuanceJobRow | undefined> {
  return claimDue(tx, {
    table: issuanceJobs,
    where: [
      { status: 'running', leaseUntil: LessThanOrEqual(now) },
      { status: 'running', leaseUntil: IsNull() },
    ],
    order: { createdAt: 'ASC' },
    set: ({ attempt }) => ({ leaseUntil, attempt: attempt + 1 }),
  });
}

/**
 * Takes up a failed job that is to be continued, as its CA may have issued a certificate: it runs again, unless its FQDN has
 * an open job. Throws a unique violation if one is begun at the same time.
 */
export async function claimFailedJob(
  tx: Tx,
  now: Date,
  leaseUntil: Date,
): Promise<IssuanceJobRow | undefined> {
  const lock = capabilitiesOf(tx).hasConcurrentWriters ? 'for update of f skip locked' : '';
  const text = `select f.* from issuance_jobs f where f.status = 'failed' and f.lease_until <= $1
    and not exists (select 1 from issuance_jobs o where o.fqdn_id = f.fqdn_id and o.${isOpen})
    order by f.lease_until limit 1 ${lock}`;
  const [job] = await querySql<IssuanceJobRow>(tx, issuanceJobs.columns, text, [now]);
  if (job === undefined) return undefined;
  const taken: Partial<IssuanceJobRow> = {
    status: 'running',
    leaseUntil,
    attempt: job.attempt + 1,
    steps: withoutFailure(job.steps),
    message: 'in progress',
  };
  return (await updateJob(tx, job, taken)) ? { ...job, ...taken } : undefined;
}
