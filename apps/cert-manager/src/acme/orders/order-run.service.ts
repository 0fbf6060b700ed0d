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

/** An order as the CA last returned it. */
export type CurrentOrder = Resource<AcmeOrder> & { readonly url: string };

const minWaitMs = 1000;
const maxWaitMs = 600_000;

// Most CAs validate and issue within half a second and name no moment at which to ask again.
const firstLooksMs: readonly number[] = [50, 100, 250, 500];

const maxFailures = 3;

// then it is taken for lost, as a certificate that no one can get is worth less than a second one
const maxRefusedLooks = 5;

/** One order in the hands of this process; it begins as it was left on disk. */
export class OrderRun {
  readonly deps: OrderDeps;
  readonly terms: OrderTerms;
  record: OrderRecord;
  /** Challenges that the CA was asked to look at, by this process. */
  readonly answered = new Set<string>();
  readonly items = new Map<string, ChallengeItem>();
  /** How often the CA was asked again since this process did its part last. */
  looks = 0;
  /** The order ends, and the CA may have issued a certificate that it does not show. */
  mayHaveIssued = false;
  private waitedMs = 0;

  constructor(deps: OrderDeps, terms: OrderTerms) {
    this.deps = deps;
    this.terms = terms;
    this.record = readOrderRecord(deps.journal.stored);
  }

  /** Stores how far the order has come. */
  async store(change: OrderRecord): Promise<void> {
    const { isFinalizing } = this.record;
    this.record = { ...this.record, ...change };
    const written = this.deps.journal.store(this.record);
    await (isFinalizing === true ? evenIfAbandoned(written) : written);
  }

  /** Reports the result of a step. */
  async report(step: OrderStep, change: StepChange): Promise<void> {
    const written = this.deps.journal.onStep?.(step, change) ?? Promise.resolve();
    await (this.record.isFinalizing === true ? evenIfAbandoned(written) : written);
  }

  /** Waits until an order that the CA works on is worth a further look: as long as the CA says, else longer each time. */
  async waitToLook(retryAt: Date | undefined): Promise<void> {
    const usualMs = firstLooksMs[this.looks] ?? minWaitMs;
    this.looks += 1;
    await this.wait(retryAt === undefined ? usualMs : this.msUntil(retryAt));
  }

  /** Waits after a failure: until the CA wants to be asked again, a second at least. */
  async waitAfterFailure(retryAt?: Date): Promise<void> {
    await this.wait(retryAt === undefined ? minWaitMs : this.msUntil(retryAt));
  }

  private msUntil(retryAt: Date): number {
    return Math.min(Math.max(retryAt.getTime() - this.deps.clock.now().getTime(), minWaitMs), maxWaitMs);
  }

  private async wait(ms: number): Promise<void> {
    this.waitedMs += ms;
    if (this.waitedMs > this.terms.waitMs) {
      throw new UpstreamFailed('the CA did not complete the order in time', { timedOut: true });
    }
    await this.deps.pause(ms);
  }

  /** Returns what `read` returns, which may fail now and then as it only reads. */
  async readPatiently<T>(read: () => Promise<T>): Promise<T> {
    for (let failures = 1; ; failures += 1) {
      try {
        return await read();
      } catch (error) {
        if (failures === maxFailures || !canRetryOrder(error)) throw await this.faultOfLook(error);
        await this.waitAfterFailure(retryAtOf(error));
      }
    }
  }

  /**
   * Returns what it means that an order could not be looked at. Once the CSR may be in the CA's hands, a refusal to show the
   * order, by a gateway or for a key that was changed, is no end of it: another order would lead to a second certificate.
   */
  async faultOfLook(error: unknown): Promise<unknown> {
    const { isFinalizing, refusedLooks = 0 } = this.record;
    if (isFinalizing !== true || !(error instanceof AcmeProblem)) return error;
    if (isForNow(error)) return error;
    if (isForgotten(error) || refusedLooks + 1 >= maxRefusedLooks) {
      this.mayHaveIssued = true;
      return error;
    }
    await this.store({ refusedLooks: refusedLooks + 1 });
    const { code, message } = error;
    return new UpstreamFailed(`the CA refuses to show the order: ${message}`, { code, cause: error });
  }
}

/** Whether the same request may well succeed a little later. */
function canRetryOrder(error: unknown): boolean {
  if (error instanceof AcmeProblem) return error.type === 'serverInternal';
  return error instanceof UpstreamFailed && error.code !== 'target_refused';
}
