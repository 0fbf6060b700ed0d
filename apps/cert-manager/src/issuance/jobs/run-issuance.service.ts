import { AppError, type NotFound } from '@certloop/contracts';
import type { Tx } from '@certloop/db';
import { isCsrSent, readOrderRecord } from '../../acme/orders/order-record.js';
import { isSendingCsr } from '../../acme/orders/order-steps.js';
import { recordAudit } from '../../audit/audit.service.js';
import type { CertificateRow } from '../../certificates/certificates.repository.js';
import {
  findLastOfProvider,
  findNewestCertificate,
} from '../../certificates/newest-certificates.repository.js';
import { certificateFacts } from '../../certificates/store-certificates.service.js';
import { type CsrRow, csrNotFound, findCsr, findLatestCsr } from '../../csrs/csrs.repository.js';
import { type FqdnRow, findFqdn, getFqdn } from '../../fqdns/fqdns.repository.js';
import {
  type IssuedCertificate,
  type OrderProgress,
  readableText,
  type SignOutcome,
  type SignRefusal,
  type UnacceptedCertificate,
} from '../../providers/provider.js';
import { getProvider, type ProviderRow } from '../../providers/providers.repository.js';
import { findRefusalOf } from '../signing/find-obstacles.service.js';
import { idempotencyKeyOf } from '../signing/idempotency-key.js';
import { changeOf } from '../signing/issuance-state.js';
import { type IssuanceRow, noOrder, updateIssuance } from '../signing/issuances.repository.js';
import { notAccepted } from '../signing/lost-certificate.service.js';
import { createIssuedStore, type StoreDeps } from '../signing/store-issued.service.js';
import { hasIssuanceWithOrder } from './issuance-jobs.repository.js';
import {
  type CompletedJob,
  createWorker,
  type IssuanceWorker,
  JobLost,
  type RunDeps,
  writeJob,
} from './issuance-worker.service.js';
import { callerOfJob, jobAudit } from './job-audit.js';
import { changeStep, failUnderWay } from './request-plan.js';
import { continuationOf, findGivenUp, newerCsr, recordGivenUp } from './unfinished-order.service.js';

/**
 * Processes a claimed job until it is completed, has failed, or waits for a person. If the process dies, the next worker
 * continues from what is on disk.
 */
export async function runIssuance(deps: RunDeps, job: IssuanceRow): Promise<void> {
  const worker = createWorker(deps, job);
  try {
    const subject = await deps.db.read((tx) => findSubject(tx, job));
    if (subject.isRenewed && (await shareRenewed(worker, subject))) return;
    const outcome = subject.refusal ?? (await ask(worker, subject));
    if (outcome.isSigned) await complete(worker, subject, outcome);
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
export async function failInterruptedJob(deps: RunDeps, job: IssuanceRow, tries: number): Promise<void> {
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
  /** Whether a renewal had the CSR signed by the provider while the job waited for its end. */
  readonly isRenewed: boolean;
}

async function findSubject(tx: Tx, job: IssuanceRow): Promise<Subject> {
  const fqdn = await getFqdn(tx, job.spaceId, job.fqdnId);
  const csr = await findCsr(tx, job.csrId);
  if (csr === undefined) throw csrGone();
  const provider = await getProvider(tx, job.providerId);
  const earlier = await findLastOfProvider(tx, fqdn.id, provider.id);
  const isRenewed = (await findRenewed(tx, job)) !== undefined;
  const subject = { fqdn, csr, provider, replaces: earlier?.pem, isRenewed };
  // the certificate in use must not be replaced by one for a former key long after its request failed
  const hasNewerCsr = job.finishedAt !== null && (await findLatestCsr(tx, fqdn.id))?.id !== csr.id;
  if (hasNewerCsr) return { ...subject, refusal: { isSigned: false, isPermanent: true, reason: newerCsr } };
  const refusal = isCsrSent(job.orderState) ? undefined : await findRefusalOf(tx, subject);
  return { ...subject, refusal: refusal && outcomeOf(refusal) };
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
    return await worker.deps.opener
      .openForSigning(provider)
      .sign(csr.csrPem, progress, worker.job.idempotencyKey);
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
    store: async (state, unaccepted) => {
      const orderState = state ?? null;
      const order = { orderState, orderUrl: readOrderRecord(state).url ?? null };
      await writeJob(worker, order, unaccepted && entryOf(subject, unaccepted));
      worker.orderState = orderState;
    },
    replaces,
    isHeldElsewhere: (url) => deps.db.read((tx) => hasIssuanceWithOrder(tx, url, job.id)),
    isConfirmed: job.isConfirmed,
    onStep: async (step, change) => {
      if (isSendingCsr(step, change)) await deps.check(subject);
      worker.steps = changeStep(worker.steps, step, { ...change }, deps.clock.now());
      await writeJob(worker, { steps: worker.steps });
    },
  };
}

const entryOf = ({ fqdn, provider }: Subject, unaccepted: UnacceptedCertificate) =>
  notAccepted(fqdn, provider, unaccepted);

/** A function that stores the certificate of a job and ends it; as createIssuedStore does. */
export function createJobStore(deps: StoreDeps): RunDeps['storeCompleted'] {
  return createIssuedStore<CompletedJob>(deps, {
    csrGone,
    auditOf: ({ worker, provider }, { fqdn }, row) =>
      jobAudit(worker.job, fqdn, certificateFacts(row, provider), row.id),
    endWith: (tx, { worker, provider }, fqdn, row, now) => endJob(tx, worker, { fqdn, provider }, row, now),
    // its entry names the certificate: a second one that it may exist would only mislead
    onLost: async (tx, { worker }) => {
      await updateIssuance(tx, worker.job, noOrder);
      worker.orderState = null;
    },
  });
}

/** Stores the certificate and ends the job, all or nothing. */
async function complete(worker: IssuanceWorker, subject: Subject, issued: IssuedCertificate): Promise<void> {
  const { deps, job } = worker;
  const { id } = await deps.storeCompleted({ ...subject, caller: callerOfJob(job), issued, worker });
  deps.logger.info({ jobId: job.id, certificateId: id }, 'issuance.completed');
}

/** The certificate that was stored for the same CSR by the same provider since the job was made, before its CA was asked. */
async function findRenewed(
  tx: Tx,
  { fqdnId, csrId, providerId, idempotencyKey, createdAt, orderState }: IssuanceRow,
): Promise<CertificateRow | undefined> {
  const newest = await findNewestCertificate(tx, fqdnId);
  if (newest === undefined || orderState !== null || newest.revokedAt !== null) return undefined;
  if (newest.csrId !== csrId || newest.providerId !== providerId) return undefined;
  // the key was made of the newest certificate at that time; that of an earlier version was not
  const isNewer = idempotencyKey !== idempotencyKeyOf({ fqdnId, csrId, newestId: newest.id });
  return isNewer && newest.createdAt >= createdAt ? newest : undefined;
}

/** Ends the job with the certificate of a renewal; false if that was revoked or deleted in the meantime. */
function shareRenewed(worker: IssuanceWorker, { fqdn, provider }: Subject): Promise<boolean> {
  const { job, deps } = worker;
  return deps.db.transaction(async (tx) => {
    const certificate = await findRenewed(tx, job);
    if (certificate === undefined) return false;
    const now = deps.clock.now();
    const details = { ...certificateFacts(certificate, provider), joined: certificate.id };
    await recordAudit(tx, callerOfJob(job), jobAudit(job, fqdn.fqdn, details, certificate.id), now);
    await endJob(tx, worker, { fqdn, provider }, certificate, now);
    return true;
  });
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
  const isMine = await updateIssuance(tx, job, {
    state: 'issued',
    steps,
    ...noOrder,
    certificateId: certificate.id,
    message: finding === undefined ? issued : `${issued}; ${finding}`,
    leaseUntil: null,
    nextAt: null,
    finishedAt: now,
  });
  if (!isMine) throw new JobLost();
}

async function wait(worker: IssuanceWorker, reason: string): Promise<void> {
  const { deps, job } = worker;
  const change = changeOf(job, { kind: 'wait', now: deps.clock.now() }, deps);
  const isMine =
    change !== undefined &&
    (await deps.db.transaction((tx) => updateIssuance(tx, job, { ...change, message: reason })));
  if (!isMine) throw new JobLost();
  deps.logger.info({ jobId: job.id }, 'issuance.waiting_for_confirmation');
}

const failed = { state: 'failed', leaseUntil: null, nextAt: null } as const;

async function fail(
  worker: IssuanceWorker,
  subject: Subject | undefined,
  refusal: SignRefusal,
): Promise<void> {
  const { deps, job } = worker;
  const reason = readableText(refusal.reason);
  const { mayHaveIssued, unaccepted } = refusal;
  // a CA without orders is asked again as one whose order has the CSR
  if (mayHaveIssued === true) worker.orderState = { isFinalizing: true };
  const issued = await findGivenUp(deps, worker, refusal);
  await deps.db.transaction(async (tx) => {
    const now = deps.clock.now();
    const steps = failUnderWay(worker.steps, stepError(refusal, reason), now);
    const again = continuationOf(worker, refusal, now, deps);
    const finishedAt = job.finishedAt ?? now;
    const { orderState } = worker;
    const end = { steps, message: reason, code: refusal.code ?? null, orderState, finishedAt };
    if (!(await updateIssuance(tx, job, { ...end, ...(again ?? failed) }))) return;
    if (subject !== undefined && unaccepted !== undefined)
      await recordAudit(tx, callerOfJob(job), entryOf(subject, unaccepted), now);
    if (again === undefined) await recordGivenUp(tx, worker, { reason, issued }, now);
    // the failure was reported when it came first; an FQDN that was deleted has none
    if (job.finishedAt !== null || (await findFqdn(tx, job.fqdnId)) === undefined) return;
    const entry = { ...jobAudit(job, subject?.fqdn.fqdn, { reason }), outcome: 'failure' as const };
    await recordAudit(tx, callerOfJob(job), entry, now);
    await deps.emit.issuanceFailed(tx, { fqdn: { id: job.fqdnId }, reason });
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
