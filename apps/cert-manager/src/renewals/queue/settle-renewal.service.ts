import type { Tx } from '@certloop/db';
import type { Logger } from '@certloop/server';
import { builtInCaller, type Caller, internalOrigin } from '../../access/caller.js';
import { isCsrSent } from '../../acme/orders/order-record.js';
import { recordAudit } from '../../audit/audit.service.js';
import type { AuditEntry } from '../../audit/audit-entry.js';
import type { CertificateRow } from '../../certificates/certificates.repository.js';
import { usableUntil } from '../../certificates/in-use.js';
import { findNewestCertificate } from '../../certificates/newest-certificates.repository.js';
import { type CertificateEvents, certificateFacts } from '../../certificates/store-certificates.service.js';
import { type CsrRow, hasCsrOfFqdn } from '../../csrs/csrs.repository.js';
import type { DbDeps } from '../../db-deps.js';
import { type FqdnRow, lockFqdn } from '../../fqdns/fqdns.repository.js';
import { deleteIssuancesById } from '../../issuance/signing/issuances.repository.js';
import { notAccepted, perhapsLost } from '../../issuance/signing/lost-certificate.service.js';
import { readableText, type SignRefusal } from '../../providers/provider.js';
import type { ProviderRow } from '../../providers/providers.repository.js';
import { newRenewal } from '../new-renewal.repository.js';
import { hasCompromisedKey, readOutlook } from '../outlook/read-outlook.service.js';
import { changeOfRenewal, type RenewalState } from '../renewal-entry.js';
import { insertRenewal, type RenewalRow, updateRenewal } from '../renewals.repository.js';
import { insertPlanned } from '../replan-renewals.service.js';
import { pauseProvider } from './pace-renewals.service.js';
import { LeaseLost, type RenewalLease } from './renewal-lease.service.js';
import { isLongExpired, nextTry } from './retry-policy.js';

export interface SettleDeps extends DbDeps {
  readonly logger: Logger;
  readonly emit: CertificateEvents & RenewalEvents;
}

/** Events of renewals; `changes/reactions.service.ts` lists what follows each of them. */
export interface RenewalEvents {
  /** A renewal was planned, moved or taken back although its FQDN has not changed. */
  renewalPlanned(tx: Tx, event: { readonly fqdn: { readonly id: string } }): Promise<void>;
  /** The CA suggests another time for the renewal of the FQDN, which is locked. */
  renewalAdvised(tx: Tx, event: { readonly fqdn: FqdnRow }): Promise<void>;
  /** A try to renew the certificate of the FQDN, which is locked, failed. */
  renewalFailed(tx: Tx, event: FailedRenewal): Promise<void>;
}

/** A renewal that failed, and its entry as it was at work. */
export interface FailedRenewal {
  readonly fqdn: FqdnRow;
  readonly entry: RenewalRow;
  readonly fault: RenewalFault;
}

/** Why a renewal failed, and what follows. */
export interface RenewalFault {
  readonly reason: string;
  /** Further attempts change nothing until an owner acts. */
  readonly isPermanent: boolean;
  /** Undefined when no attempt follows. */
  readonly nextTryAt: Date | undefined;
  /** The certificate expired over 30 days ago; false for a test, which replaces none. */
  readonly isLongExpired: boolean;
}

/** The FQDN, CSR and provider of a renewal. */
export interface RenewalSubject {
  readonly fqdn: FqdnRow;
  /** Undefined when all were deleted in the meantime. */
  readonly csr: CsrRow | undefined;
  readonly provider: ProviderRow;
}

/** How a renewal ended. */
export type RenewalEnd =
  | { readonly kind: 'renewed'; readonly fqdn: string }
  | { readonly kind: 'failed'; readonly fqdn: string; readonly reason: string; readonly next: NextStep }
  /** Another worker had claimed the entry by then, or it was gone. */
  | { readonly kind: 'lost'; readonly entryId: string }
  /** It is pending again, and no try was counted. */
  | { readonly kind: 'left' };

/** Step after a failure: another try, or nothing if there is nothing left to do. */
type NextStep = { readonly retryAt: Date; readonly isLongExpired: boolean } | 'none';

/** Logs a renewal whose certificate is stored, and returns how it ended. */
export function reportRenewed(
  { logger }: SettleDeps,
  { id: entryId }: RenewalRow,
  { fqdn }: FqdnRow,
  certificateId: string,
): RenewalEnd {
  logger.info({ entryId, fqdn, certificateId }, 'renewal.renewed');
  return { kind: 'renewed', fqdn };
}

/** The audit entry of a completed renewal. */
export function renewalAudit(
  entry: RenewalRow,
  fqdn: FqdnRow,
  certificate: CertificateRow,
  provider: ProviderRow,
): AuditEntry {
  const details = { ...factsOf(entry, fqdn), ...certificateFacts(certificate, provider) };
  return { ...auditOf(entry, 'certificate.renew', details), resourceId: certificate.id };
}

/** Ends the entry and plans what comes next. Throws LeaseLost and NotFound. */
export async function settleFailed(
  { db, clock, logger, emit }: SettleDeps,
  lease: RenewalLease,
  { fqdn: { spaceId, id, fqdn }, provider }: RenewalSubject,
  refusal: SignRefusal,
): Promise<RenewalEnd> {
  const { entry } = lease;
  const reason = readableText(refusal.reason);
  const next = await db.transaction(async (tx) => {
    const held = await lockFqdn(tx, spaceId, id);
    const now = clock.now();
    const { mayHaveIssued = false } = refusal;
    const issuance = lease.issuance();
    if (mayHaveIssued || (issuance && issuance.orderState !== null)) await lease.leaveIssuance(tx);
    else if (issuance !== undefined) await deleteIssuancesById(tx, [issuance.id]);
    const change = changeOfRenewal(entry, { kind: 'fail', attempt: entry.attempt, at: now, reason });
    // a worker that lost its claim changes nothing
    if (change === undefined || !(await updateRenewal(tx, entry, settledBy(change)))) throw new LeaseLost();
    const { unaccepted } = refusal;
    if (unaccepted !== undefined)
      await recordAudit(tx, callerFor(entry), notAccepted(held, provider, unaccepted), now);
    const step = await planNext(tx, lease, held, refusal, now);
    if (step === 'none') await recordGivenUp(tx, lease, held, reason, now);
    const details = { ...factsOf(entry, held), provider: provider.name, reason, next: shown(step) };
    const failure = { ...auditOf(entry, 'certificate.fail', details), outcome: 'failure' as const };
    await recordAudit(tx, callerFor(entry), failure, now);
    await emit.renewalFailed(tx, { fqdn: held, entry, fault: faultOf(reason, refusal, step) });
    return step;
  });
  const facts = { entryId: entry.id, fqdn, attempt: entry.attempt, reason, next: shown(next) };
  if (next !== 'none' && next.isLongExpired) logger.error(facts, 'renewal.failed_long_expired');
  else logger.warn(facts, 'renewal.failed');
  return { kind: 'failed', fqdn, reason, next };
}

/** Returns the columns that end an entry, with those that can be deleted then. */
export function settledBy(change: Partial<RenewalState>): Partial<RenewalRow> {
  return { ...change, issuanceId: null, journal: null, adviceDueAt: null };
}

/** Writes an audit entry of the certificate that a CA may have issued for an order that no further try continues. */
async function recordGivenUp(
  tx: Tx,
  { entry, issuance }: RenewalLease,
  fqdn: FqdnRow,
  reason: string,
  now: Date,
): Promise<void> {
  const left = issuance();
  if (left === undefined || !isCsrSent(left.orderState)) return;
  const { csrId, providerId } = left;
  const lost = perhapsLost(fqdn, { entryId: entry.id, csrId, providerId }, reason);
  await recordAudit(tx, callerFor(entry), lost, now);
}

// retries take about two weeks; few CAs show older orders
const maxTestTries = 20;

async function planNext(
  tx: Tx,
  { entry, issuance }: RenewalLease,
  fqdn: FqdnRow,
  refusal: SignRefusal,
  now: Date,
): Promise<NextStep> {
  // a CA without orders has answered, or is asked again by others
  const left = issuance();
  const order = left !== undefined && left.orderState !== null ? left : undefined;
  const hasSentCsr = isCsrSent(order?.orderState);
  // a test is not repeated, unless the CA may have issued a certificate that only its order leads to
  if (entry.isTest && !(hasSentCsr && entry.attempt < maxTestTries)) return 'none';
  const canRetry = fqdn.renewalEnabled || entry.isTest;
  if (!canRetry || !(await hasCsrOfFqdn(tx, fqdn.id))) return 'none';
  const newest = await findNewestCertificate(tx, fqdn.id);
  if (newest === undefined) return 'none';
  const { attempt, id: retryOf, fqdnId, spaceId, certificateId, providerId } = entry;
  if (await hasCompromisedKey(tx, newest)) return 'none';
  const { notBefore } = newest;
  const notAfter = usableUntil(newest);
  const { isPermanent = false, isWaiting = false, isValidation = false, isRateLimited = false } = refusal;
  const failed = {
    attempt,
    now,
    notBefore,
    notAfter,
    isValidation,
    isRateLimited,
    retryAt: refusal.notBefore,
    // further tries do not help an order that waits for its owner
    isPermanent: isPermanent || isWaiting,
  };
  const scheduledAt = isRateLimited ? await pauseProvider(tx, providerId, failed, refusal) : nextTry(failed);
  // renewed manually in the meantime: continue only an order for which the CA may have issued a certificate
  if (
    !entry.isTest &&
    newest.id !== certificateId &&
    !(hasSentCsr && (await isDueBefore(tx, fqdn, { newest, scheduledAt })))
  ) {
    await insertPlanned(tx, fqdn, now);
    return 'none';
  }
  const subject = { fqdnId, spaceId, certificateId, providerId, scheduledAt };
  // the next try continues an order that the provider did not give up
  const retry = {
    ...subject,
    isTest: entry.isTest,
    attempt: attempt + 1,
    retryOf,
    issuanceId: order?.id ?? null,
  };
  await insertRenewal(tx, newRenewal(retry, now));
  return { retryAt: scheduledAt, isLongExpired: !entry.isTest && isLongExpired({ now, notAfter }) };
}

/** Whether a try comes before the newest certificate is due: until then, its order continues although another one was stored. */
async function isDueBefore(
  tx: Tx,
  fqdn: FqdnRow,
  { newest, scheduledAt }: { readonly newest: CertificateRow; readonly scheduledAt: Date },
): Promise<boolean> {
  const { outlook } = await readOutlook(tx, fqdn, { newest });
  return outlook.isPlanned && scheduledAt < outlook.plan.renewAt;
}

export function callerFor(entry: RenewalRow): Caller {
  return builtInCaller('scheduler', internalOrigin(entry.id));
}

function faultOf(
  reason: string,
  { isPermanent = false, isWaiting = false }: SignRefusal,
  next: NextStep,
): RenewalFault {
  const [nextTryAt, isLongExpired] =
    next === 'none' ? [undefined, false] : [next.retryAt, next.isLongExpired];
  return { reason, isPermanent: isPermanent || isWaiting, nextTryAt, isLongExpired };
}

function shown(next: NextStep): string {
  return typeof next === 'string' ? next : next.retryAt.toISOString();
}

function factsOf(
  { id: entryId, attempt, isTest, certificateId: previous }: RenewalRow,
  { fqdn, id }: FqdnRow,
) {
  return { fqdn, fqdnId: id, entryId, attempt, ...(isTest && { isTest }), previous };
}

function auditOf(
  { certificateId: resourceId, spaceId }: RenewalRow,
  action: 'certificate.renew' | 'certificate.fail',
  details: Readonly<Record<string, unknown>>,
) {
  return { action, resourceType: 'certificate', resourceId, spaceId, details } as const;
}
