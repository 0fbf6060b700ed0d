import { AppError } from '@certloop/contracts';
import { recordAudit } from '../../audit/audit.service.js';
import {
  askProvider,
  createWorker,
  IssuanceLost,
  type WorkerDeps,
} from '../../issuance/signing/issuance-worker.service.js';
import { findDropped, notAccepted } from '../../issuance/signing/lost-certificate.service.js';
import type { IssuedCertificate, OrderState, SignOutcome, SignRefusal } from '../../providers/provider.js';
import type { RenewalRow } from '../renewals.repository.js';
import type { BegunRenewal } from './begin-renewals.service.js';
import type { FoundSubject } from './find-subjects.service.js';
import { LeaseLost, openLease, type RenewalLease } from './renewal-lease.service.js';
import {
  callerFor,
  type RenewalEnd,
  reportRenewed,
  type SettleDeps,
  settleFailed,
} from './settle-renewal.service.js';
import type { createSettler } from './settle-renewed.service.js';

/**
 * Steps of a renewal, in this order. After each of them the process may end: an entry is claimed again, at once if the
 * process was asked to stop, else when its lease has expired, and goes on after what is on disk. Between the first two,
 * the worker of its issuance stores how far the order has come, if its provider has orders.
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
  /** Stores the certificate, ends the entry and plans the next one, all or nothing. */
  readonly settle: ReturnType<typeof createSettler>;
  /** Called at each step; an error that it throws ends the work as a crash would. */
  readonly atStep: (step: RenewalStep, entry: RenewalRow) => Promise<void>;
}

/**
 * Renews the certificate of an entry that this worker has begun, and settles it. A refusal of the provider is
 * an end like any other; throws only unexpected errors, and the reason of a stop that ends a call. The entry stays
 * claimed then: the caller releases it at a stop, or lets the lease expire. Its issuance blocks no other request any more.
 */
export async function renewCertificate(deps: RenewDeps, begun: BegunRenewal): Promise<RenewalEnd> {
  const { entry, subject } = begun;
  const lease = openLease(deps, entry, subject.earlier);
  try {
    const outcome = await ask(deps, lease, begun);
    const end = outcome.isSigned
      ? await store(deps, lease, subject, outcome)
      : await settleFailed(deps, lease, subject, withDoubt(outcome, begun));
    if (end.kind === 'failed' && end.next === 'none') {
      await deps.atStep('given_up', entry);
      const { reason } = end;
      await recordDropped(deps, lease, subject, { reason, order: lease.issuance()?.orderState });
    }
    await deps.atStep('settled', entry);
    return end;
  } catch (error) {
    await abandonIssuance(deps, lease);
    if (isGone(error)) return { kind: 'lost', entryId: entry.id };
    throw error;
  } finally {
    lease.release();
  }
}

/** The provider's answer, or the outcome that was known before. */
async function ask(deps: RenewDeps, lease: RenewalLease, begun: BegunRenewal): Promise<SignOutcome> {
  if ('outcome' in begun) {
    await deps.atStep('claimed', begun.entry);
    return begun.outcome;
  }
  const worker = createWorker(deps, begun.issuance);
  lease.hold(worker);
  await deps.atStep('claimed', begun.entry);
  if (begun.replaced !== undefined) await recordDropped(deps, lease, begun.subject, begun.replaced);
  const outcome = await askProvider(worker, begun.subject, begun.isAskedAgain);
  await deps.atStep('answered', begun.entry);
  return outcome;
}

/** A CA that was asked before may have issued then; where none is asked now, an earlier request stays as it is. */
function withDoubt(refusal: SignRefusal, begun: BegunRenewal): SignRefusal {
  const mayHaveIssued = 'outcome' in begun || begun.isAskedAgain || refusal.mayHaveIssued === true;
  return { ...refusal, mayHaveIssued };
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
  { reason, order }: { readonly reason: string; readonly order: OrderState | null | undefined },
): Promise<void> {
  const issued = await findDropped(opener, provider, order);
  if (issued === undefined) return;
  const entry = notAccepted(fqdn, provider, { ...issued, reason });
  await db.transaction((tx) => recordAudit(tx, callerFor(lease.entry), entry, clock.now()));
}

/** The FQDN or the entry went while it was being renewed. */
function isGone(error: unknown): boolean {
  const isLost = error instanceof LeaseLost || error instanceof IssuanceLost;
  return isLost || (error instanceof AppError && error.kind === 'not_found');
}

/** A certificate that cannot be stored for whatever reason is stored as an answer, so that no second one is asked for. */
async function store(
  deps: RenewDeps,
  lease: RenewalLease,
  subject: FoundSubject,
  issued: IssuedCertificate,
): Promise<RenewalEnd> {
  try {
    const caller = callerFor(lease.entry);
    const { id } = await deps.settle({ ...subject, caller, lease, issued });
    return reportRenewed(deps, lease.entry, subject.fqdn, id);
  } catch (error) {
    const { certificatePem, upstreamId } = issued;
    if (!isGone(error)) await lease.storeAnswer({ certificatePem, upstreamId });
    throw error;
  }
}
