import { AppError } from '@certloop/contracts';
import type { Tx } from '@certloop/db';
import { isCsrSent } from '../../acme/orders/order-record.js';
import type { CertificateRow } from '../../certificates/certificates.repository.js';
import { findKeyRefusal } from '../../certificates/compromised-keys.repository.js';
import {
  findLastOfProvider,
  findNewestCertificate,
  findNewestOfLineage,
} from '../../certificates/newest-certificates.repository.js';
import { certificateFacts } from '../../certificates/store-certificates.service.js';
import { csrNotFound, findCsr, findLatestCsr } from '../../csrs/csrs.repository.js';
import { findFqdn, fqdnNotFound } from '../../fqdns/fqdns.repository.js';
import type { SignRefusal } from '../../providers/provider.js';
import { findProvider, providerNotFound } from '../../providers/providers.repository.js';
import { certificateOfClient } from '../clients/end-client-issuance.service.js';
import {
  completeJob,
  type createIssuanceStore,
  csrDeleted,
  endWithoutCertificate,
  type IssuanceEvents,
  lockOfClient,
  type RefusedIssuance,
} from '../signing/end-issuance.service.js';
import { findRefusalOf, type IssuanceSubject } from '../signing/find-obstacles.service.js';
import { idempotencyKeyOf } from '../signing/idempotency-key.js';
import { changeOfIssuance } from '../signing/issuance-state.js';
import {
  type AskedSubject,
  askProvider,
  audit,
  CsrReplaced,
  createWorker,
  IssuanceLost,
  type IssuanceWorker,
  type WorkerDeps,
} from '../signing/issuance-worker.service.js';
import { deleteIssuances, type IssuanceRow, updateIssuance } from '../signing/issuances.repository.js';
import { callerOfJob, jobAudit } from './job-audit.js';

export interface RunDeps extends WorkerDeps {
  readonly emit: IssuanceEvents;
  /** Stores the certificate of a request and ends the request, all or nothing. */
  readonly storeIssued: ReturnType<typeof createIssuanceStore>;
  /** Aborted when the service stops; aborted calls then reject with its reason. */
  readonly stopping: AbortSignal;
}

/**
 * Processes a claimed issuance until it has ended, waits for a person, or is to be tried again later. If the process dies,
 * the next worker continues from what is on disk. One of a provider without orders was claimed before: its CA is asked again
 * under the same key, which gives the certificate that it issued. That is stored, whatever was stored in the meantime.
 */
export async function runIssuance(deps: RunDeps, issuance: IssuanceRow): Promise<void> {
  const worker = createWorker(deps, issuance);
  const isAskedAgain = !issuance.isOrder && !isFirstTry(issuance);
  const fail = (refused: Omit<RefusedIssuance, 'worker'>) => {
    deps.logger.warn({ jobId: issuance.id, reason: refused.refusal.reason }, 'issuance.failed');
    return endWithoutCertificate(deps.emit, { worker, isAskedAgain, ...refused });
  };
  try {
    const subject = await deps.db.read((tx) => findSubject(tx, issuance, deps.clock.now()));
    if (subject.isRenewed && (await shareRenewed(deps, worker, subject))) return;
    const outcome = subject.refusal ?? (await askProvider(worker, subject, isAskedAgain));
    if (outcome.isSigned) {
      const caller = callerOfJob(issuance);
      const ofClient = certificateOfClient(issuance);
      const { id } = await deps.storeIssued({ ...subject, caller, issued: outcome, worker, ofClient });
      deps.logger.info({ jobId: issuance.id, certificateId: id }, 'issuance.completed');
    } else if (outcome.isWaiting === true && issuance.cause !== 'client') await wait(worker, outcome.reason);
    else {
      const isOfCa = subject.refusal === undefined && !('error' in outcome);
      await fail({ subject, refusal: outcome.isWaiting === true ? waitsForPerson : outcome, isOfCa });
    }
  } catch (error) {
    if (error instanceof IssuanceLost) return;
    if (error instanceof CsrReplaced) return runIssuance(deps, error.issuance);
    if (!(error instanceof AppError && error.kind === 'not_found')) throw error;
    // the FQDN was deleted in the meantime, and the job with it; or only the CSR was
    await fail({ subject: undefined, refusal: { reason: error.message, isPermanent: true } });
  } finally {
    worker.release();
  }
}

/** Whether the CA was not asked for the issuance of an order yet; those of calls by providers without orders were begun there. */
function isFirstTry({ cause, attempt }: IssuanceRow): boolean {
  return cause === 'client' && attempt === 1;
}

const waitsForPerson = {
  reason: 'a person must publish the proof for this provider, and an ACME client does not wait for that',
  code: 'provider_manual',
  isPermanent: true,
} as const;

/** Fails a claimed job without starting it, because each of `tries` earlier attempts was interrupted. */
export async function failInterruptedJob(deps: RunDeps, issuance: IssuanceRow, tries: number): Promise<void> {
  const reason = `the request failed ${tries} times with an unexpected error: see issuance.unexpected_error in the log of the service, then request the certificate again`;
  const worker = createWorker(deps, issuance);
  worker.release();
  // one of a provider without orders has been asked for by those attempts
  const isAskedAgain = !issuance.isOrder;
  const refusal = { reason, isPermanent: isAskedAgain };
  await endWithoutCertificate(deps.emit, { worker, subject: undefined, refusal, isAskedAgain });
}

const newerCsr = 'another CSR was uploaded, or this one deleted';

interface Subject extends AskedSubject {
  /** Why the CA must not be asked; undefined if it may, or has the CSR already. */
  readonly refusal: RefusedOutcome | undefined;
  /** Whether another request had the CSR signed by the provider while the job waited for its end. */
  readonly isRenewed: boolean;
}

async function findSubject(tx: Tx, issuance: IssuanceRow, now: Date): Promise<Subject> {
  const fqdn = await findFqdn(tx, issuance.fqdnId);
  if (fqdn === undefined) throw fqdnNotFound('the FQDN was deleted');
  const csr = await findCsr(tx, issuance.csrId);
  if (csr === undefined) throw csrNotFound(issuance.isOrder ? csrDeleted : newerCsr);
  const provider = await findProvider(tx, issuance.providerId);
  if (provider === undefined) throw providerNotFound('the provider was deleted');
  const { lineage } = issuance;
  const earlier = await findLastOfProvider(tx, { fqdnId: fqdn.id, providerId: provider.id, lineage });
  const isRenewed =
    (issuance.isOrder || isFirstTry(issuance)) && (await findRenewed(tx, issuance)) !== undefined;
  const subject = { fqdn, csr, provider };
  const refusal = await findRefusal(tx, issuance, subject, now);
  return { ...subject, replaces: earlier?.pem, isRenewed, refusal };
}

type RefusedOutcome = { readonly isSigned: false } & SignRefusal;

const refused = (reason: string, code?: string): RefusedOutcome => ({
  isSigned: false,
  isPermanent: true,
  reason,
  code,
});

// dummy-ca remembers a key for a day: asked later, it would issue another certificate
const rememberedMs = 24 * 3_600_000;

async function findRefusal(
  tx: Tx,
  issuance: IssuanceRow,
  subject: IssuanceSubject,
  now: Date,
): Promise<RefusedOutcome | undefined> {
  const { isOrder, orderState, createdAt, finishedAt } = issuance;
  const { csr } = subject;
  const isAskedAgain = !isOrder && !isFirstTry(issuance);
  // the certificate in use must not be replaced by one for a former key long after its request failed
  if ((isAskedAgain || finishedAt !== null) && !(await isCsrCurrent(tx, issuance))) return refused(newerCsr);
  if (isAskedAgain && now.getTime() - createdAt.getTime() > rememberedMs)
    return refused('the CA gave no certificate for a day');
  if (isCsrSent(orderState)) return undefined;
  // what a CA has been given the CSR for goes on, but no CA is asked again to certify a compromised key
  const refusal = isAskedAgain ? await findKeyRefusal(tx, csr) : await findRefusalOf(tx, subject);
  return refusal && refused(refusal.message, refusal.code);
}

/** Whether no newer CSR was uploaded or, for an order of an ACME client, no newer one of its lineage was signed. */
async function isCsrCurrent(tx: Tx, { fqdnId, csrId, lineage, createdAt }: IssuanceRow): Promise<boolean> {
  if (lineage === null) return (await findLatestCsr(tx, fqdnId))?.id === csrId;
  const newest = await findNewestOfLineage(tx, lineage);
  return newest === undefined || newest.csrId === csrId || newest.createdAt < createdAt;
}

/** The certificate that was stored for the same CSR by the same provider since the job was made, before its CA was asked. */
async function findRenewed(
  tx: Tx,
  { fqdnId, csrId, spkiSha256, providerId, lineage, idempotencyKey, createdAt, orderState }: IssuanceRow,
): Promise<CertificateRow | undefined> {
  const newest = await (lineage === null
    ? findNewestCertificate(tx, fqdnId)
    : findNewestOfLineage(tx, lineage));
  if (newest === undefined || orderState !== null || newest.revokedAt !== null) return undefined;
  if (newest.providerId !== providerId) return undefined;
  // the names are those of the lineage
  if (lineage !== null)
    return newest.spkiSha256 === spkiSha256 && newest.createdAt >= createdAt ? newest : undefined;
  if (newest.csrId !== csrId) return undefined;
  // the key was made of the newest certificate at that time; that of an earlier version was not
  const isNewer = idempotencyKey !== idempotencyKeyOf({ fqdnId, csrId, newestId: newest.id });
  return isNewer && newest.createdAt >= createdAt ? newest : undefined;
}

/** Ends the job with the certificate of another request; false if that was revoked or deleted in the meantime. */
function shareRenewed(deps: RunDeps, worker: IssuanceWorker, { fqdn, provider }: Subject): Promise<boolean> {
  const { issuance } = worker;
  return deps.db.transaction(async (tx) => {
    const isOfClient = issuance.cause === 'client';
    if (isOfClient) {
      const { current } = await lockOfClient(tx, issuance);
      if (current.csrId !== issuance.csrId) throw new CsrReplaced(current);
    }
    const certificate = await findRenewed(tx, issuance);
    if (certificate === undefined) return false;
    const details = { ...certificateFacts(certificate, provider), joined: certificate.id };
    await audit(tx, worker, jobAudit(issuance, fqdn.fqdn, details, certificate.id));
    if (issuance.isOrder) await completeJob(tx, worker, { fqdn, provider }, certificate, deps.clock.now());
    else if ((await deleteIssuances(tx, [issuance])) === 0) throw new IssuanceLost();
    if (isOfClient) await deps.emit.clientIssuanceEnded(tx, { issuance, certificate });
    return true;
  });
}

async function wait({ deps, issuance }: IssuanceWorker, message: string): Promise<void> {
  const change = changeOfIssuance(issuance, { kind: 'wait', now: deps.clock.now() }, deps);
  const isMine =
    change !== undefined &&
    (await deps.db.transaction((tx) => updateIssuance(tx, issuance, { ...change, message })));
  if (!isMine) throw new IssuanceLost();
  deps.logger.info({ jobId: issuance.id }, 'issuance.waiting_for_confirmation');
}
