// Pings differ by microseconds, which Date cannot hold: all instants of this service are whole
// microseconds since 1970 in UTC. They stay exact integers until the year 2255.

/** An instant: whole microseconds since 1970-01-01T00:00:00Z. */
export type Micros = number;

/** Where the present comes from; handed in, so that tests can move it. */
export interface Clock {
  now(): Micros;
}

const microsPerMs = 1000;

export const microsPerSecond = 1_000_000;

/** Instant of a Date. */
export function microsOf(date: Date): Micros {
  return date.getTime() * microsPerMs;
}

const instantForm = /^(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?(Z|[+-]\d\d:\d\d)?$/;

/** Instant of a text such as `2026-01-02T03:04:05.678Z` or with `+02:00`; UTC where it has no zone, undefined for others. */
export function parseInstant(text: string): Micros | undefined {
  const [, seconds, fraction = '', zone = 'Z'] = instantForm.exec(text) ?? [];
  if (seconds === undefined) return undefined;
  const ms = Date.parse(`${seconds.replace(' ', 'T')}${zone}`);
  return Number.isNaN(ms) ? undefined : ms * microsPerMs + Number(fraction.padEnd(6, '0'));
}

/** Milliseconds of an instant, the fraction cut off. */
export function wholeMs(instant: Micros): number {
  return Math.floor(instant / microsPerMs);
}

/** `2026-01-02T03:04:05+00:00`: the fraction is cut off, never rounded. */
export function isoSeconds(instant: Micros): string {
  return `${dateAndTime(instant)}+00:00`;
}

/** The same; null where there is no instant. */
export function isoOrNull(instant: Micros | null): string | null {
  return instant === null ? null : isoSeconds(instant);
}

/** `2026-01-02T03:04:05.000678+00:00`; without the fraction when that is nought. */
export function isoMicros(instant: Micros): string {
  const fraction = instant % microsPerSecond;
  const seconds = dateAndTime(instant);
  return fraction === 0 ? `${seconds}+00:00` : `${seconds}.${String(fraction).padStart(6, '0')}+00:00`;
}

const secondsPerDay = 86_400;
const maxDays = 1000;
const datesOfDays = new Map<number, string>();
const twoDigits = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'));

/** Built from cached dates: lists hold tens of thousands of instants, and Date takes five times as long for each. */
function dateAndTime(instant: Micros): string {
  const seconds = Math.floor(instant / microsPerSecond);
  const day = Math.floor(seconds / secondsPerDay);
  const ofDay = seconds - day * secondsPerDay;
  const [hour, minute] = [Math.floor(ofDay / 3600), Math.floor(ofDay / 60) % 60];
  return `${dateOf(day)}T${twoDigits[hour]}:${twoDigits[minute]}:${twoDigits[ofDay % 60]}`;
}

function dateOf(day: number): string {
  const cached = datesOfDays.get(day);
  if (cached !== undefined) return cached;
  const date = new Date(day * secondsPerDay * 1000).toISOString().slice(0, 10);
  if (datesOfDays.size >= maxDays) datesOfDays.clear();
  datesOfDays.set(day, date);
  return date;
}
