import type { AppError } from '@certloop/contracts';
import { constraintViolation, type Tx, yieldBetween } from '@certloop/db';
import { isCsrSent } from '../../acme/orders/order-record.js';
import { recordAudit } from '../../audit/audit.service.js';
import type { DbDeps } from '../../db-deps.js';
import { lockFqdns } from '../../fqdns/fqdns.repository.js';
import { newIssuance } from '../../issuance/signing/begin-signing.service.js';
import { isSame, mayHaveCertificate } from '../../issuance/signing/issuance-state.js';
import {
  deleteIssuancesById,
  type IssuanceRow,
  takeOrderLeft,
} from '../../issuance/signing/issuances.repository.js';
import { perhapsLost } from '../../issuance/signing/lost-certificate.service.js';
import { beginRenewalIssuance, RenewalOvertaken } from '../../issuance/signing/renewal-issuance.service.js';
import type { OrderState, SignOutcome } from '../../providers/provider.js';
import { kindOf } from '../../providers/provider-kinds.js';
import { findProvider } from '../../providers/providers.repository.js';
import { changeOfRenewal } from '../renewal-entry.js';
import { type RenewalRow, updateRenewal } from '../renewals.repository.js';
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
      readonly replaced?: { readonly reason: string; readonly order: OrderState | null } | undefined;
    }
  /** No CA is asked: an earlier try has got the certificate, or the renewal is refused. */
  | { readonly subject: FoundSubject; readonly outcome: SignOutcome }
);

export interface BeginRenewalsDeps extends DbDeps {
  readonly emit: RenewalEvents;
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
    if (subject !== undefined) begun.push(await record(tx, deps, entry, subject));
    // the FQDN is gone, and the entry goes with it
    else
      await updateRenewal(tx, entry, {
        ...changeOfRenewal(entry, { kind: 'leave', attempt: entry.attempt }),
      });
  }
  await ca?.take(begun.length);
  return { begun, isTaken: ids.length > 0 && claimed.length === 0 };
}

/** Stores what the CA is asked for, unless it need not be asked. */
async function record(
  tx: Tx,
  deps: BeginRenewalsDeps,
  entry: RenewalRow,
  subject: FoundSubject,
): Promise<BegunRenewal> {
  const { csr, refusal, earlier, stored } = subject;
  if (earlier?.issued != null) return { entry, subject, outcome: { isSigned: true, ...earlier.issued } };
  if (stored !== undefined) {
    const { pem: certificatePem, upstreamId } = stored;
    return { entry, subject, outcome: { isSigned: true, certificatePem, upstreamId } };
  }
  if (refusal !== undefined && !isAskedAgain(subject)) return { entry, subject, outcome: refused(refusal) };
  if (csr !== undefined) return recordRequest(tx, deps, entry, { ...subject, csr });
  return { entry, subject, outcome: { isSigned: false, reason: 'no CSR is stored for this FQDN' } };
}

/** Whether its CA may have issued in an earlier try; no CA is asked again to certify a compromised key. */
function isAskedAgain({ earlier, isKeyCompromised }: FoundSubject): boolean {
  if (earlier === undefined) return false;
  return isKeyCompromised ? isCsrSent(earlier.orderState) : mayHaveCertificate(earlier);
}

/** A refusal by the policy of the space: until that changes, or the CSR, further tries are useless. */
function refused({ message: reason, code }: AppError): SignOutcome {
  return { isSigned: false, isPermanent: true, reason, code };
}

/**
 * Stores the issuance by which the provider is to be asked, or continues that of an earlier try for the same CSR by the same
 * provider. Throws RenewalOvertaken.
 */
async function recordRequest(
  tx: Tx,
  deps: BeginRenewalsDeps,
  entry: RenewalRow,
  subject: SubjectWithCsr,
): Promise<BegunRenewal> {
  const { fqdn, csr, provider, newestId, earlier: before } = subject;
  const place = { fqdnId: fqdn.id, csrId: csr.id, providerId: provider.id };
  const earlier = before !== undefined && isSame(before, place) ? before : undefined;
  const replaced =
    before === undefined || before === earlier
      ? undefined
      : await recordReplaced(tx, deps, entry, { ...subject, before });
  const isOrder = kindOf(provider).issuance === 'order';
  const row = {
    ...newIssuance(deps, { caller: callerFor(entry), subject }, newestId),
    ...(isOrder && earlier === undefined && (await takeOrderLeft(tx, place))),
    cause: 'renewal' as const,
    isOrder,
    isConfirmed: false,
  };
  const issuance = await beginRenewalIssuance(tx, { issuance: row, earlier }, deps);
  await updateRenewal(tx, entry, { issuanceId: issuance.id, journal: null });
  return {
    entry,
    subject,
    issuance,
    isAskedAgain: earlier !== undefined && isAskedAgain(subject),
    replaced,
  };
}

interface Replaced extends SubjectWithCsr {
  readonly before: IssuanceRow;
}

/** Ends the request of an earlier try, for another CSR or provider, and records if that may have led to a certificate. */
async function recordReplaced(
  tx: Tx,
  { clock }: BeginRenewalsDeps,
  entry: RenewalRow,
  { fqdn, csr, provider, before }: Replaced,
): Promise<{ readonly reason: string; readonly order: OrderState | null } | undefined> {
  const { csrId, spkiSha256, providerId, orderState } = before;
  const reason =
    csrId === csr.id ? 'its provider was disabled' : 'another CSR was uploaded, or this one deleted';
  if (mayHaveCertificate(before)) {
    const lost = perhapsLost(fqdn, { csrId, spkiSha256, providerId }, reason);
    await recordAudit(tx, callerFor(entry), lost, clock.now());
  }
  await deleteIssuancesById(tx, [before.id]);
  return providerId === provider.id ? { reason, order: orderState } : undefined;
}
