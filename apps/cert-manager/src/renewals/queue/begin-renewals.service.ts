import type { AppError } from '@certloop/contracts';
import { constraintViolation, type Database, type Tx, yieldBetween } from '@certloop/db';
import type { Clock } from '@certloop/server';
import { isCsrSent, readOrderRecord } from '../../acme/orders/order-record.js';
import { recordAudit } from '../../audit/audit.service.js';
import { findNewestCertificate } from '../../certificates/newest-certificates.repository.js';
import { findCsr } from '../../csrs/csrs.repository.js';
import { lockFqdns } from '../../fqdns/fqdns.repository.js';
import { newIssuance } from '../../issuance/signing/begin-signing.service.js';
import { idempotencyKeyOf } from '../../issuance/signing/idempotency-key.js';
import { type IssuanceRow, takeOrderLeft } from '../../issuance/signing/issuances.repository.js';
import { perhapsLost } from '../../issuance/signing/lost-certificate.service.js';
import {
  beginRenewalIssuance,
  endRenewalIssuances,
  RenewalOvertaken,
} from '../../issuance/signing/renewal-issuance.service.js';
import type { OrderState, SignOutcome } from '../../providers/provider.js';
import { kindOf } from '../../providers/provider-kinds.js';
import { findProvider } from '../../providers/providers.repository.js';
import { changeOfRenewal, mayHaveCertificate } from '../renewal-entry.js';
import { pendingKeyOf, pendingRequest, type RenewalJournal } from '../renewal-journal.js';
import { type RenewalRow, updateRenewal } from '../renewals.repository.js';
import { replanRenewals } from '../replan-renewals.service.js';
import { claimRenewals, listDueRenewals } from './due-renewals.repository.js';
import { type FoundSubject, findSubjects, type SubjectWithCsr } from './find-subjects.service.js';
import { lockRoom } from './pace-renewals.service.js';
import { callerFor, type RenewalEvents } from './settle-renewal.service.js';

/** A renewal that this worker has begun: its entry is claimed, and what its CA is asked for is on disk. */
export type BegunRenewal = { readonly entry: RenewalRow } & (
  | {
      readonly subject: SubjectWithCsr;
      readonly issuance: IssuanceRow;
      /** Whether the CA may have issued in an earlier try, so that policy and provider decide nothing any more. */
      readonly isAskedAgain: boolean;
      /** Why the order of an earlier try is not continued, and that order. */
      readonly replaced?: { readonly reason: string; readonly order: OrderState | undefined } | undefined;
    }
  /** No CA is asked: an earlier try has got the certificate, or the renewal is refused. */
  | { readonly subject: FoundSubject; readonly outcome: SignOutcome }
);

export interface BeginRenewalsDeps {
  readonly emit: RenewalEvents;
  readonly db: Database;
  readonly clock: Clock;
  /** How long a worker may be silent before its entries pass to others. */
  readonly leaseMs: number;
}

/** Which renewals are begun: at most `limit` of one provider, by the worker `owner`. */
export interface RenewalClaim {
  readonly providerId: string;
  readonly owner: string;
  readonly limit: number;
}

/**
 * Begins due renewals of a provider, the earliest first, as many as its CA has room for; none of an FQDN whose certificate
 * is being obtained already. Each entry is claimed in the transaction that inserts its issuance. Exactly one of several
 * workers gets an entry.
 */
export async function beginRenewals(deps: BeginRenewalsDeps, claim: RenewalClaim): Promise<BegunRenewal[]> {
  for await (const _round of yieldBetween()) {
    try {
      const { begun, isTaken } = await deps.db.transaction((tx) => begin(tx, deps, claim));
      if (begun.length > 0 || !isTaken) return begun;
    } catch (error) {
      // another request for one of these FQDNs has just begun: the FQDN is seen as busy from now on
      const isOvertaken = error instanceof RenewalOvertaken || constraintViolation(error)?.kind === 'unique';
      if (!isOvertaken) throw error;
    }
  }
  return [];
}

interface Round {
  readonly begun: BegunRenewal[];
  /** Whether other workers were faster with all that was due. */
  readonly isTaken: boolean;
}

async function begin(
  tx: Tx,
  deps: BeginRenewalsDeps,
  { providerId, owner, limit }: RenewalClaim,
): Promise<Round> {
  const now = deps.clock.now();
  // without a lock, since hardly any provider has a pace
  const isPaced = ((await findProvider(tx, providerId))?.pace ?? null) !== null;
  const found = await listDueRenewals(tx, { providerId, now, limit, byExpiry: isPaced });
  if (found.length === 0) return { begun: [], isTaken: false };
  await lockFqdns(
    tx,
    found.map(({ fqdnId }) => fqdnId),
  );
  const ca = isPaced ? await lockRoom(tx, providerId, now) : undefined;
  const ids = found.map(({ id }) => id).slice(0, ca?.room);
  const leaseUntil = new Date(now.getTime() + deps.leaseMs);
  const claimed = await claimRenewals(tx, ids, { owner, leaseUntil, now });
  const subjects = claimed.length === 0 ? [] : await findSubjects(tx, claimed);
  const begun: BegunRenewal[] = [];
  for (const [index, entry] of claimed.entries()) {
    const subject = subjects[index];
    if (subject !== undefined && canBegin(entry, subject)) begun.push(await record(tx, deps, entry, subject));
    else await putBack(tx, deps, entry, subject);
  }
  await ca?.take(begun.length);
  return { begun, isTaken: ids.length > 0 && claimed.length === 0 };
}

/**
 * Whether no job for the FQDN is faster, and none has continued the order of the entry; what a CA has been given the CSR for
 * goes on all the same.
 */
function canBegin(entry: RenewalRow, subject: FoundSubject): boolean {
  if (isOutdated(entry, subject)) return false;
  const journal = journalOf(entry, subject);
  return !subject.isRequested || journal?.issued !== undefined || isBegun(journal, subject);
}

/** Makes a claimed entry pending again, which counts no try. If a newer certificate was stored, its renewal is planned. */
async function putBack(
  tx: Tx,
  { clock, emit }: BeginRenewalsDeps,
  entry: RenewalRow,
  subject: FoundSubject | undefined,
): Promise<void> {
  const left = changeOfRenewal(entry, { kind: 'leave', attempt: entry.attempt });
  await updateRenewal(tx, entry, { ...left, ...(subject && { journal: journalOf(entry, subject) }) });
  if (subject === undefined || !isOutdated(entry, subject)) return;
  const { fqdn } = subject;
  const certificate = await findNewestCertificate(tx, fqdn.id);
  if (certificate === undefined) return;
  await replanRenewals(tx, { changes: [{ caller: callerFor(entry), fqdn, certificate }] }, { clock });
  await emit.renewalPlanned(tx, { fqdn });
}

/** Whether the request that continued the order of the entry has stored its certificate. */
function isOutdated(
  { isTest, certificateId }: RenewalRow,
  { isOrderTaken, newestId }: FoundSubject,
): boolean {
  return isOrderTaken && !isTest && newestId !== undefined && newestId !== certificateId;
}

/** Returns the part of the journal of an entry that still counts. */
function journalOf({ journal }: RenewalRow, { isOrderTaken }: FoundSubject): RenewalJournal | null {
  return isOrderTaken ? null : journal;
}

/** Whether its CA may have issued; no CA is asked again to certify a compromised key. */
function isBegun(journal: RenewalJournal | null, { isKeyCompromised }: FoundSubject): boolean {
  return isKeyCompromised ? isCsrSent(journal?.order) : mayHaveCertificate(journal);
}

/** Stores what the CA is asked for, unless it need not be asked. */
async function record(
  tx: Tx,
  deps: BeginRenewalsDeps,
  claimed: RenewalRow,
  subject: FoundSubject,
): Promise<BegunRenewal> {
  const journal = journalOf(claimed, subject);
  const entry = { ...claimed, journal };
  const { csr, refusal } = subject;
  if (journal?.issued !== undefined)
    return { entry, subject, outcome: { isSigned: true, ...journal.issued } };
  const isAskedAgain = isBegun(journal, subject);
  const isRefused = refusal !== undefined && !isAskedAgain;
  if (!isRefused && csr !== undefined) return recordRequest(tx, deps, entry, { ...subject, csr });
  if (subject.isOrderTaken) await updateRenewal(tx, claimed, { journal });
  if (isRefused) return { entry, subject, outcome: refused(refusal) };
  return { entry, subject, outcome: { isSigned: false, reason: 'no CSR is stored for this FQDN' } };
}

/** A refusal by the policy of the space: until that changes, or the CSR, further tries are useless. */
function refused({ message: reason, code }: AppError): SignOutcome {
  return { isSigned: false, isPermanent: true, reason, code };
}

/**
 * Stores the issuance by which the provider is to be asked. For a provider without orders, the journal stores its idempotency
 * key: a process that takes over asks with it, although another certificate may be the newest by then, and `IssuanceRunner`
 * asks again if the entry is deleted or no try follows. Throws RenewalOvertaken.
 */
async function recordRequest(
  tx: Tx,
  deps: BeginRenewalsDeps,
  entry: RenewalRow,
  subject: SubjectWithCsr,
): Promise<BegunRenewal> {
  const { fqdn, csr, provider, newestId } = subject;
  const { journal: before } = entry;
  const place = { fqdnId: fqdn.id, csrId: csr.id, providerId: provider.id };
  const isSame = before?.csrId === csr.id && (before.providerId ?? provider.id) === provider.id;
  const replaced = isSame || before === null ? undefined : await recordReplaced(tx, deps, entry, subject);
  const earlier = isSame ? before : undefined;
  const isDirect = kindOf(provider).issuance === 'direct';
  const left = isDirect || earlier?.order !== undefined ? undefined : await takeOrderLeft(tx, place);
  const order = earlier?.order ?? left?.orderState ?? undefined;
  const idempotencyKey =
    pendingKeyOf(earlier) ?? idempotencyKeyOf({ fqdnId: fqdn.id, csrId: csr.id, newestId });
  const row = {
    ...newIssuance(deps, { caller: callerFor(entry), subject }, newestId),
    cause: 'renewal' as const,
    isOrder: !isDirect,
    isConfirmed: false,
    orderState: order ?? null,
    orderUrl: readOrderRecord(order).url ?? null,
    idempotencyKey,
  };
  const issuance = await beginRenewalIssuance(tx, { issuance: row, formerId: earlier?.requestId }, deps);
  const asked = isDirect ? pendingRequest(idempotencyKey, issuance.id) : { requestId: issuance.id };
  const journal = { csrId: csr.id, providerId: provider.id, ...(order && { order }), ...asked };
  await updateRenewal(tx, entry, { journal });
  const isAskedAgain = isSame && isBegun(before, subject);
  return { entry: { ...entry, journal }, subject, issuance, isAskedAgain, replaced };
}

/** Ends the request of an earlier try, for another CSR or provider, and records if that may have led to a certificate. */
async function recordReplaced(
  tx: Tx,
  { clock }: BeginRenewalsDeps,
  entry: RenewalRow,
  { fqdn, csr, provider }: SubjectWithCsr,
): Promise<{ readonly reason: string; readonly order: OrderState | undefined } | undefined> {
  const { journal: before } = entry;
  const isAsked = pendingKeyOf(before) !== undefined;
  if (before === null || (!isAsked && before.order === undefined)) return undefined;
  const { csrId, providerId, requestId, order } = before;
  const reason =
    csrId === csr.id ? 'its provider was disabled' : 'another CSR was uploaded, or this one deleted';
  if (isAsked || isCsrSent(order)) {
    const spkiSha256 = (await findCsr(tx, csrId))?.spkiSha256;
    const named = { csrId, ...(spkiSha256 !== undefined && { spkiSha256 }), providerId };
    await recordAudit(tx, callerFor(entry), perhapsLost(fqdn, named, reason), clock.now());
  }
  if (requestId !== undefined) await endRenewalIssuances(tx, [requestId]);
  return providerId === provider.id ? { reason, order } : undefined;
}
