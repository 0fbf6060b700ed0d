import type { Tx } from '@certloop/db';
import { isCsrSent } from '../../acme/orders/order-record.js';
import { recordAudit } from '../../audit/audit.service.js';
import { listFqdnsById } from '../../fqdns/fqdns.repository.js';
import type { OrderState, SignRefusal } from '../../providers/provider.js';
import { perhapsLost } from '../signing/lost-certificate.service.js';
import type { IssuanceJobRow } from './issuance-jobs.repository.js';
import { callerOfJob } from './job-audit.js';

// a running job blocks other requests for its FQDN, so one that crashes its workers fails after this many attempts
const maxAttempts = 10;

// a failed job whose CSR was sent is continued in the background up to this attempt, almost four days after the first
const lastAttempt = 20;

export const newerCsr = 'another CSR was uploaded, or this one deleted';

/** Whether a claimed job ends as failed, as its workers did not get to its end. */
export function isInterruptedOften({ attempt, finishedAt }: IssuanceJobRow): boolean {
  return attempt > (finishedAt === null ? maxAttempts : lastAttempt);
}

/** A claimed job, and what is stored of its order by now. */
interface UnfinishedJob {
  readonly job: IssuanceJobRow;
  readonly orderState: OrderState | null;
}

/**
 * When a failed job is continued, after pauses that double; null if it is not continued. Its CA has the CSR and may have
 * issued a certificate. Only this order leads to that certificate, and a further request may never come.
 */
export function nextTryOf(
  { job, orderState }: UnfinishedJob,
  { isPermanent, notBefore }: SignRefusal,
  { now, leaseMs }: { readonly now: Date; readonly leaseMs: number },
): Date | null {
  if (!isCsrSent(orderState) || isPermanent === true || job.attempt >= lastAttempt) return null;
  const pauseMs = leaseMs * 2 ** (Math.min(job.attempt, maxAttempts) - 1);
  return new Date(Math.max(now.getTime() + pauseMs, notBefore?.getTime() ?? 0));
}

/** Writes an audit entry of the certificate that a CA may have issued for a job that is not continued any more. */
export async function recordGivenUp(
  tx: Tx,
  { job, orderState }: UnfinishedJob,
  reason: string,
  now: Date,
): Promise<void> {
  if (!isCsrSent(orderState)) return;
  const [fqdn] = await listFqdnsById(tx, [job.fqdnId]);
  if (fqdn === undefined) return;
  const { id: jobId, csrId, providerId } = job;
  await recordAudit(tx, callerOfJob(job), perhapsLost(fqdn, { jobId, csrId, providerId }, reason), now);
}
