import type { CheckStatus } from '@certloop/contracts';
import { type Micros, microsPerSecond } from '../instants.js';
import type { Check } from './check.js';
import { type PeriodSettings, statusAt } from './check-timing.js';

/** Columns of a check by which lists are searched, sorted and counted. */
export type CheckSummary = Pick<
  Check,
  | keyof PeriodSettings
  | 'id'
  | 'uuid'
  | 'uniqueKey'
  | 'name'
  | 'slug'
  | 'tags'
  | 'storedStatus'
  | 'lastPing'
  | 'lastStart'
  | 'lastDuration'
  | 'alertAfter'
  | 'pingCount'
>;

/** Status at `now`, as `statusAt` has it, but without asking the schedule where the stored deadline is far enough. */
export function statusOf(check: CheckSummary, now: Micros): CheckStatus {
  const { storedStatus, lastStart, alertAfter, graceSeconds } = check;
  if (lastStart === null && storedStatus !== 'up') return storedStatus;
  // the deadline is never later than the end of the grace
  const isEarly = alertAfter !== null && alertAfter - graceSeconds * microsPerSecond > now;
  return lastStart === null && isEarly ? 'up' : statusAt(check, now);
}

const ranks: Readonly<Record<CheckStatus, number>> = { down: 0, grace: 1, new: 2, up: 3, paused: 4 };

/** How soon someone should look at a check with this status; 0 comes first. */
export function rankOf(status: CheckStatus): number {
  return ranks[status];
}

/** Returns the key by which lists are sorted: the name in lower case; unnamed checks come last. */
export function nameKeyOf({ name, slug }: Pick<CheckSummary, 'name' | 'slug'>): string {
  const shown = name === '' ? slug : name;
  return shown === '' ? '\uffff' : shown.toLowerCase();
}

/** Order of the code units, so that it does not depend on a language. */
export function compareTexts(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
