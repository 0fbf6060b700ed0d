// Pings are told apart to the microsecond, which Date cannot hold: all instants of this service are whole
// microseconds since 1970 in UTC. They stay exact integers until the year 2255.

/** An instant: whole microseconds since 1970-01-01T00:00:00Z. */
export type Micros = number;

const microsPerMs = 1000;

export const microsPerSecond = 1_000_000;

/** Instant of a Date. */
export function microsOf(date: Date): Micros {
  return date.getTime() * microsPerMs;
}

/** Milliseconds of an instant, the fraction cut off. */
export function wholeMs(instant: Micros): number {
  return Math.floor(instant / microsPerMs);
}

/** `2026-01-02T03:04:05+00:00`: the fraction is cut off, never rounded. */
export function isoSeconds(instant: Micros): string {
  return `${new Date(wholeMs(instant)).toISOString().slice(0, 19)}+00:00`;
}

/** `2026-01-02T03:04:05.000678+00:00`; without the fraction when that is nought. */
export function isoMicros(instant: Micros): string {
  const fraction = instant % microsPerSecond;
  const seconds = new Date(wholeMs(instant)).toISOString().slice(0, 19);
  return fraction === 0 ? `${seconds}+00:00` : `${seconds}.${String(fraction).padStart(6, '0')}+00:00`;
}
