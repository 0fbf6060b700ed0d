import { DateTime } from 'luxon';
import { type Micros, microsPerSecond, wholeMs } from '../instants.js';

const units: readonly (readonly [string, number])[] = [
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
];

/** A setting in seconds, exactly: `1 day`, `1 hour 30 minutes`. */
export function spokenPeriod(seconds: number): string {
  return partsOf(seconds).join(' ');
}

/** A length of time by its two largest units: `2 days, 3 hours`; `0 seconds` when it is shorter than one. */
export function spokenDuration(micros: number): string {
  return partsOf(Math.max(0, Math.floor(micros / microsPerSecond)))
    .slice(0, 2)
    .join(', ');
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

/** How long ago an instant is: `5 minutes ago`, `just now` below a minute. */
export function spokenAge(instant: Micros, now: Micros): string {
  const age = now - instant;
  return age < 60 * microsPerSecond ? 'just now' : `${spokenDuration(wholeMinutes(age))} ago`;
}

function wholeMinutes(micros: number): number {
  const minute = 60 * microsPerSecond;
  return Math.floor(micros / minute) * minute;
}

function partsOf(seconds: number): string[] {
  let rest = seconds;
  const parts = units.flatMap(([unit, size]) => {
    const count = Math.floor(rest / size);
    rest -= count * size;
    return count === 0 ? [] : [counted(count, unit)];
  });
  return parts.length === 0 ? ['0 seconds'] : parts;
}

function counted(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
