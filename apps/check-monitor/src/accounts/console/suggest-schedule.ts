import type { Diagnosis } from '@certloop/contracts';
import { DateTime } from 'luxon';
import type { Check } from '../../checks/check.js';
import { parseSchedule } from '../../checks/schedules/schedule.js';
import { type Micros, microsPerSecond, wholeMs } from '../../instants.js';

export const suggestionPings = 10;
const minPings = 5;
const minute = 60 * microsPerSecond;
const maxRunDuration = 15 * minute;
const [hourMinutes, dayMinutes] = [60, 24 * 60];

interface Candidate {
  readonly schedule: string;
  /** How long after its occurrence a ping may come. */
  readonly window: Micros;
}

/**
 * The cron line that the latest successes follow without a gap, each within 15 minutes or the grace of the check, in
 * the zone of the check or in one of `zones`. Undefined for fewer than five successes, and if the schedule of the check
 * fits them.
 */
export function suggestSchedule(
  check: Pick<Check, 'kind' | 'schedule' | 'tz' | 'graceSeconds'>,
  successes: readonly Micros[],
  zones: readonly string[],
): Diagnosis['suggestion'] {
  const moments = successes.slice(0, suggestionPings).toReversed();
  if (moments.length < minPings) return undefined;
  const window = Math.min(maxRunDuration, check.graceSeconds * microsPerSecond);
  const own = { schedule: check.schedule, window };
  if (check.kind !== 'simple' && follows(moments, own, check.tz)) return undefined;
  const tried = [...new Set([...(check.kind === 'simple' ? [] : [check.tz]), 'UTC', ...zones])];
  const choices = [
    // another zone for the same line is more likely than another line
    ...(check.kind === 'cron' ? tried.map((tz) => ({ tz, candidates: [own] })) : []),
    ...tried.map((tz) => ({ tz, candidates: candidatesIn(moments, window, tz) })),
  ];
  for (const { tz, candidates } of choices) {
    const found = candidates.find((candidate) => follows(moments, candidate, tz));
    if (found !== undefined) return { schedule: found.schedule, tz, of: moments.length };
  }
  return undefined;
}

/** Whether each moment follows an occurrence of its own, and no occurrence in between is without one. */
function follows(moments: readonly Micros[], { schedule: text, window }: Candidate, tz: string): boolean {
  const schedule = parseSchedule(text);
  let expected: Micros | undefined;
  return moments.every((at) => {
    const occurrence = schedule?.next(at - window, tz);
    if (occurrence === undefined || occurrence > at) return false;
    if (expected !== undefined && occurrence !== expected) return false;
    expected = schedule?.next(occurrence, tz);
    return true;
  });
}

/** Cron lines that the moments may follow, the most frequent first. */
function candidatesIn(moments: readonly Micros[], window: Micros, tz: string): readonly Candidate[] {
  const local = moments.map((at) => DateTime.fromMillis(wholeMs(at), { zone: tz }));
  const ofDay = local.map(({ hour, minute: ofHour }) => hour * hourMinutes + ofHour);
  const [first] = local;
  if (first === undefined) return [];
  const inHour = earliestIn(ofDay, hourMinutes);
  const inDay = earliestIn(ofDay, dayMinutes);
  const daily = `${inDay % hourMinutes} ${Math.floor(inDay / hourMinutes)}`;
  const step = Math.round(gapOf(moments) / minute);
  const lines = [`${inHour} * * * *`, ...stepsOfHours(step, inHour, inDay), ...linesOfDays(daily, first)];
  return [...stepsOfMinutes(step, window), ...lines.map((schedule) => ({ schedule, window }))];
}

function stepsOfMinutes(step: number, window: Micros): readonly Candidate[] {
  if (step < 1 || step >= hourMinutes || hourMinutes % step !== 0) return [];
  const schedule = step === 1 ? '* * * * *' : `*/${step} * * * *`;
  return [{ schedule, window: Math.min(window, (step * minute) / 2) }];
}

function stepsOfHours(step: number, inHour: number, inDay: number): readonly string[] {
  const hours = Math.round(step / hourMinutes);
  if (hours < 2 || hours > 12 || 24 % hours !== 0) return [];
  const begin = Math.floor(inDay / hourMinutes) % hours;
  return [`${inHour} ${begin === 0 ? '*' : `${begin}-23`}/${hours} * * *`];
}

function linesOfDays(daily: string, { weekday, day }: DateTime): readonly string[] {
  return [`${daily} * * *`, `${daily} * * 1-5`, `${daily} * * ${weekday % 7}`, `${daily} ${day} * *`];
}

/**
 * The earliest of these minutes of a cycle, rounded down to five: a job that ends a little sooner than ever before must
 * not ping before it is expected.
 */
function earliestIn(minutes: readonly number[], cycle: number): number {
  const base = minutes[0] ?? 0;
  const offsets = minutes.map((one) => ((((one - base) % cycle) + cycle + cycle / 2) % cycle) - cycle / 2);
  const earliest = (base + Math.min(...offsets) + 2 * cycle) % cycle;
  return earliest - (earliest % 5);
}

/** The mean of the times between moments. */
function gapOf(moments: readonly Micros[]): Micros {
  const [first = 0, last = 0] = [moments[0], moments.at(-1)];
  return (last - first) / Math.max(1, moments.length - 1);
}
