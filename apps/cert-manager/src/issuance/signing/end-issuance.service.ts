import type { Tx } from '@certloop/db';
import { isCsrSent } from '../../acme/orders/order-record.js';
import { recordAudit } from '../../audit/audit.service.js';
import type { AuditEntry } from '../../audit/audit-entry.js';
import type { CertificateRow } from '../../certificates/certificates.repository.js';
import { certificateFacts } from '../../certificates/store-certificates.service.js';
import { type CsrRow, csrNotFound } from '../../csrs/csrs.repository.js';
import { type FqdnRow, findFqdn, lockFqdns } from '../../fqdns/fqdns.repository.js';
import { readableText, type SignRefusal } from '../../providers/provider.js';
import { listProvidersById, type ProviderRow } from '../../providers/providers.repository.js';
import { lockClaimed } from '../clients/client-issuances.repository.js';
import {
  type ClientIssuanceEvents,
  clientProblemOf,
  isFirstOfLineage,
  retryForClient,
} from '../clients/end-client-issuance.service.js';
import { callerOfJob, idsOfIssuance, jobAudit } from '../jobs/job-audit.js';
import { changeStep, failUnderWay } from '../jobs/request-plan.js';
import type { IssuanceSubject } from './find-obstacles.service.js';
import { changeOfIssuance } from './issuance-state.js';
import { audit, IssuanceLost, type IssuanceWorker } from './issuance-worker.service.js';
import { deleteIssuances, type IssuanceRow, noOrder, updateIssuance } from './issuances.repository.js';
import { findDropped, notAccepted, perhapsLost } from './lost-certificate.service.js';
import { refusalAudit, signedAudit } from './signing-audit.service.js';
import { createIssuedStore, type IssuedFor, type StoreDeps } from './store-issued.service.js';

/** A certificate that was issued for a request, and the worker of the request. */
export interface CompletedIssuance extends IssuedFor, IssuanceSubject {
  readonly csr: CsrRow;
  readonly worker: IssuanceWorker;
}

const fqdnDeleted = 'the FQDN was deleted while its certificate was being requested';

export const csrDeleted = 'the CSR was deleted while the certificate was being requested';

/** A function that stores the certificate of a request and ends the request; as createIssuedStore does. */
export function createIssuanceStore(
  deps: StoreDeps & { readonly emit: ClientIssuanceEvents },
): (completed: CompletedIssuance) => Promise<CertificateRow> {
  return createIssuedStore<CompletedIssuance>(deps, {
    csrGone: () => csrNotFound(csrDeleted),
    end: async (tx, all) => {
      const direct = all.flatMap(({ worker: { issuance } }) => (issuance.isOrder ? [] : [issuance]));
      await deleteIssuances(tx, direct);
    },
    endWith: async (tx, { worker, provider }, fqdn, certificate, now) => {
      const { issuance } = worker;
      if (issuance.isOrder) await completeJob(tx, worker, { fqdn, provider }, certificate, now);
      if (issuance.cause === 'client') await deps.emit.clientIssuanceEnded(tx, { issuance, certificate });
    },
    auditOf: (completed, fqdn, row) => {
      const { issuance } = completed.worker;
      if (!issuance.isOrder && issuance.cause !== 'client') return signedAudit({ ...completed, fqdn }, row);
      return jobAudit(issuance, fqdn.fqdn, certificateFacts(row, completed.provider), row.id);
    },
    // its entry names the certificate: a second one that it may exist would only mislead
    onLost: async (tx, { worker }) => {
      const { issuance } = worker;
      if (issuance.isOrder) await updateIssuance(tx, issuance, noOrder);
      else await deleteIssuances(tx, [issuance]);
      worker.orderState = null;
      if (issuance.isOrder || issuance.cause !== 'client') return;
      const problem = { reason: fqdnDeleted, isPermanent: true, isRateLimited: false };
      await deps.emit.clientIssuanceEnded(tx, { issuance, problem });
    },
  });
}

/** Ends a job with a certificate that is stored; another job that adopted the order may have stored it. Throws IssuanceLost. */
export async function completeJob(
  tx: Tx,
  { issuance, steps: before }: IssuanceWorker,
  { fqdn, provider }: { readonly fqdn: FqdnRow; readonly provider: ProviderRow },
  certificate: CertificateRow,
  now: Date,
): Promise<void> {
  const stored = changeStep(before, 'store', { status: 'ok', detail: certificate.id }, now);
  const steps = changeStep(stored, 'schedule', { status: fqdn.renewalEnabled ? 'ok' : 'skipped' }, now);
  const issued = `issued by ${provider.name}, valid until ${certificate.expiresAt.toISOString()}`;
  const finding = before.verify?.status === 'warning' ? before.verify.detail : undefined;
  const isMine = await updateIssuance(tx, issuance, {
    ...over,
    state: 'issued',
    steps,
    ...noOrder,
    certificateId: certificate.id,
    message: finding === undefined ? issued : `${issued}; ${finding}`,
    finishedAt: now,
  });
  if (!isMine) throw new IssuanceLost();
}

const over = { leaseUntil: null, nextAt: null } as const;

/** Events of requests for certificates; `changes/reactions.service.ts` lists what follows each of them. */
export interface IssuanceEvents extends ClientIssuanceEvents {
  /** A request for a certificate of the FQDN failed; renewals have an event of their own. */
  issuanceFailed(
    tx: Tx,
    event: { readonly fqdn: { readonly id: string }; readonly reason: string },
  ): Promise<void>;
}

/** A request that got no certificate. */
export interface RefusedIssuance {
  readonly worker: IssuanceWorker;
  /** Undefined if the FQDN, the CSR or the provider was deleted. */
  readonly subject: IssuanceSubject | undefined;
  readonly refusal: SignRefusal;
  /** Whether the CA was asked under the same key before, so that it may have issued whatever it says now. */
  readonly isAskedAgain?: boolean;
  /** Whether the CA itself was asked and could not do it; not that it must not be asked. */
  readonly isOfCa?: boolean;
}

/**
 * Ends a request that got no certificate, with entries in the audit log. If its CA may have issued one, the CA is asked again
 * later, for a day, after pauses that double; then an entry names what may have been issued. The order of an ACME client whose
 * CA can do nothing for now is tried again as long as its client waits. Nothing is written if another worker has claimed the
 * request.
 */
export async function endWithoutCertificate(
  emit: IssuanceEvents,
  { worker, subject, refusal, isAskedAgain = false, isOfCa = false }: RefusedIssuance,
): Promise<void> {
  const { deps, issuance } = worker;
  // a CA without orders is asked again as one whose order has the CSR
  if (issuance.isOrder && refusal.mayHaveIssued === true) worker.orderState = { isFinalizing: true };
  const reason = readableText(refusal.reason);
  const doubt = { worker, refusal, reason, isAskedAgain };
  const retryAt =
    isOfCa && !mayHaveIssued(doubt) ? retryForClient(issuance, refusal, deps.clock.now()) : undefined;
  if (retryAt !== undefined) return queueAgain(worker, reason, retryAt);
  const isContinued = mayContinue(doubt, deps.clock.now());
  const lost = isContinued ? [] : await findLost(doubt);
  const write = async (tx: Tx) => {
    const now = deps.clock.now();
    const { unaccepted } = refusal;
    const isOfClient = issuance.cause === 'client';
    const { current, hasFqdn } = isOfClient
      ? await lockOfClient(tx, issuance)
      : { current: issuance, hasFqdn: true };
    const isReported = isOfClient
      ? !isContinued && hasFqdn
      : await isFirstFailure(tx, issuance, isAskedAgain);
    if (isReported) {
      const entry = failureAudit(current, subject, reason, refusal.code);
      await recordAudit(tx, callerOfJob(current), entry, now);
      // the machine still has a certificate otherwise, and its next order is expected
      const isNews = !isOfClient || (await isFirstOfLineage(tx, current));
      if (isNews) await emit.issuanceFailed(tx, { fqdn: { id: issuance.fqdnId }, reason });
    }
    if (subject !== undefined && unaccepted !== undefined)
      await audit(tx, worker, notAccepted(subject.fqdn, subject.provider, unaccepted));
    for (const entry of lost) await audit(tx, worker, entry);
    // last: a call that begins locks the FQDN first, and would wait for this row
    const isMine = await storeEnd(tx, doubt, isContinued, now);
    if (!isMine && (issuance.isOrder || isAskedAgain)) throw new IssuanceLost();
    if (isOfClient && !isContinued)
      await emit.clientIssuanceEnded(tx, { issuance: current, problem: clientProblemOf(refusal, isOfCa) });
  };
  await deps.db.transaction(write).catch((error: unknown) => {
    if (!(error instanceof IssuanceLost)) throw error;
  });
}

/**
 * Returns the issuance of an order of an ACME client as it is now, and whether its FQDN is there. Locks both in the order in
 * which they are locked when an order begins. Throws IssuanceLost.
 */
export async function lockOfClient(
  tx: Tx,
  claimed: IssuanceRow,
): Promise<{ readonly current: IssuanceRow; readonly hasFqdn: boolean }> {
  const fqdns = await lockFqdns(tx, [claimed.fqdnId]);
  const current = await lockClaimed(tx, claimed);
  if (current === undefined) throw new IssuanceLost();
  return { current, hasFqdn: fqdns.length > 0 };
}

/** Gives the issuance of an order back to the queue, from which it is taken at the moment. */
async function queueAgain(worker: IssuanceWorker, message: string, nextAt: Date): Promise<void> {
  const { deps, issuance, orderState } = worker;
  // the CA was not asked yet, as far as it matters to a CA without orders
  const attempt = issuance.isOrder ? issuance.attempt : 0;
  const change = { state: 'queued', attempt, leaseUntil: null, nextAt, message, orderState } as const;
  await deps.db.transaction((tx) => updateIssuance(tx, issuance, change));
}

/** A request without a certificate whose CA may have issued one. */
interface Doubt {
  readonly worker: IssuanceWorker;
  readonly refusal: SignRefusal;
  readonly reason: string;
  readonly isAskedAgain: boolean;
}

const mayHaveIssued = ({ worker, refusal, isAskedAgain }: Doubt) =>
  isAskedAgain || refusal.mayHaveIssued === true || isCsrSent(worker.orderState);

const givenUpAfterMs = 24 * 3_600_000;

/** Only this request leads to what its CA may have issued, and a further one may never come. */
function mayContinue(doubt: Doubt, now: Date): boolean {
  const { worker, refusal } = doubt;
  if (!mayHaveIssued(doubt) || refusal.isPermanent === true) return false;
  const { isOrder, finishedAt } = worker.issuance;
  // asked again, a CA without orders would give the same certificate
  if (!isOrder) return refusal.unaccepted === undefined;
  return now.getTime() - (finishedAt ?? now).getTime() <= givenUpAfterMs;
}

/** Entries on the certificate that a CA issued, or may have issued, for a request that is not continued. */
async function findLost(doubt: Doubt): Promise<AuditEntry[]> {
  const { worker, refusal, reason } = doubt;
  const { deps, issuance, orderState } = worker;
  const { fqdnId, fqdn: name, spaceId, csrId, spkiSha256, providerId, isOrder, cause } = issuance;
  if (!mayHaveIssued(doubt) || (!isOrder && refusal.unaccepted !== undefined)) return [];
  const fqdn = { id: fqdnId, fqdn: name, spaceId };
  const [provider] = await deps.db.read((tx) => listProvidersById(tx, [providerId]));
  const ids = isOrder || cause === 'client' ? idsOfIssuance(issuance) : {};
  const named = { ...ids, csrId, spkiSha256, providerId };
  if (provider === undefined) return [perhapsLost(fqdn, named, reason)];
  const issued = await findDropped(deps.opener, provider, orderState);
  return issued === undefined
    ? [perhapsLost(fqdn, { ...named, provider: provider.name }, reason)]
    : [notAccepted(fqdn, provider, { ...issued, reason })];
}

/** Whether the failure was not reported before; if its FQDN was deleted, an order has no report. */
async function isFirstFailure(
  tx: Tx,
  { isOrder, finishedAt, fqdnId }: IssuanceWorker['issuance'],
  isAskedAgain: boolean,
): Promise<boolean> {
  if (!isOrder) return !isAskedAgain;
  return finishedAt === null && (await findFqdn(tx, fqdnId)) !== undefined;
}

function failureAudit(
  issuance: IssuanceRow,
  subject: IssuanceSubject | undefined,
  reason: string,
  code: string | undefined,
): AuditEntry {
  if (!issuance.isOrder && issuance.cause !== 'client' && subject !== undefined)
    return refusalAudit(subject, { reason, code });
  return { ...jobAudit(issuance, subject?.fqdn.fqdn, { reason }), outcome: 'failure' };
}

/** Stores when the CA is asked again, or that the request is over; false if it is another worker's by now. */
async function storeEnd(
  tx: Tx,
  { worker, refusal, reason }: Doubt,
  isContinued: boolean,
  now: Date,
): Promise<boolean> {
  const { deps, issuance, orderState } = worker;
  const { isOrder, attempt } = issuance;
  // the second try for an order comes after twice the first pause
  const claimed = isOrder ? { ...issuance, attempt: attempt + 1 } : issuance;
  const { notBefore, code = null } = refusal;
  const again = isContinued ? changeOfIssuance(claimed, { kind: 'lose', now, notBefore }, deps) : undefined;
  if (!isOrder) {
    if (!isContinued) return (await deleteIssuances(tx, [issuance])) > 0;
    // its next try was stored by the claim
    return again === undefined || (await updateIssuance(tx, issuance, again));
  }
  const steps = failUnderWay(worker.steps, stepError(refusal, reason), now);
  const finishedAt = issuance.finishedAt ?? now;
  const end = { steps, message: reason, code, orderState, finishedAt };
  return updateIssuance(tx, issuance, { ...end, ...(again ?? { ...over, state: 'failed' }) });
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
