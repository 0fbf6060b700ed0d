import { AppError } from '@certloop/contracts';
import { batched } from '@certloop/server';
import { nilUuid } from '../../access/caller.js';
import { isCsrSent } from '../../acme/orders/order-record.js';
import { isSendingCsr } from '../../acme/orders/order-steps.js';
import { recordAudit } from '../../audit/audit.service.js';
import { requireUncompromisedKey } from '../../certificates/compromised-keys.repository.js';
import { type CsrRow, findCsr } from '../../csrs/csrs.repository.js';
import { requireAllowed } from '../../csrs/judge-issuance.service.js';
import { fqdnNotFound } from '../../fqdns/fqdns.repository.js';
import { hasJobWithOrder } from '../../issuance/jobs/open-jobs.repository.js';
import { idempotencyKeyOf } from '../../issuance/signing/idempotency-key.js';
import { findDropped, notAccepted, perhapsLost } from '../../issuance/signing/lost-certificate.service.js';
import { signingRequestOf } from '../../issuance/signing/record-signing.service.js';
import {
  deleteSigningRequests,
  insertSigningRequests,
} from '../../issuance/signing/signing-requests.repository.js';
import type { ProviderOpener } from '../../providers/open-provider.service.js';
import type { IssuedCertificate, OrderProgress, SignOutcome } from '../../providers/provider.js';
import { kindOf } from '../../providers/provider-kinds.js';
import { mayHaveCertificate } from '../renewal-entry.js';
import { hasRenewalWithOrder } from '../renewal-history.repository.js';
import { pendingKeyOf, pendingRequest, type RenewalJournal } from '../renewal-journal.js';
import type { RenewalRow } from '../renewals.repository.js';
import { type FoundSubject, findSubjects } from './find-subjects.service.js';
import { type LeaseDeps, LeaseLost, openLease, type RenewalLease } from './renewal-lease.service.js';
import { callerFor, type RenewalEnd, type SettleDeps, settleFailed } from './settle-renewal.service.js';
import { createSettler, type Settlement } from './settle-renewed.service.js';

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
export type RenewalStep = (typeof renewalSteps)[number];

export interface RenewDeps extends LeaseDeps, SettleDeps {
  readonly opener: ProviderOpener;
  readonly batches: RenewalBatches;
  /** Called at each step; an error that it throws ends the work as a crash would. */
  readonly atStep: (step: RenewalStep, entry: RenewalRow) => Promise<void>;
}

/**
 * Renews the certificate of an entry that this worker has claimed, and settles it. A refusal of the provider is
 * an end like any other; throws only unexpected errors, and the reason of a stop that ends a call. The entry stays
 * claimed then: the caller releases it at a stop, or lets the lease expire.
 */
export async function renewCertificate(deps: RenewDeps, entry: RenewalRow): Promise<RenewalEnd> {
  const lease = openLease(deps, entry);
  try {
    await deps.atStep('claimed', entry);
    const subject = await deps.batches.findSubject(entry);
    if (subject === undefined) throw fqdnNotFound();
    const outcome = await ask(deps, lease, subject);
    const end = outcome.isSigned
      ? await store(deps, lease, subject, outcome)
      : await settleFailed(deps, lease, subject, outcome);
    if (end.kind === 'failed' && end.next === 'none') await recordDropped(deps, lease, subject, end.reason);
    await deps.atStep('settled', entry);
    return end;
  } catch (error) {
    if (isGone(error)) return { kind: 'lost', entryId: entry.id };
    throw error;
  } finally {
    lease.release();
  }
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
  return error instanceof LeaseLost || (error instanceof AppError && error.kind === 'not_found');
}

/** Someone was as quick to ask for a certificate as this worker was to claim the entry. */
const requested: SignOutcome = { isSigned: false, reason: 'a request for this FQDN is under way' };

/** What works on several renewals at once does together for them. */
export interface RenewalBatches {
  /** The subject of a claimed entry; undefined when its FQDN is gone. */
  findSubject(entry: RenewalRow): Promise<FoundSubject | undefined>;
  /** Stores the certificate, ends the entry and plans the next one, all or nothing. */
  settle(settlement: Settlement): Promise<RenewalEnd>;
}

// as many as are claimed at once, and a few more
const maxSubjects = 16;

export function createRenewalBatches(deps: SettleDeps): RenewalBatches {
  const find = (entries: readonly RenewalRow[]) => deps.db.transaction((tx) => findSubjects(tx, entries));
  return {
    findSubject: batched(
      async (entries) => (await find(entries)).map((value) => ({ status: 'fulfilled', value })),
      maxSubjects,
    ),
    settle: createSettler(deps),
  };
}

/** The provider's answer, or the one that it gave before this process took the renewal up. */
async function ask(deps: RenewDeps, lease: RenewalLease, subject: FoundSubject): Promise<SignOutcome> {
  const { csr, provider, refusal } = subject;
  const recorded = lease.journal()?.issued;
  if (recorded !== undefined) return { isSigned: true, ...recorded };
  // what a CA has been given the CSR for goes on all the same, but no CA is asked again to certify a compromised key
  const isBegun = subject.isKeyCompromised
    ? isCsrSent(lease.journal()?.order)
    : mayHaveCertificate(lease.journal());
  if (subject.isRequested && !isBegun) return requested;
  if (refusal !== undefined && !isBegun) return refused(refusal);
  if (csr === undefined) return { isSigned: false, reason: 'no CSR is stored for this FQDN' };
  const idempotencyKey = await recordRequest(deps, lease, { ...subject, csr });
  const outcome = await refusedIfClosed(() =>
    deps.opener
      .openForSigning(provider)
      .sign(csr.csrPem, progressOf(deps, lease, { ...subject, csr }), idempotencyKey),
  );
  await deps.atStep('answered', lease.entry);
  return outcome;
}

/**
 * The idempotency key with which the provider is to be asked. For one without orders it is on disk: a process that takes over asks with
 * it, although another certificate may be the newest by then. The request is recorded as those of csr/sign are, so that
 * `recoverSigning` asks again where the entry is deleted, or no try follows.
 */
async function recordRequest(
  { clock, leaseMs, opener }: RenewDeps,
  lease: RenewalLease,
  { fqdn, csr, provider, newestId }: FoundSubject & { readonly csr: CsrRow },
): Promise<string> {
  const before = lease.journal();
  const isSame = before?.csrId === csr.id && before.providerId === provider.id;
  const keyBefore = pendingKeyOf(before);
  if (isSame && keyBefore !== undefined) return keyBefore;
  const order = isSame ? before.order : undefined;
  const idempotencyKey = idempotencyKeyOf({ purpose: 'renew', fqdnId: fqdn.id, csrId: csr.id, newestId });
  const isDirect = kindOf(provider).issuance === 'direct';
  const dropped = isSame ? undefined : before?.order;
  if (!isDirect && keyBefore === undefined && !isCsrSent(dropped)) return idempotencyKey;
  const now = clock.now();
  const caller = callerFor(lease.entry);
  const request = signingRequestOf(
    { caller, order: { fqdn, csr, provider }, idempotencyKey },
    { now, leaseMs },
  );
  const asked = isDirect ? pendingRequest(idempotencyKey, request.id) : {};
  const next = { csrId: csr.id, providerId: provider.id, ...(order && { order }), ...asked };
  const issued =
    before?.providerId === provider.id ? await findDropped(opener, provider, dropped) : undefined;
  await lease.storeJournal(next, async (tx) => {
    if (isDirect) await insertSigningRequests(tx, [request]);
    if (before === null || (keyBefore === undefined && !isCsrSent(dropped))) return;
    const { csrId, providerId, requestId } = before;
    const reason =
      csrId === csr.id ? 'its provider was disabled' : 'another CSR was uploaded, or this one deleted';
    const spkiSha256 = (await findCsr(tx, csrId))?.spkiSha256;
    const named = { csrId, ...(spkiSha256 !== undefined && { spkiSha256 }), providerId };
    const entry =
      issued === undefined
        ? perhapsLost(fqdn, named, reason)
        : notAccepted(fqdn, provider, { ...issued, reason });
    await recordAudit(tx, caller, entry, now);
    if (requestId !== undefined) await deleteSigningRequests(tx, [requestId]);
  });
  return idempotencyKey;
}

/** A certificate that cannot be stored for whatever reason goes into the journal, so that no second one is asked for. */
async function store(
  deps: RenewDeps,
  lease: RenewalLease,
  subject: FoundSubject,
  issued: IssuedCertificate,
): Promise<RenewalEnd> {
  try {
    return await deps.batches.settle({ lease, subject, issued });
  } catch (error) {
    if (isGone(error) || subject.csr === undefined) throw error;
    const { certificatePem, upstreamId } = issued;
    await lease.storeJournal({
      ...lease.journal(),
      csrId: subject.csr.id,
      providerId: subject.provider.id,
      issued: { certificatePem, upstreamId },
    });
    throw error;
  }
}

/** A provider that was disabled or spoilt since the claim refuses like any other. */
async function refusedIfClosed(sign: () => Promise<SignOutcome>): Promise<SignOutcome> {
  try {
    return await sign();
  } catch (error) {
    if (error instanceof AppError) return { isSigned: false, reason: error.message };
    throw error;
  }
}

/** A refusal by the policy of the space: until that changes, or the CSR, further tries are useless. */
function refused({ message: reason, code }: AppError): SignOutcome {
  return { isSigned: false, isPermanent: true, reason, code };
}

function progressOf(
  { db, clock }: RenewDeps,
  lease: RenewalLease,
  subject: FoundSubject & { readonly csr: CsrRow },
): OrderProgress {
  const { csr, provider, replaces } = subject;
  const journal = lease.journal();
  const [csrId, providerId] = [csr.id, provider.id];
  const isSame = journal?.csrId === csrId && (journal.providerId ?? providerId) === providerId;
  return {
    // an order for another CSR, or of another provider, is useless
    stored: isSame ? journal.order : undefined,
    isHeldElsewhere: (url) =>
      db.read(
        async (tx) =>
          (await hasRenewalWithOrder(tx, url, lease.entry.id)) || (await hasJobWithOrder(tx, url, nilUuid)),
      ),
    replaces,
    onStep: async (step, change) => {
      if (isSendingCsr(step, change)) {
        await db.read(async (tx) => {
          await requireAllowed(tx, subject);
          await requireUncompromisedKey(tx, csr);
        });
      }
    },
    store: (order, unaccepted) => {
      const next: RenewalJournal = { csrId, providerId, ...(order !== undefined && { order }) };
      return lease.storeJournal(next, async (tx) => {
        if (unaccepted === undefined) return;
        const entry = notAccepted(subject.fqdn, provider, unaccepted);
        await recordAudit(tx, callerFor(lease.entry), entry, clock.now());
      });
    },
  };
}
