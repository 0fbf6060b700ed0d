import { AppError } from '@certloop/contracts';
import type { Tx } from '@certloop/db';
import { isCsrSent, readOrderRecord } from '../../acme/orders/order-record.js';
import { recordAudit } from '../../audit/audit.service.js';
import { type CsrRow, findCsr } from '../../csrs/csrs.repository.js';
import { fqdnNotFound } from '../../fqdns/fqdns.repository.js';
import { newIssuance } from '../../issuance/signing/begin-signing.service.js';
import { idempotencyKeyOf } from '../../issuance/signing/idempotency-key.js';
import {
  askProvider,
  createWorker,
  IssuanceLost,
  type IssuanceWorker,
  type WorkerDeps,
} from '../../issuance/signing/issuance-worker.service.js';
import { type IssuanceRow, takeOrderLeft } from '../../issuance/signing/issuances.repository.js';
import { findDropped, notAccepted, perhapsLost } from '../../issuance/signing/lost-certificate.service.js';
import {
  beginRenewalIssuance,
  endRenewalIssuances,
  RenewalOvertaken,
} from '../../issuance/signing/renewal-issuance.service.js';
import type { IssuedCertificate, SignOutcome } from '../../providers/provider.js';
import { kindOf } from '../../providers/provider-kinds.js';
import { mayHaveCertificate } from '../renewal-entry.js';
import { pendingKeyOf, pendingRequest, type RenewalJournal } from '../renewal-journal.js';
import type { RenewalRow } from '../renewals.repository.js';
import type { FoundSubject } from './find-subjects.service.js';
import { LeaseLost, openLease, type RenewalLease } from './renewal-lease.service.js';
import { returnRenewal } from './return-renewal.service.js';
import {
  callerFor,
  type RenewalEnd,
  reportRenewed,
  type SettleDeps,
  settleFailed,
} from './settle-renewal.service.js';
import type { RenewalBatches } from './settle-renewed.service.js';

/**
 * What a renewal goes through, in this order. After each of them the process may end: an entry is claimed again, at
 * once if the process was asked to stop, else when its lease has expired, and goes on after what is on disk. Between
 * the first two, the provider stores in the entry's journal how far its order has come, if it has orders.
 */
export const renewalSteps = [
  /** The entry is taken; no one has been asked. On disk. */
  'claimed',
  /** The provider has answered, with a certificate or a refusal; not on disk. Asked again, it answers the same. */
  'answered',
  /** Certificate, end of the entry, next entry and audit are on disk, all or none. */
  'settled',
] as const;
export type RenewalStep =
  | (typeof renewalSteps)[number]
  /** No further try follows. The audit log names what its order may have led to, but not yet the serial number. */
  | 'given_up';

export interface RenewDeps extends WorkerDeps, SettleDeps {
  readonly batches: RenewalBatches;
  /** Called at each step; an error that it throws ends the work as a crash would. */
  readonly atStep: (step: RenewalStep, entry: RenewalRow) => Promise<void>;
}

/**
 * Renews the certificate of an entry that this worker has claimed, and settles it. A refusal of the provider is
 * an end like any other; throws only unexpected errors, and the reason of a stop that ends a call. The entry stays
 * claimed then: the caller releases it at a stop, or lets the lease expire. Its issuance blocks no other request any more.
 */
export async function renewCertificate(deps: RenewDeps, entry: RenewalRow): Promise<RenewalEnd> {
  const lease = openLease(deps, entry);
  try {
    await deps.atStep('claimed', entry);
    const subject = await deps.batches.findSubject(entry);
    if (subject === undefined) throw fqdnNotFound();
    if (subject.isOrderTaken) await lease.storeJournal(async () => null);
    const outcome = await ask(deps, lease, subject);
    const end = outcome.isSigned
      ? await store(deps, lease, subject, outcome)
      : await settleFailed(deps, lease, subject, outcome);
    if (end.kind === 'failed' && end.next === 'none') {
      await deps.atStep('given_up', entry);
      await recordDropped(deps, lease, subject, end.reason);
    }
    await deps.atStep('settled', entry);
    return end;
  } catch (error) {
    if (error instanceof RenewalOvertaken) {
      await returnRenewal(deps, entry);
      return { kind: 'left' };
    }
    await abandonIssuance(deps, lease);
    if (isGone(error)) return { kind: 'lost', entryId: entry.id };
    throw error;
  } finally {
    lease.release();
  }
}

/** Lets other requests for the FQDN begin before the lease expires. */
async function abandonIssuance({ db, logger }: RenewDeps, lease: RenewalLease): Promise<void> {
  await db
    .transaction(lease.leaveIssuance)
    .catch((error: unknown) =>
      logger.warn({ entryId: lease.entry.id, error }, 'renewal.issuance_not_released'),
    );
}

/** Names in the audit log what an order led to that no further try continues, if its CA says. */
async function recordDropped(
  { db, clock, opener }: RenewDeps,
  lease: RenewalLease,
  { fqdn, provider }: FoundSubject,
  reason: string,
): Promise<void> {
  const issued = await findDropped(opener, provider, lease.journal()?.order);
  if (issued === undefined) return;
  const entry = notAccepted(fqdn, provider, { ...issued, reason });
  await db.transaction((tx) => recordAudit(tx, callerFor(lease.entry), entry, clock.now()));
}

/** The FQDN or the entry went while it was being renewed. */
function isGone(error: unknown): boolean {
  const isLost = error instanceof LeaseLost || error instanceof IssuanceLost;
  return isLost || (error instanceof AppError && error.kind === 'not_found');
}

/**
 * The provider's answer, or the one that it gave before this process took the renewal up. Throws RenewalOvertaken if someone
 * was as quick to ask for a certificate as this worker was to claim the entry.
 */
async function ask(deps: RenewDeps, lease: RenewalLease, subject: FoundSubject): Promise<SignOutcome> {
  const { csr, refusal } = subject;
  const recorded = lease.journal()?.issued;
  if (recorded !== undefined) return { isSigned: true, ...recorded };
  // what a CA has been given the CSR for goes on all the same, but no CA is asked again to certify a compromised key
  const isBegun = subject.isKeyCompromised
    ? isCsrSent(lease.journal()?.order)
    : mayHaveCertificate(lease.journal());
  if (subject.isRequested && !isBegun) throw new RenewalOvertaken();
  if (refusal !== undefined && !isBegun) return refused(refusal);
  if (csr === undefined) return { isSigned: false, reason: 'no CSR is stored for this FQDN' };
  const asked = { ...subject, csr };
  const worker = await recordRequest(deps, lease, asked);
  const outcome = await askProvider(worker, asked, isBegun);
  await deps.atStep('answered', lease.entry);
  return outcome;
}

/** What is asked for, with the CSR to sign. */
type FoundSubjectWithCsr = FoundSubject & { readonly csr: CsrRow };

/**
 * The worker of the issuance by which the provider is to be asked, which is on disk. For a provider without orders, so is the
 * idempotency key: a process that takes over asks with it, although another certificate may be the newest by then, and
 * `IssuanceRunner` asks again if the entry is deleted or no try follows. Throws RenewalOvertaken if another request for the
 * FQDN was faster.
 */
async function recordRequest(
  deps: RenewDeps,
  lease: RenewalLease,
  subject: FoundSubjectWithCsr,
): Promise<IssuanceWorker> {
  const { fqdn, csr, provider, newestId } = subject;
  const before = lease.journal();
  const isSame = before?.csrId === csr.id && (before.providerId ?? provider.id) === provider.id;
  const keyBefore = pendingKeyOf(before);
  const idempotencyKey =
    (isSame ? keyBefore : undefined) ?? idempotencyKeyOf({ fqdnId: fqdn.id, csrId: csr.id, newestId });
  const isDirect = kindOf(provider).issuance === 'direct';
  const isReplaced = !isSame && (keyBefore !== undefined || before?.order !== undefined);
  if (hasNewer(lease, subject)) throw new RenewalOvertaken();
  const recordReplaced = isReplaced ? await findReplaced(deps, lease, subject) : undefined;
  const begun = newIssuance(deps, { caller: callerFor(lease.entry), subject }, newestId);
  const formerId = isSame ? before.requestId : undefined;
  const place = { csrId: csr.id, providerId: provider.id };
  let issuance: IssuanceRow | undefined;
  await lease.storeJournal(async (tx) => {
    await recordReplaced?.(tx);
    const own = isSame ? before.order : undefined;
    const hasNone = own === undefined && !isDirect;
    const order = hasNone ? (await takeOrderLeft(tx, { ...place, fqdnId: fqdn.id })).orderState : own;
    const requestId = formerId ?? begun.id;
    const asked = isDirect ? pendingRequest(idempotencyKey, requestId) : { requestId };
    const next: RenewalJournal = { ...place, ...(order && { order }), ...asked };
    const kind = { cause: 'renewal', isOrder: !isDirect, isConfirmed: false } as const;
    const row = { ...begun, ...orderOf(next), ...kind, idempotencyKey };
    issuance = await beginRenewalIssuance(tx, { issuance: row, formerId }, deps);
    return next;
  });
  if (issuance === undefined) throw new Error('the issuance was not recorded');
  const worker = createWorker(deps, issuance, lease.storeOrder);
  lease.hold(worker);
  return worker;
}

/** Whether a certificate was stored after the entry was claimed, before its CA was asked. */
function hasNewer({ entry, journal }: RenewalLease, { newestId }: FoundSubject): boolean {
  return journal() === null && !entry.isTest && newestId !== undefined && newestId !== entry.certificateId;
}

/** Returns what ends the request of an earlier try, for another CSR or provider, and records if that may have led to a certificate. */
async function findReplaced(
  { clock, opener }: RenewDeps,
  lease: RenewalLease,
  { fqdn, csr, provider }: FoundSubjectWithCsr,
): Promise<((tx: Tx) => Promise<void>) | undefined> {
  const before = lease.journal();
  if (before === null) return undefined;
  const { csrId, providerId, requestId, order } = before;
  const issued = providerId === provider.id ? await findDropped(opener, provider, order) : undefined;
  const reason =
    csrId === csr.id ? 'its provider was disabled' : 'another CSR was uploaded, or this one deleted';
  return async (tx) => {
    const spkiSha256 = (await findCsr(tx, csrId))?.spkiSha256;
    const named = { csrId, ...(spkiSha256 !== undefined && { spkiSha256 }), providerId };
    const entry =
      issued === undefined
        ? perhapsLost(fqdn, named, reason)
        : notAccepted(fqdn, provider, { ...issued, reason });
    if (pendingKeyOf(before) !== undefined || isCsrSent(order))
      await recordAudit(tx, callerFor(lease.entry), entry, clock.now());
    if (requestId !== undefined) await endRenewalIssuances(tx, [requestId]);
  };
}

/** A certificate that cannot be stored for whatever reason goes into the journal, so that no second one is asked for. */
async function store(
  deps: RenewDeps,
  lease: RenewalLease,
  subject: FoundSubject,
  issued: IssuedCertificate,
): Promise<RenewalEnd> {
  try {
    const caller = callerFor(lease.entry);
    const { id } = await deps.batches.settle({ ...subject, caller, lease, issued });
    return reportRenewed(deps, lease.entry, subject.fqdn, id);
  } catch (error) {
    if (isGone(error) || subject.csr === undefined) throw error;
    const { certificatePem, upstreamId } = issued;
    const [csrId, providerId] = [subject.csr.id, subject.provider.id];
    const next = { ...lease.journal(), csrId, providerId, issued: { certificatePem, upstreamId } };
    await lease.storeJournal(async () => next);
    throw error;
  }
}

/** A refusal by the policy of the space: until that changes, or the CSR, further tries are useless. */
function refused({ message: reason, code }: AppError): SignOutcome {
  return { isSigned: false, isPermanent: true, reason, code };
}

/** What an issuance stores of the order in a journal. */
function orderOf(journal: RenewalJournal): Pick<IssuanceRow, 'orderState' | 'orderUrl'> {
  const orderState = journal.order ?? null;
  return { orderState, orderUrl: readOrderRecord(orderState).url ?? null };
}
