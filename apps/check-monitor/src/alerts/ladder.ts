import { type Micros, microsPerSecond } from '../instants.js';

const minute: Micros = 60 * microsPerSecond;
const hour: Micros = 60 * minute;

/** How long a message may wait for a target that fails temporarily; after that it is settled as failed. */
export const maxMessageAge: Micros = 24 * hour;

/** No pause and no hold is longer: an instant further in the future was written by a clock that was wrong. */
export const maxPause: Micros = hour;

// what is away for minutes, such as a mail server that restarts, must not wait much longer than that
const shortPauses = [
  5 * microsPerSecond,
  30 * microsPerSecond,
  2 * minute,
  2 * minute,
  2 * minute,
  2 * minute,
];
const tryPauses = [...shortPauses, 10 * minute, 30 * minute, hour];
// a target that rejects messages may be a proxy during a deployment
const rejectPauses = [30 * microsPerSecond, 2 * minute];

/** Calls that a message gets from a target that rejects it. */
export const maxRejections = 1 + rejectPauses.length;
const crashPauses = [30 * microsPerSecond, minute, 5 * minute, 15 * minute, hour];
const timeoutPauses = [5 * microsPerSecond, 30 * microsPerSecond, 2 * minute, 10 * minute];

/** Pause of a message after its call number `tries` failed temporarily; counts from 1. */
export function pauseAfterTry(tries: number): Micros {
  return step(tryPauses, tries);
}

/** Pause of a message after the last sign of life of worker number `crashes` that died with it; counts from 1. */
export function pauseAfterCrash(crashes: number): Micros {
  return step(crashPauses, crashes);
}

/** Pause of a channel after `timeouts` calls in a row that timed out; counts from 1. */
export function pauseAfterTimeout(timeouts: number): Micros {
  return step(timeoutPauses, timeouts);
}

/** Workers that died with a message before it goes alone. */
export const crashesAlone = 2;

/** Whether the message may have killed its worker: it is delivered while the process delivers nothing else. */
export function goesAlone(crashes: number): boolean {
  return crashes >= crashesAlone;
}

/**
 * When a message is tried again after its call number `tries` failed temporarily at `now`; the last time is when it is
 * 24 hours old. Undefined when it is that old already.
 */
export function nextTryAt({ createdAt, tries, now, isRejected = false }: Attempted): Micros | undefined {
  const end = createdAt + maxMessageAge;
  const pause = isRejected ? step(rejectPauses, tries) : pauseAfterTry(tries);
  return now >= end ? undefined : Math.min(now + pause, end);
}

interface Attempted {
  readonly createdAt: Micros;
  readonly tries: number;
  readonly now: Micros;
  /** The target rejected the message, but may accept it within minutes. */
  readonly isRejected?: boolean;
}

/** The last step repeats. */
function step(pauses: readonly Micros[], count: number): Micros {
  return pauses[Math.min(Math.max(count, 1), pauses.length) - 1] ?? 0;
}
