import { setTimeout } from 'node:timers/promises';
import { type AcmeOrder, AcmeProblem, UpstreamFailed } from '@certloop/contracts';
import type { Clock } from '@certloop/server';
import type { OrderSubject } from '../../judging/csr-rules.js';
import type { Account } from '../acme-account.service.js';
import type { AcmeClient, Resource } from '../acme-operations.js';
import { isForgotten, isForNow, retryAtOf } from '../problem-reading.js';
import { type OrderRecord, readOrderRecord } from './order-record.js';
import {
  type ChallengeItem,
  evenIfAbandoned,
  type OrderJournal,
  type OrderMoment,
  type OrderStep,
  type StepChange,
} from './order-steps.js';
import type { Prover } from './prover.service.js';

/** Waits; rejects when the service stops in the meantime. */
export type Pause = (ms: number) => Promise<void>;

/** Waits that end when the signal fires; they reject with its reason then. */
export function pauseUntil(signal: AbortSignal): Pause {
  return async (ms) => {
    await setTimeout(ms, undefined, { signal }).catch(() => signal.throwIfAborted());
  };
}

export interface OrderDeps {
  readonly client: AcmeClient;
  readonly account: Account;
  readonly prover: Prover;
  readonly journal: OrderJournal;
  readonly clock: Clock;
  readonly pause: Pause;
  /** Called at each moment; an error that it throws ends the work as a crash would. */
  readonly atMoment: (moment: OrderMoment) => Promise<void>;
}

export interface OrderTerms extends OrderSubject {
  readonly profile?: string | undefined;
  /** Name in renewal information of the certificate whose place the new one takes (RFC 9773 §5). */
  readonly replaces?: string | undefined;
  /** How long the order may wait for the CA, in all. */
  readonly waitMs: number;
}

/** One order in the hands of this process. */
export interface OrderRun {
  readonly deps: OrderDeps;
  readonly terms: OrderTerms;
  record: OrderRecord;
  /** Challenges that the CA was asked to look at, by this process. */
  readonly answered: Set<string>;
  readonly items: Map<string, ChallengeItem>;
  /** How often the CA was asked again since this process did its part last. */
  looks: number;
  waitedMs: number;
  /** The order ends, and the CA may have issued a certificate that it does not show. */
  mayHaveIssued?: boolean;
}

/** An order as the CA last returned it. */
export type CurrentOrder = Resource<AcmeOrder> & { readonly url: string };

/** An order as it was left on disk. */
export function createOrderRun(deps: OrderDeps, terms: OrderTerms): OrderRun {
  const record = readOrderRecord(deps.journal.stored);
  return { deps, terms, record, answered: new Set(), items: new Map(), looks: 0, waitedMs: 0 };
}

/** Stores how far the order has come. */
export async function storeProgress(run: OrderRun, change: OrderRecord): Promise<void> {
  const { isFinalizing } = run.record;
  run.record = { ...run.record, ...change };
  const written = run.deps.journal.store(run.record);
  await (isFinalizing === true ? evenIfAbandoned(written) : written);
}

/** Reports the result of a step. */
export async function reportStep(run: OrderRun, step: OrderStep, change: StepChange): Promise<void> {
  const written = run.deps.journal.onStep?.(step, change) ?? Promise.resolve();
  await (run.record.isFinalizing === true ? evenIfAbandoned(written) : written);
}

const minWaitMs = 1000;
const maxWaitMs = 600_000;

// Most CAs validate and issue within half a second and name no moment at which to ask again.
const firstLooksMs: readonly number[] = [50, 100, 250, 500];

/** Waits until an order that the CA works on is worth a further look: as long as the CA says, else longer each time. */
export async function waitToLook(run: OrderRun, retryAt: Date | undefined): Promise<void> {
  const usualMs = firstLooksMs[run.looks] ?? minWaitMs;
  run.looks += 1;
  await wait(run, retryAt === undefined ? usualMs : msUntil(run, retryAt));
}

/** Waits after a failure: until the CA wants to be asked again, a second at least. */
export async function waitFor(run: OrderRun, retryAt: Date | undefined): Promise<void> {
  await wait(run, retryAt === undefined ? minWaitMs : msUntil(run, retryAt));
}

const msUntil = ({ deps }: OrderRun, retryAt: Date): number =>
  Math.min(Math.max(retryAt.getTime() - deps.clock.now().getTime(), minWaitMs), maxWaitMs);

async function wait(run: OrderRun, ms: number): Promise<void> {
  run.waitedMs += ms;
  if (run.waitedMs > run.terms.waitMs) {
    throw new UpstreamFailed('the CA did not complete the order in time', { timedOut: true });
  }
  await run.deps.pause(ms);
}

const maxFailures = 3;

/** What only reads may fail now and then. */
export async function readPatiently<T>(run: OrderRun, read: () => Promise<T>): Promise<T> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await read();
    } catch (error) {
      if (failures === maxFailures || !canRetryOrder(error)) throw await judgeLook(run, error);
      await waitFor(run, retryAtOf(error));
    }
  }
}

// then it is taken for lost, as a certificate that no one can get is worth less than a second one
const maxRefusedLooks = 5;

/**
 * What it means that an order could not be looked at. Once the CSR may be in the CA's hands, a refusal to show the
 * order, by a gateway or for a key that was changed, is no end of it: another order would lead to a second certificate.
 */
export async function judgeLook(run: OrderRun, error: unknown): Promise<unknown> {
  const { isFinalizing, refusedLooks = 0 } = run.record;
  if (isFinalizing !== true || !(error instanceof AcmeProblem)) return error;
  if (isForNow(error)) return error;
  if (isForgotten(error) || refusedLooks + 1 >= maxRefusedLooks) {
    run.mayHaveIssued = true;
    return error;
  }
  await storeProgress(run, { refusedLooks: refusedLooks + 1 });
  const { code, message } = error;
  return new UpstreamFailed(`the CA refuses to show the order: ${message}`, { code, cause: error });
}

/** Whether the same request may well succeed a little later. */
function canRetryOrder(error: unknown): boolean {
  if (error instanceof AcmeProblem) return error.type === 'serverInternal';
  return error instanceof UpstreamFailed && error.code !== 'target_refused';
}
