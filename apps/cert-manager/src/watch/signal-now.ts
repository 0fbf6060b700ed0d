import type { FqdnState } from '@certloop/contracts';
import type { Expected } from '../statuses/attention.js';
import {
  type ComputedStatus,
  computeStatus,
  expectedOfFacts,
  type StatusFacts,
  stateAt,
} from '../statuses/computed-status.js';

/** Signal of a ping; a `log` changes no status. */
export type WatchSignal = 'success' | 'fail' | 'log';

/** How an FQDN stands, and what its check is to show. */
export interface SignalNow {
  readonly signal: WatchSignal;
  readonly state: FqdnState;
  readonly status: ComputedStatus;
  /** Undefined without a certificate. */
  readonly expected: Expected | undefined;
}

// the monitor's shortest period and its shortest grace
const minPeriodMs = 120_000;

/**
 * The signal of an FQDN: success while it is well, and a failure as soon as people must act. It fails two minutes
 * earlier, as the monitor cannot wait for less. The revocation of a certificate whose successor is ordered is a log, so
 * that the check falls only if that takes longer than 5 minutes.
 */
export function signalNow(facts: StatusFacts, now: Date): SignalNow {
  const status = computeStatus(facts);
  const state = stateAt(status, now);
  const expected = expectedOfFacts(facts);
  const stood = { state, status, expected };
  const isReplaced = expected !== undefined && now < expected.attentionAt && isOrdered(facts, status);
  return { ...stood, signal: state === 'failing' && isReplaced ? 'log' : signalOf(stood, now) };
}

function signalOf({ state, status, expected }: Omit<SignalNow, 'signal'>, now: Date): WatchSignal {
  const { problem, attentionAt } = status;
  if (expected === undefined) return problem === null ? 'success' : 'fail';
  if (state !== 'valid') return 'fail';
  return attentionAt !== null && attentionAt.getTime() - now.getTime() < minPeriodMs ? 'fail' : 'success';
}

/** Whether the certificate is revoked, and nothing is known to prevent its renewal. */
function isOrdered({ renewalFailure, served }: StatusFacts, { problem, outlook }: ComputedStatus): boolean {
  const isHindered = renewalFailure !== undefined || served !== undefined;
  return problem === 'revoked' && outlook === 'planned' && !isHindered;
}

/** The signal of an event: good news is a success only while all is well, bad news a failure only while it is not. */
export function eventSignal(news: 'good' | 'bad', { signal }: SignalNow): WatchSignal {
  const wanted = news === 'good' ? 'success' : 'fail';
  return signal === wanted ? wanted : 'log';
}

/** Returns the signal as which a ping that waited is sent. */
export function lateSignal(waited: WatchSignal, { signal }: SignalNow): WatchSignal {
  return waited === 'success' && signal !== 'success' ? 'log' : waited;
}

/** Signal that the monitor was last sent, without logs; `none` for a check without pings. */
export type SentSignal = Exclude<WatchSignal, 'log'> | 'none';

/**
 * Returns the signal that the monitor was last sent, by what is stored about the check: after a failure no success is
 * expected.
 */
export function sentSignal({
  pingedAt,
  toldDeadline,
}: {
  readonly pingedAt: Date | null;
  readonly toldDeadline: Date | null;
}): SentSignal {
  if (pingedAt === null) return 'none';
  return toldDeadline === null ? 'fail' : 'success';
}

/** The ping that puts a check in the state of its FQDN; undefined if it is in that state. */
export function missingSignal(
  { signal, state }: SignalNow,
  last: SentSignal,
): Exclude<SentSignal, 'none'> | undefined {
  // a check without pings does not fall
  if (last === 'none' && state === 'unfinished' && signal === 'success') return undefined;
  const wanted = signal === 'log' && last === 'none' ? 'fail' : signal;
  return wanted === 'log' || wanted === last ? undefined : wanted;
}
