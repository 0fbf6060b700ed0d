import type { Database, Tx } from '@certloop/db';
import type { Clock } from '@certloop/server';
import { isCsrSent } from '../../acme/orders/order-record.js';
import { recordAudit } from '../../audit/audit.service.js';
import { listFqdnsById } from '../../fqdns/fqdns.repository.js';
import type { ProviderOpener } from '../../providers/open-provider.service.js';
import type { OrderState, SignRefusal } from '../../providers/provider.js';
import { listProvidersById } from '../../providers/providers.repository.js';
import { findDropped, notAccepted, perhapsLost } from '../signing/lost-certificate.service.js';
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
  { isPermanent, mayHaveIssued, notBefore }: SignRefusal,
  { now, leaseMs }: { readonly now: Date; readonly leaseMs: number },
): Date | null {
  if (!isCsrSent(orderState) && mayHaveIssued !== true) return null;
  if (isPermanent === true || job.attempt >= lastAttempt) return null;
  const pauseMs = leaseMs * 2 ** (Math.min(job.attempt, maxAttempts) - 1);
  return new Date(Math.max(now.getTime() + pauseMs, notBefore?.getTime() ?? 0));
}

/** Writes an audit entry of the certificate that a CA may have issued for a job that is not continued any more. */
export async function recordGivenUp(
  tx: Tx,
  { job, orderState }: UnfinishedJob,
  { reason, issued }: { readonly reason: string; readonly issued: FoundIssued },
  now: Date,
): Promise<void> {
  if (!isCsrSent(orderState)) return;
  const [fqdn] = await listFqdnsById(tx, [job.fqdnId]);
  if (fqdn === undefined) return;
  const { id: jobId, csrId, providerId } = job;
  const [provider] = issued === undefined ? [] : await listProvidersById(tx, [providerId]);
  const entry =
    issued === undefined || provider === undefined
      ? perhapsLost(fqdn, { jobId, csrId, providerId }, reason)
      : notAccepted(fqdn, provider, { ...issued, reason });
  await recordAudit(tx, callerOfJob(job), entry, now);
}

/** Asks the CA once what the order of a job led to, if the job is not continued. */
export async function findGivenUp(
  { db, opener, clock, leaseMs }: GivingUp,
  { job, orderState }: UnfinishedJob,
  refusal: SignRefusal,
): Promise<FoundIssued> {
  if (nextTryOf({ job, orderState }, refusal, { now: clock.now(), leaseMs }) !== null) return undefined;
  const [provider] = await db.read((tx) => listProvidersById(tx, [job.providerId]));
  return provider && findDropped(opener, provider, orderState);
}

type FoundIssued = Awaited<ReturnType<typeof findDropped>>;

interface GivingUp {
  readonly db: Database;
  readonly opener: ProviderOpener;
  readonly clock: Clock;
  readonly leaseMs: number;
}
