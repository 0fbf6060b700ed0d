import type { Downtimes } from '@certloop/contracts';
import { DateTime } from 'luxon';
import type { AlertFlip } from '../../../alerts/alert.js';
import { type Micros, microsPerSecond, wholeMs } from '../../../instants.js';

/** A change of status, oldest first. */
type Change = Pick<AlertFlip, 'at' | 'newStatus'>;

interface Downtime {
  readonly from: Micros;
  readonly until: Micros;
}

export interface DowntimeRange {
  /** Calendar months, the present one among them. */
  readonly months: number;
  /** Days up to today; those of the months if undefined. */
  readonly days?: number | undefined;
}

/** How long a check was down in the latest months and days of the zone. */
export function downtimesOf(
  oldestFirst: readonly Change[],
  { months, days }: DowntimeRange,
  { tz, now }: { readonly tz: string; readonly now: Micros },
): Downtimes {
  const downtimes = downtimesIn(oldestFirst, now);
  const today = DateTime.fromMillis(wholeMs(now), { zone: tz });
  const first = today.startOf('month').minus({ months: months - 1 });
  const ofMonths = Array.from({ length: months }, (_, place) => {
    const month = first.plus({ months: place });
    const part = within(downtimes, month, month.plus({ months: 1 }));
    return { month: month.toFormat('yyyy-MM'), count: part.length, seconds: secondsOf(part) };
  });
  const ofDays: Downtimes['days'] = [];
  const firstDay = days === undefined ? first : today.startOf('day').minus({ days: days - 1 });
  for (let day = firstDay; day <= today; day = day.plus({ days: 1 })) {
    const part = within(downtimes, day, day.plus({ days: 1 }));
    ofDays.push({ day: day.toFormat('yyyy-MM-dd'), seconds: secondsOf(part) });
  }
  return { months: ofMonths, days: ofDays };
}

function downtimesIn(oldestFirst: readonly Change[], now: Micros): Downtime[] {
  const found: Downtime[] = [];
  let from: Micros | undefined;
  for (const { at, newStatus } of oldestFirst) {
    if (newStatus === 'down') from ??= at;
    else if (from !== undefined) {
      found.push({ from, until: at });
      from = undefined;
    }
  }
  return from === undefined ? found : [...found, { from, until: now }];
}

function within(downtimes: readonly Downtime[], start: DateTime, end: DateTime): Downtime[] {
  const [from, until] = [start.toMillis() * 1000, end.toMillis() * 1000];
  return downtimes
    .map((one) => ({ from: Math.max(one.from, from), until: Math.min(one.until, until) }))
    .filter((one) => one.from < one.until);
}

function secondsOf(downtimes: readonly Downtime[]): number {
  const micros = downtimes.reduce((sum, { from, until }) => sum + until - from, 0);
  return Math.floor(micros / microsPerSecond);
}
