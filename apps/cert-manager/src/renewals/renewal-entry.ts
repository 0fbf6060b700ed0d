import type { RenewalStatus } from '@certloop/contracts';
import { dueAfterLapse } from './queue/retry-policy.js';

/** The part of a renewal entry that moves. */
export interface RenewalState {
  readonly status: RenewalStatus;
  readonly scheduledAt: Date;
  /** Number of the try, from 1. Each write names it and the worker, so that a former worker cannot write. */
  readonly attempt: number;
  /** The worker that has claimed it, and until when the claim holds; null when unclaimed. */
  readonly leaseOwner: string | null;
  readonly leaseUntil: Date | null;
  /** Why it failed or has to be tried again. */
  readonly reason: string | null;
  readonly finishedAt: Date | null;
}

/** Event that may happen to an entry. `attempt` is the number of the try that a worker has claimed. */
export type RenewalEvent =
  /** It is due, and someone takes it. */
  | { readonly kind: 'claim'; readonly now: Date; readonly owner: string; readonly leaseUntil: Date }
  /** Its worker is still at work. */
  | { readonly kind: 'extend'; readonly attempt: number; readonly leaseUntil: Date }
  | { readonly kind: 'complete'; readonly attempt: number; readonly at: Date }
  | { readonly kind: 'fail'; readonly attempt: number; readonly at: Date; readonly reason: string }
  /** Who has it stops, and leaves it to the next one: no fault of the entry. */
  | { readonly kind: 'leave'; readonly attempt: number }
  /** Its worker has not extended the lease. */
  | {
      readonly kind: 'lapse';
      readonly now: Date;
      /** Validity of the certificate that is to be renewed. */
      readonly notBefore: Date;
      readonly notAfter: Date;
    }
  /** It is to run at another moment. */
  | { readonly kind: 'move'; readonly scheduledAt: Date };

/** Reason of an entry whose worker vanished. */
export const leaseExpired = 'lease_expired';

/**
 * How an event changes an entry, or undefined when it may not happen to it: pending → processing → completed or
 * failed, both final; back to pending when its worker stops, and when the lease has lapsed, which counts as a try.
 */
export function changeOfRenewal(entry: RenewalState, event: RenewalEvent): Partial<RenewalState> | undefined {
  return entry.status === 'pending' ? whilePending(entry, event) : whileProcessing(entry, event);
}

function whilePending(entry: RenewalState, event: RenewalEvent): Partial<RenewalState> | undefined {
  if (event.kind === 'move') return { scheduledAt: event.scheduledAt };
  if (event.kind !== 'claim' || entry.scheduledAt > event.now) return undefined;
  return claimedBy(event.owner, event.leaseUntil);
}

/** Returns the columns that mark a due entry as taken. */
export function claimedBy(owner: string, leaseUntil: Date): Partial<RenewalState> {
  return { status: 'processing', leaseOwner: owner, leaseUntil };
}

function whileProcessing(entry: RenewalState, event: RenewalEvent): Partial<RenewalState> | undefined {
  if (entry.status !== 'processing') return undefined;
  if (event.kind === 'lapse') return lapsed(entry, event);
  if (event.kind === 'claim' || event.kind === 'move' || event.attempt !== entry.attempt) return undefined;
  if (event.kind === 'extend') return { leaseUntil: event.leaseUntil };
  if (event.kind === 'leave') return { status: 'pending', leaseOwner: null, leaseUntil: null };
  const settled = { leaseOwner: null, leaseUntil: null, finishedAt: event.at };
  return event.kind === 'complete'
    ? { ...settled, status: 'completed', reason: null }
    : { ...settled, status: 'failed', reason: event.reason };
}

function lapsed(
  entry: RenewalState,
  lapse: Extract<RenewalEvent, { kind: 'lapse' }>,
): Partial<RenewalState> | undefined {
  if (entry.leaseUntil === null || entry.leaseUntil > lapse.now) return undefined;
  return {
    status: 'pending',
    attempt: entry.attempt + 1,
    scheduledAt: dueAfterLapse({ ...lapse, attempt: entry.attempt }),
    leaseOwner: null,
    leaseUntil: null,
    reason: leaseExpired,
  };
}
