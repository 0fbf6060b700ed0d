import type { Tx } from '@certloop/db';
import { OrderAbandoned } from '../../acme/orders/order-steps.js';
import { recordAudit } from '../../audit/audit.service.js';
import type { AuditEntry } from '../../audit/audit-entry.js';
import type { CertificateRow } from '../../certificates/certificates.repository.js';
import type { CertificateEvents } from '../../certificates/store-certificates.service.js';
import type { ProviderOpener } from '../../providers/open-provider.service.js';
import type { OrderState } from '../../providers/provider.js';
import type { createObstacleCheck } from '../signing/find-obstacles.service.js';
import { extendLease, type IssuanceLeaseDeps } from '../signing/issuance-lease.service.js';
import { findIssuance, type IssuanceRow, updateIssuance } from '../signing/issuances.repository.js';
import type { IssuedFor } from '../signing/store-issued.service.js';
import { callerOfJob } from './job-audit.js';
import type { StepReports } from './request-plan.js';

export interface RunDeps extends IssuanceLeaseDeps {
  readonly opener: ProviderOpener;
  /** Rejects if the policy, the key or the provider forbids what is about to be sent to the CA. */
  readonly check: ReturnType<typeof createObstacleCheck>;
  readonly emit: CertificateEvents & IssuanceEvents;
  /** Stores the certificate of a job and ends it, all or nothing. */
  readonly storeCompleted: (completed: CompletedJob) => Promise<CertificateRow>;
  /** Aborted when the service stops; aborted calls then reject with its reason. */
  readonly stopping: AbortSignal;
}

/** Events of requests for certificates; `changes/reactions.service.ts` lists what follows each of them. */
export interface IssuanceEvents {
  /** A request for a certificate of the FQDN failed; renewals have an event of their own. */
  issuanceFailed(
    tx: Tx,
    event: { readonly fqdn: { readonly id: string }; readonly reason: string },
  ): Promise<void>;
}

/** What a job stores, and its worker. */
export interface CompletedJob extends IssuedFor {
  readonly worker: IssuanceWorker;
}

/** Another worker has claimed the job, or it was deleted. */
export class JobLost extends Error {
  override readonly name = 'JobLost';
}

/** A claimed job in the hands of this process. */
export interface IssuanceWorker {
  readonly deps: RunDeps;
  readonly job: IssuanceRow;
  steps: StepReports;
  orderState: OrderState | null;
}

/** Extends the lease of the job each third of its length, until it is released. */
export function createWorker(
  deps: RunDeps,
  job: IssuanceRow,
): IssuanceWorker & { readonly release: () => void } {
  const { steps, orderState } = job;
  return { deps, job, steps, orderState, release: extendLease(deps, job) };
}

/** Changes the job, with an audit entry if one is given. Throws JobLost and OrderAbandoned. */
export async function writeJob(
  { deps, job }: IssuanceWorker,
  change: Partial<IssuanceRow>,
  entry?: AuditEntry,
): Promise<void> {
  const isMine = await deps.db.transaction(async (tx) => {
    if (await updateIssuance(tx, job, change)) {
      if (entry !== undefined) await recordAudit(tx, callerOfJob(job), entry, deps.clock.now());
      return true;
    }
    const left = await findIssuance(tx, job.id);
    // the FQDN was deleted, and the job with it
    if (left === undefined) throw new OrderAbandoned();
    // only a cancellation ends a job without taking it from its worker
    if (left.attempt === job.attempt && left.state === 'failed')
      throw new OrderAbandoned('the request was cancelled');
    return false;
  });
  if (!isMine) throw new JobLost();
}
