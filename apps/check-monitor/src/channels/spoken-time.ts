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

/** How long ago an instant is, by its largest units: `now`, `5 seconds ago`, `an hour ago`, `1 day, 2 hours ago`. */
export function spokenAge(instant: Micros, now: Micros): string {
  const seconds = Math.floor((now - instant) / microsPerSecond);
  if (seconds <= 0) return 'now';
  if (seconds >= daySeconds)
    return `${partsOf(seconds - (seconds % 60))
      .slice(0, 2)
      .join(', ')} ago`;
  const [part = ''] = partsOf(seconds);
  return `${part === '1 hour' ? 'an hour' : part.replace(/^1 /, 'a ')} ago`;
}

const daySeconds = 86_400;

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
