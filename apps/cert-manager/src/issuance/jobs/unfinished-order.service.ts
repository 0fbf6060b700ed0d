import type { Database, Tx } from '@certloop/db';
import type { Clock } from '@certloop/server';
import { isCsrSent } from '../../acme/orders/order-record.js';
import { recordAudit } from '../../audit/audit.service.js';
import type { DeletedScope } from '../../fqdns/fqdns.service.js';
import type { ProviderOpener } from '../../providers/open-provider.service.js';
import type { OrderState, SignRefusal } from '../../providers/provider.js';
import { listProvidersById } from '../../providers/providers.repository.js';
import { changeOf, type IssuanceState, type LeaseTerms } from '../signing/issuance-state.js';
import type { IssuanceRow } from '../signing/issuances.repository.js';
import { findDropped, notAccepted, perhapsLost } from '../signing/lost-certificate.service.js';
import { deleteJobsOf } from './issuance-jobs.repository.js';
import { callerOfJob } from './job-audit.js';

// a running job blocks other requests for its FQDN, so one that crashes its workers fails after this many attempts
const maxAttempts = 10;

// the pauses of a failed job whose CSR was sent double up to an hour, so these are a day and a half
const maxAttemptsAfterFailure = 40;

const givenUpAfterMs = 24 * 3_600_000;

export const newerCsr = 'another CSR was uploaded, or this one deleted';

/** Whether a claimed job ends as failed, as its workers did not get to its end. */
export function isInterruptedOften({ attempt, finishedAt }: IssuanceRow): boolean {
  return attempt > (finishedAt === null ? maxAttempts : maxAttemptsAfterFailure);
}

/** Deletes the jobs of deleted FQDNs, except those whose CA may have issued: the audit log gets an entry on each of these. */
export function removeJobs(tx: Tx, { scope }: { readonly scope: DeletedScope }): Promise<void> {
  return deleteJobsOf(tx, scope, ({ orderState }) => isCsrSent(orderState));
}

/** A claimed job, and what is stored of its order by now. */
interface UnfinishedJob {
  readonly job: IssuanceRow;
  readonly orderState: OrderState | null;
}

/**
 * The change of a failed job that is continued, for a day, after pauses that double; undefined if it is not continued. Its
 * CA has the CSR and may have issued a certificate. Only this order leads to that certificate, and a further request may
 * never come.
 */
export function continuationOf(
  { job, orderState }: UnfinishedJob,
  { isPermanent, mayHaveIssued, notBefore }: SignRefusal,
  now: Date,
  terms: LeaseTerms,
): Partial<IssuanceState> | undefined {
  if (!isCsrSent(orderState) && mayHaveIssued !== true) return undefined;
  const failedForMs = now.getTime() - (job.finishedAt ?? now).getTime();
  if (isPermanent === true || failedForMs > givenUpAfterMs) return undefined;
  // the second try comes after twice the first pause
  return changeOf({ ...job, attempt: job.attempt + 1 }, { kind: 'lose', now, notBefore }, terms);
}

/** Writes an audit entry of the certificate that a CA may have issued for a job that is not continued any more. */
export async function recordGivenUp(
  tx: Tx,
  { job, orderState }: UnfinishedJob,
  { reason, issued }: { readonly reason: string; readonly issued: FoundIssued },
  now: Date,
): Promise<void> {
  if (!isCsrSent(orderState)) return;
  const { id: jobId, fqdnId, fqdn: name, spaceId, csrId, providerId } = job;
  const fqdn = { id: fqdnId, fqdn: name, spaceId };
  const [provider] = issued === undefined ? [] : await listProvidersById(tx, [providerId]);
  const entry =
    issued === undefined || provider === undefined
      ? perhapsLost(fqdn, { jobId, csrId, providerId }, reason)
      : notAccepted(fqdn, provider, { ...issued, reason });
  await recordAudit(tx, callerOfJob(job), entry, now);
}

/** Asks the CA once what the order of a job led to, if the job is not continued. */
export async function findGivenUp(
  { db, opener, clock, ...terms }: GivingUp,
  { job, orderState }: UnfinishedJob,
  refusal: SignRefusal,
): Promise<FoundIssued> {
  if (continuationOf({ job, orderState }, refusal, clock.now(), terms) !== undefined) return undefined;
  const [provider] = await db.read((tx) => listProvidersById(tx, [job.providerId]));
  return provider && findDropped(opener, provider, orderState);
}

type FoundIssued = Awaited<ReturnType<typeof findDropped>>;

interface GivingUp extends LeaseTerms {
  readonly db: Database;
  readonly opener: ProviderOpener;
  readonly clock: Clock;
}
