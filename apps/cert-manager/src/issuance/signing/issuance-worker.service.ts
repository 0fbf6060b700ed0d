import { AppError } from '@certloop/contracts';
import type { Database, Tx } from '@certloop/db';
import { isCsrSent, readOrderRecord } from '../../acme/orders/order-record.js';
import { isSendingCsr, OrderAbandoned } from '../../acme/orders/order-steps.js';
import { recordAudit } from '../../audit/audit.service.js';
import type { AuditEntry } from '../../audit/audit-entry.js';
import type { ProviderOpener } from '../../providers/open-provider.service.js';
import type { OrderProgress, OrderState, SignOutcome } from '../../providers/provider.js';
import { callerOfJob } from '../jobs/job-audit.js';
import { changeStep, type StepReports } from '../jobs/request-plan.js';
import type { createObstacleCheck, IssuanceSubject } from './find-obstacles.service.js';
import { extendLease, type LeaseDeps } from './issuance-lease.service.js';
import { changeOfIssuance } from './issuance-state.js';
import {
  findIssuance,
  hasIssuanceWithOrder,
  type IssuanceRow,
  updateIssuance,
} from './issuances.repository.js';
import { notAccepted } from './lost-certificate.service.js';

export interface WorkerDeps extends LeaseDeps {
  readonly db: Database;
  readonly opener: ProviderOpener;
  /** Rejects if the policy, the key or the provider forbids what is about to be sent to the CA. */
  readonly check: ReturnType<typeof createObstacleCheck>;
}

/** A claimed issuance in the hands of this process, whatever its cause. */
export interface IssuanceWorker {
  readonly deps: WorkerDeps;
  readonly issuance: IssuanceRow;
  /** As they are stored by now. */
  steps: StepReports;
  orderState: OrderState | null;
  /** Stops extending the lease. */
  readonly release: () => void;
}

/** Another worker has claimed the issuance, or it was deleted. */
export class IssuanceLost extends Error {
  override readonly name = 'IssuanceLost';
}

/** A later order of the ACME client has replaced the CSR before it was sent: the issuance goes on with that. */
export class CsrReplaced extends Error {
  override readonly name = 'CsrReplaced';
  readonly issuance: IssuanceRow;

  constructor(issuance: IssuanceRow) {
    super('a later order has replaced the CSR');
    this.issuance = issuance;
  }
}

/** Takes an issuance in hand that this process has claimed, and extends its lease until the worker is released. */
export function createWorker(deps: WorkerDeps, issuance: IssuanceRow): IssuanceWorker {
  const { steps, orderState } = issuance;
  const release = extendLease(deps, { issuance: issuance.id }, async (now) => {
    const change = changeOfIssuance(issuance, { kind: 'extend', now }, deps);
    return change !== undefined && (await deps.db.transaction((tx) => updateIssuance(tx, issuance, change)));
  });
  return { deps, issuance, steps, orderState, release };
}

/** Subject to sign, and the PEM of the certificate whose place the new one takes. */
export interface AskedSubject extends IssuanceSubject {
  readonly replaces?: string | undefined;
}

/** The answer of a CA, or why it was not asked: then `error` is the error that its caller gets. */
export type AskedOutcome = SignOutcome & { readonly error?: AppError };

/**
 * Asks the provider for the certificate of an issuance, under its idempotency key, or continues its order. Policy, key and
 * provider are checked once more right before the CSR is sent, unless the CA has it already: `isAskedAgain`. A provider that
 * was disabled or misconfigured in the meantime refuses like any other.
 */
export async function askProvider(
  worker: IssuanceWorker,
  subject: AskedSubject,
  isAskedAgain = false,
): Promise<AskedOutcome> {
  const { csr, provider } = subject;
  try {
    const progress = progressOf(worker, subject, isAskedAgain);
    const opened = worker.deps.opener.openForSigning(provider);
    return await opened.sign(csr.csrPem, progress, worker.issuance.idempotencyKey);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { isSigned: false, reason: error.message, code: error.code, error };
  }
}

function progressOf(worker: IssuanceWorker, subject: AskedSubject, isAskedAgain: boolean): OrderProgress {
  const { issuance, deps } = worker;
  const { fqdn, provider, replaces } = subject;
  return {
    stored: worker.orderState ?? undefined,
    store: async (state, unaccepted) => {
      const orderState = state ?? null;
      const order = { orderState, orderUrl: readOrderRecord(state).url ?? null };
      await writeIssuance(worker, order, async (tx) => {
        if (unaccepted !== undefined) await audit(tx, worker, notAccepted(fqdn, provider, unaccepted));
      });
      worker.orderState = orderState;
    },
    replaces,
    isHeldElsewhere: (url) => deps.db.read((tx) => hasIssuanceWithOrder(tx, url, issuance.id)),
    isConfirmed: issuance.isConfirmed,
    onStep: async (step, change) => {
      if (isSendingCsr(step, change) && !isAskedAgain) await deps.check(subject);
      // the API shows the steps of jobs only
      if (!issuance.isOrder || issuance.cause === 'renewal' || issuance.cause === 'client') return;
      worker.steps = changeStep(worker.steps, step, { ...change }, deps.clock.now());
      await writeIssuance(worker, { steps: worker.steps });
    },
  };
}

/** Writes an entry of the audit log in the name of who asked for the certificate. */
export function audit(tx: Tx, { issuance, deps }: IssuanceWorker, entry: AuditEntry): Promise<void> {
  return recordAudit(tx, callerOfJob(issuance), entry, deps.clock.now());
}

/**
 * Changes the issuance, and writes what belongs to the change. Before the CSR is sent, it must be the one that the issuance
 * has. Throws IssuanceLost, OrderAbandoned and CsrReplaced.
 */
async function writeIssuance(
  { deps, issuance, orderState }: IssuanceWorker,
  change: Partial<IssuanceRow>,
  alsoWrite?: (tx: Tx) => Promise<void>,
): Promise<void> {
  await deps.db.transaction(async (tx) => {
    const isSending = !isCsrSent(orderState) && isCsrSent(change.orderState);
    if (await updateIssuance(tx, issuance, change, isSending ? issuance.csrId : undefined))
      return alsoWrite?.(tx);
    const left = await findIssuance(tx, issuance.id);
    // the FQDN was deleted, and the issuance with it
    if (left === undefined) throw new OrderAbandoned();
    const isMine = left.attempt === issuance.attempt && left.state === issuance.state;
    if (isMine && left.csrId !== issuance.csrId) throw new CsrReplaced(left);
    // only a cancellation ends a job without taking it from its worker
    if (left.attempt === issuance.attempt && left.state === 'failed' && left.cause !== 'renewal')
      throw new OrderAbandoned('the request was cancelled');
    throw new IssuanceLost();
  });
}

/**
 * Leaves an issuance to the next process before its lease expires. A CA without orders, which may have issued, is asked again
 * later.
 */
export async function leaveIssuance(
  { db, clock, leaseMs, logger }: WorkerDeps,
  issuance: IssuanceRow,
): Promise<void> {
  const kind = issuance.isOrder ? 'queue' : 'lose';
  const change = changeOfIssuance(issuance, { kind, now: clock.now() }, { leaseMs });
  if (change === undefined) return;
  try {
    const isMine = await db.transaction((tx) => updateIssuance(tx, issuance, change));
    if (isMine) logger.info({ jobId: issuance.id }, 'issuance.released');
  } catch (error) {
    logger.warn({ jobId: issuance.id, error }, 'issuance.release_failed');
  }
}
