import { DateTime } from 'luxon';
import { type Micros, microsPerSecond, wholeMs } from '../../instants.js';

type Part = readonly [count: number, unit: string];

const daySeconds = 86_400;
const weekSeconds = 7 * daySeconds;
const units: readonly (readonly [string, number])[] = [
  ['day', daySeconds],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
];

/** A setting in seconds, exactly: `1 day`, `1 hour 30 minutes`. Weeks are for whole ones only: `1 week`, `8 days`. */
export function spokenPeriod(seconds: number): string {
  if (seconds > 0 && seconds % weekSeconds === 0) return counted([seconds / weekSeconds, 'week']);
  const parts = partsOf(seconds).filter(([count]) => count > 0);
  return parts.map(counted).join(' ') || '0 seconds';
}

/** A length of time by its two largest units: `9 days, 3 hours`, `2 hours`; `0 seconds` when it is shorter than one. */
export function spokenDuration(micros: number): string {
  return leading(partsOf(Math.max(0, Math.floor(micros / microsPerSecond)))) || '0 seconds';
}

/**
 * An instant as the clocks of `zone` show it, to the second, with the zone: `2026-01-01 12:00:00 UTC`, or
 * `2026-01-01 14:00:00 UTC+02:00 (Europe/Riga)`. UTC where the zone is unknown.
 */
export function spokenMoment(instant: Micros, zone: string): string {
  const local = DateTime.fromMillis(wholeMs(instant), { zone, locale: 'en' });
  const isUtc = !local.isValid || ['UTC', 'Etc/UTC'].includes(zone);
  const shown = isUtc ? DateTime.fromMillis(wholeMs(instant), { zone: 'utc' }) : local;
  const digits = shown.toFormat('yyyy-MM-dd HH:mm:ss');
  return isUtc ? `${digits} UTC` : `${digits} UTC${shown.toFormat('ZZ')} (${zone})`;
}

/** How long ago an instant is, by its largest units: `now`, `5 seconds ago`, `an hour ago`, `1 week, 2 days ago`. */
export function spokenAge(instant: Micros, now: Micros): string {
  const seconds = Math.floor((now - instant) / microsPerSecond);
  if (seconds <= 0) return 'now';
  if (seconds >= daySeconds) return `${leading(calendarParts(instant, now))} ago`;
  const [[count, unit] = [0, 'second']] = partsOf(seconds).filter((part) => part[0] > 0);
  if (count > 1) return `${counted([count, unit])} ago`;
  return unit === 'hour' ? 'an hour ago' : `a ${unit} ago`;
}

const calendarUnits = ['years', 'months', 'weeks', 'days', 'hours', 'minutes'] as const;

/** Months and years as the calendar has them. */
function calendarParts(from: Micros, to: Micros): Part[] {
  const [start, end] = [from, to].map((instant) => DateTime.fromMillis(wholeMs(instant), { zone: 'utc' }));
  const length = end?.diff(start ?? end, [...calendarUnits]);
  return calendarUnits.map((unit) => [Math.floor(length?.get(unit) ?? 0), unit.slice(0, -1)]);
}

function partsOf(seconds: number): Part[] {
  let rest = seconds;
  return units.map(([unit, size]) => {
    const count = Math.floor(rest / size);
    rest -= count * size;
    return [count, unit];
  });
}

/** The largest unit, and the next one unless it is zero. */
function leading(parts: readonly Part[]): string {
  const first = parts.findIndex(([count]) => count > 0);
  if (first === -1) return '';
  return parts
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map(counted)
    .join(', ');
}

function counted([count, unit]: Part): string {
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
