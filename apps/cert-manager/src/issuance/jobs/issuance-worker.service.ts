import type { Database, Tx } from '@certloop/db';
import { type Clock, type Logger, oneAtATime } from '@certloop/server';
import { OrderAbandoned } from '../../acme/orders/order-steps.js';
import { recordAudit } from '../../audit/audit.service.js';
import type { AuditEntry } from '../../audit/audit-entry.js';
import type { OnCertificatesStored } from '../../certificates/store-certificates.service.js';
import type { ProviderOpener } from '../../providers/open-provider.service.js';
import type { OrderState } from '../../providers/provider.js';
import { findJob, type IssuanceJobRow, updateJob } from './issuance-jobs.repository.js';
import { callerOfJob } from './job-audit.js';
import type { StepReports } from './request-plan.js';

export interface RunDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly opener: ProviderOpener;
  readonly onCertificatesStored: OnCertificatesStored;
  /** Notifies the watch of the FQDN that no certificate was issued, in the transaction that ends the job. */
  readonly onRequestFailed?: (tx: Tx, fqdnId: string, reason: string) => Promise<void>;
  /** Whether a renewal holds the ACME order of the address. */
  readonly isOrderOfRenewal: (tx: Tx, url: string) => Promise<boolean>;
  /** If a worker does not extend its lease for this long, another one may claim its job. */
  readonly leaseMs: number;
  /** Aborted when the service stops; aborted calls then reject with its reason. */
  readonly stopping: AbortSignal;
}

/** Another worker has claimed the job, or it was deleted. */
export class JobLost extends Error {
  override readonly name = 'JobLost';
}

/** A claimed job in the hands of this process. */
export interface IssuanceWorker {
  readonly deps: RunDeps;
  readonly job: IssuanceJobRow;
  steps: StepReports;
  orderState: OrderState | null;
}

/** Extends the lease of the job each third of its length, until it is released. */
export function createWorker(
  deps: RunDeps,
  job: IssuanceJobRow,
): IssuanceWorker & { readonly release: () => void } {
  // one after the other: a late one would shorten the lease
  const extend = oneAtATime(async () => {
    const leaseUntil = new Date(deps.clock.now().getTime() + deps.leaseMs);
    await deps.db.transaction((tx) => updateJob(tx, job, { leaseUntil }));
  });
  const timer = setInterval(() => {
    extend
      .run()
      .catch((error: unknown) => deps.logger.warn({ jobId: job.id, error }, 'issuance.lease_not_extended'));
  }, deps.leaseMs / 3);
  timer.unref();
  const { steps, orderState } = job;
  return { deps, job, steps, orderState, release: () => clearInterval(timer) };
}

/** Changes the job, with an audit entry if one is given. Throws JobLost and OrderAbandoned. */
export async function writeJob(
  { deps, job }: IssuanceWorker,
  change: Partial<IssuanceJobRow>,
  entry?: AuditEntry,
): Promise<void> {
  const isMine = await deps.db.transaction(async (tx) => {
    if (await updateJob(tx, job, change)) {
      if (entry !== undefined) await recordAudit(tx, callerOfJob(job), entry, deps.clock.now());
      return true;
    }
    // the FQDN was deleted, and the job with it
    if ((await findJob(tx, job.id)) === undefined) throw new OrderAbandoned();
    return false;
  });
  if (!isMine) throw new JobLost();
}
