import { AppError, type NotFound } from '@certloop/contracts';
import type { Database, Tx } from '@certloop/db';
import { type Clock, type Logger, oneAtATime } from '@certloop/server';
import { isCsrSent } from '../../acme/orders/order-record.js';
import { isSendingCsr, OrderAbandoned } from '../../acme/orders/order-steps.js';
import { recordAudit } from '../../audit/audit.service.js';
import type { CertificateRow } from '../../certificates/certificates.repository.js';
import { findKeyRefusal, requireUncompromisedKey } from '../../certificates/compromised-keys.repository.js';
import { findLastOfProvider } from '../../certificates/newest-certificates.repository.js';
import {
  certificateFacts,
  lockSubjects,
  newCertificateOf,
  type OnCertificatesStored,
  storeCertificate,
} from '../../certificates/store-certificates.service.js';
import { type CsrRow, csrNotFound, findCsr, findLatestCsr } from '../../csrs/csrs.repository.js';
import { findRefusal, requireAllowed } from '../../csrs/judge-issuance.service.js';
import { type FqdnRow, fqdnNotFound, getFqdn } from '../../fqdns/fqdns.repository.js';
import type { ProviderOpener } from '../../providers/open-provider.service.js';
import {
  type IssuedCertificate,
  type OrderProgress,
  type OrderState,
  readableText,
  type SignOutcome,
  type SignRefusal,
} from '../../providers/provider.js';
import { getProvider, type ProviderRow } from '../../providers/providers.repository.js';
import { orRecordLost } from '../signing/lost-certificate.service.js';
import { findJob, type IssuanceJobRow, updateJob } from './issuance-jobs.repository.js';
import { callerOfJob, jobAudit } from './job-audit.js';
import { hasJobWithOrder } from './open-jobs.repository.js';
import { changeStep, failUnderWay, type StepReports } from './request-plan.js';
import { newerCsr, nextTryOf, recordGivenUp } from './unfinished-order.service.js';

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
class JobLost extends Error {
  override readonly name = 'JobLost';
}

/**
 * Processes a claimed job until it is completed, has failed, or waits for a person. If the process dies, the next worker
 * continues from what is on disk.
 */
export async function runIssuance(deps: RunDeps, job: IssuanceJobRow): Promise<void> {
  const worker = createWorker(deps, job);
  try {
    const subject = await deps.db.read((tx) => findSubject(tx, job));
    const outcome = subject.refusal ?? (await ask(worker, subject));
    if (outcome.isSigned) await completeOrRecordLost(worker, subject, outcome);
    else if (outcome.isWaiting === true) await wait(worker, outcome.reason);
    else await fail(worker, subject, outcome);
  } catch (error) {
    if (error instanceof JobLost) return;
    if (!(error instanceof AppError && error.kind === 'not_found')) throw error;
    // the FQDN was deleted in the meantime, and the job with it; or only the CSR was
    await fail(worker, undefined, { reason: error.message, isPermanent: true });
  } finally {
    worker.release();
  }
}

/** Fails a claimed job without starting it, because each of `tries` earlier attempts was interrupted. */
export async function failInterruptedJob(deps: RunDeps, job: IssuanceJobRow, tries: number): Promise<void> {
  const reason = `the request failed ${tries} times with an unexpected error: see issuance.unexpected_error in the log of the service, then request the certificate again`;
  await fail({ ...job, deps, job }, undefined, { reason });
}

interface Subject {
  readonly fqdn: FqdnRow;
  readonly csr: CsrRow;
  readonly provider: ProviderRow;
  /** PEM of the certificate that the new one replaces. */
  readonly replaces: string | undefined;
  /** Why the policy or a compromised key forbids the request; undefined if the CSR was already sent, which continues. */
  readonly refusal: RefusedOutcome | undefined;
}

interface IssuanceWorker {
  readonly deps: RunDeps;
  readonly job: IssuanceJobRow;
  steps: StepReports;
  orderState: OrderState | null;
}

/** Extends the lease of the job each third of its length, until it is released. */
function createWorker(deps: RunDeps, job: IssuanceJobRow): IssuanceWorker & { readonly release: () => void } {
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

async function findSubject(tx: Tx, job: IssuanceJobRow): Promise<Subject> {
  const fqdn = await getFqdn(tx, job.spaceId, job.fqdnId);
  const csr = await findCsr(tx, job.csrId);
  if (csr === undefined) throw csrGone();
  const provider = await getProvider(tx, job.providerId);
  const earlier = await findLastOfProvider(tx, fqdn.id, provider.id);
  const subject = { fqdn, csr, provider, replaces: earlier?.pem };
  // the certificate in use must not be replaced by one for a former key long after its request failed
  const hasNewerCsr = job.finishedAt !== null && (await findLatestCsr(tx, fqdn.id))?.id !== csr.id;
  if (hasNewerCsr) return { ...subject, refusal: { isSigned: false, isPermanent: true, reason: newerCsr } };
  const refusal = isCsrSent(job.orderState) ? undefined : await refusalOf(tx, subject);
  return { ...subject, refusal: refusal && outcomeOf(refusal) };
}

/** Why the policy of the space, or the key, forbids to issue a certificate. */
async function refusalOf(tx: Tx, subject: Omit<Subject, 'replaces' | 'refusal'>) {
  return (await findRefusal(tx, subject)) ?? (await findKeyRefusal(tx, subject.csr));
}

type RefusedOutcome = { readonly isSigned: false } & SignRefusal;

function outcomeOf({ message: reason, code }: AppError): RefusedOutcome {
  return { isSigned: false, isPermanent: true, reason, code };
}

/** A provider that was disabled or misconfigured in the meantime counts as a refusal. */
async function ask(worker: IssuanceWorker, subject: Subject): Promise<SignOutcome> {
  const { csr, provider } = subject;
  try {
    const progress = progressOf(worker, subject);
    return await worker.deps.opener.openForSigning(provider).sign(csr.csrPem, progress);
  } catch (error) {
    if (error instanceof AppError) return { isSigned: false, reason: error.message, code: error.code };
    throw error;
  }
}

function progressOf(worker: IssuanceWorker, subject: Subject): OrderProgress {
  const { job, deps } = worker;
  const { replaces } = subject;
  return {
    stored: job.orderState ?? undefined,
    store: async (state) => {
      await write(worker, { orderState: state ?? null });
      worker.orderState = state ?? null;
    },
    replaces,
    isHeldElsewhere: (url) =>
      deps.db.read(
        async (tx) => (await hasJobWithOrder(tx, url, job.id)) || (await deps.isOrderOfRenewal(tx, url)),
      ),
    isConfirmed: job.isConfirmed,
    onStep: async (step, change) => {
      if (isSendingCsr(step, change)) {
        await deps.db.read(async (tx) => {
          await requireAllowed(tx, subject);
          await requireUncompromisedKey(tx, subject.csr);
        });
      }
      worker.steps = changeStep(worker.steps, step, { ...change }, deps.clock.now());
      await write(worker, { steps: worker.steps });
    },
  };
}

async function write({ deps, job }: IssuanceWorker, change: Partial<IssuanceJobRow>): Promise<void> {
  const isMine = await deps.db.transaction(async (tx) => {
    if (await updateJob(tx, job, change)) return true;
    // the FQDN was deleted, and the job with it
    if ((await findJob(tx, job.id)) === undefined) throw new OrderAbandoned();
    return false;
  });
  if (!isMine) throw new JobLost();
}

function completeOrRecordLost(
  worker: IssuanceWorker,
  subject: Subject,
  issued: IssuedCertificate,
): Promise<void> {
  // its entry names the certificate: a second one that it may exist would only mislead
  const onLost = async (tx: Tx) => {
    await updateJob(tx, worker.job, { orderState: null });
    worker.orderState = null;
  };
  const lost = { ...subject, caller: callerOfJob(worker.job), issued, onLost };
  return orRecordLost(worker.deps, lost, () => complete(worker, subject, issued));
}

/** Stores the certificate and ends the job, all or nothing. */
async function complete(worker: IssuanceWorker, subject: Subject, issued: IssuedCertificate): Promise<void> {
  const { deps, job } = worker;
  const caller = callerOfJob(job);
  const { provider, csr } = subject;
  const { certificate } = await deps.db.transaction(async (tx) => {
    const [held] = await lockSubjects(tx, [{ fqdnId: job.fqdnId, csrId: csr.id }]);
    const fqdn = held?.fqdn;
    if (fqdn === undefined) throw fqdnNotFound();
    if (!held?.hasCsr) throw csrGone();
    const now = deps.clock.now();
    const origin = { fqdnId: fqdn.id, csrId: csr.id, providerId: provider.id };
    const auditOf = (row: CertificateRow) =>
      jobAudit(job, fqdn.fqdn, certificateFacts(row, provider), row.id);
    const endRequest = (row: CertificateRow) => endJob(tx, worker, { fqdn, provider }, row, now);
    const certificate = newCertificateOf({ ...origin, issued, now });
    const item = { caller, fqdn, provider, certificate, auditOf, endRequest };
    return storeCertificate(tx, item, { now, onCertificatesStored: deps.onCertificatesStored });
  });
  deps.logger.info({ jobId: job.id, certificateId: certificate.id }, 'issuance.completed');
}

/** Completes the job with the certificate as stored; another job that adopted the order may have stored it. */
async function endJob(
  tx: Tx,
  { job, steps: before }: IssuanceWorker,
  { fqdn, provider }: Pick<Subject, 'fqdn' | 'provider'>,
  certificate: CertificateRow,
  now: Date,
): Promise<void> {
  const stored = changeStep(before, 'store', { status: 'ok', detail: certificate.id }, now);
  const steps = changeStep(stored, 'schedule', { status: fqdn.renewalEnabled ? 'ok' : 'skipped' }, now);
  const issued = `issued by ${provider.name}, valid until ${certificate.expiresAt.toISOString()}`;
  const finding = before.verify?.status === 'warning' ? before.verify.detail : undefined;
  const isMine = await updateJob(tx, job, {
    status: 'completed',
    steps,
    orderState: null,
    certificateId: certificate.id,
    message: finding === undefined ? issued : `${issued}; ${finding}`,
    leaseUntil: null,
    finishedAt: now,
  });
  if (!isMine) throw new JobLost();
}

async function wait(worker: IssuanceWorker, reason: string): Promise<void> {
  const isMine = await worker.deps.db.transaction((tx) =>
    updateJob(tx, worker.job, { status: 'waiting', message: reason, leaseUntil: null }),
  );
  if (!isMine) throw new JobLost();
  worker.deps.logger.info({ jobId: worker.job.id }, 'issuance.waiting_for_confirmation');
}

async function fail(
  worker: IssuanceWorker,
  subject: Subject | undefined,
  refusal: SignRefusal,
): Promise<void> {
  const { deps, job } = worker;
  const reason = readableText(refusal.reason);
  await deps.db.transaction(async (tx) => {
    const now = deps.clock.now();
    const steps = failUnderWay(worker.steps, stepError(refusal, reason), now);
    const leaseUntil = nextTryOf(worker, refusal, { now, leaseMs: deps.leaseMs });
    const finishedAt = job.finishedAt ?? now;
    const end = { status: 'failed' as const, steps, message: reason, leaseUntil, finishedAt };
    if (!(await updateJob(tx, job, end))) return;
    if (leaseUntil === null) await recordGivenUp(tx, worker, reason, now);
    // the failure was reported when it came first
    if (job.finishedAt !== null) return;
    const entry = { ...jobAudit(job, subject?.fqdn.fqdn, { reason }), outcome: 'failure' as const };
    await recordAudit(tx, callerOfJob(job), entry, now);
    await deps.onRequestFailed?.(tx, job.fqdnId, reason);
  });
  deps.logger.warn({ jobId: job.id, reason }, 'issuance.failed');
}

function stepError({ isPermanent, notBefore, code, problemType }: SignRefusal, message: string) {
  return {
    code: code ?? 'upstream_failed',
    message,
    retryable: isPermanent !== true,
    ...(notBefore !== undefined && { retryAt: notBefore.toISOString() }),
    ...(problemType !== undefined && { caProblemType: problemType }),
  };
}

function csrGone(): NotFound {
  return csrNotFound('the CSR was deleted while the certificate was being requested');
}
