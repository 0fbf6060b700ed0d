const steps: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 365 * 86_400_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
];
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always' });

/** Distance of a moment such as `in 11 days` or `3 minutes ago`; never rounded up, so that no deadline looks later. */
export function relativeTime(at: string | number, now: number): string {
  const distance = (typeof at === 'number' ? at : Date.parse(at)) - now;
  for (const [unit, ms] of steps) {
    // years only from two on: 400 days say more than one year
    const min = unit === 'year' ? 2 * ms : ms;
    if (Math.abs(distance) >= min) return relative.format(Math.trunc(distance / ms), unit);
  }
  return distance > 0 ? 'in a moment' : 'just now';
}

let formats = formatsIn(undefined);

/** Writes moments and days in this zone from now on; without one in that of the system. */
export function writeTimesIn(timeZone: string | undefined): void {
  formats = formatsIn(timeZone);
}

function formatsIn(timeZone: string | undefined) {
  const day = { day: 'numeric', month: 'short', year: 'numeric', timeZone } as const;
  const time = { hour: '2-digit', minute: '2-digit', second: '2-digit', timeZoneName: 'short' } as const;
  return {
    exact: new Intl.DateTimeFormat('en-GB', { ...day, ...time }),
    day: new Intl.DateTimeFormat('en-GB', day),
  };
}

/** The moment to the second with its zone, such as `1 Mar 2026, 12:00:00 UTC`. */
export function exactTime(at: string): string {
  return formats.exact.format(new Date(at));
}

/** The text as it stands alone on a page: a capital at its beginning, a full stop at its end, moments as `exactTime`. */
export function wholeSentence(text: string): string {
  const written = readableTimes(text.trim());
  const isWhole = written === '' || /[.!?:)”"]$/.test(written);
  return `${written.charAt(0).toUpperCase()}${written.slice(1)}${isWhole ? '' : '.'}`;
}

/** The day alone, such as `1 Mar 2026`. */
export function dayOf(at: string): string {
  return formats.day.format(new Date(at));
}

const calendar = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
});

/** A day of a calendar such as `2026-03-01`, which is the same in every zone: `1 Mar 2026`. */
export function calendarDay(day: string): string {
  return calendar.format(new Date(`${day}T00:00:00Z`));
}

const months = new Intl.DateTimeFormat('en-GB', { month: 'short', year: 'numeric', timeZone: 'UTC' });

/** A month of a calendar such as `2026-03`: `Mar 2026`. */
export function calendarMonth(month: string): string {
  return months.format(new Date(`${month}-01T00:00:00Z`));
}

const instant = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;

/** A sentence of a service with its instants, such as `2026-03-01T12:00:00.000Z`, as people read them. */
export function readableTimes(sentence: string): string {
  return sentence.replace(instant, exactTime);
}

/** A sentence of a service, each of the moments that came with it as people read them in their zone. */
export function withMoments(
  sentence: string,
  moments: readonly { readonly text: string; readonly at: string }[] = [],
): string {
  return moments.reduce((written, { text, at }) => written.replaceAll(text, () => exactTime(at)), sentence);
}

const counts = new Intl.NumberFormat('en');
const plural = new Intl.PluralRules('en');

/** A whole number with separators, such as `50,000`. */
export function countText(count: number): string {
  return counts.format(count);
}

/** A count with its noun, such as `1 name` or `12,000 names`. */
export function countOf(count: number, one: string, other = `${one}s`): string {
  return `${countText(count)} ${plural.select(count) === 'one' ? one : other}`;
}

const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/** A setting of whole seconds, exactly: `1 day`, `1 hour 30 minutes`. */
export function spanText(seconds: number): string {
  let rest = Math.floor(seconds);
  const parts = units.map(([unit, size]) => {
    const count = Math.floor(rest / size);
    rest -= count * size;
    return { count, unit };
  });
  const named = parts.filter(({ count }) => count > 0).map(({ count, unit }) => countOf(count, unit));
  return named.join(' ') || '0 seconds';
}

/** A length of time that was measured, short: `0.25 s`, `42 s`, `3 min 20 s`, `2 h 5 min`, `3 d 4 h`. */
export function lengthOf(seconds: number): string {
  if (seconds < 10) return `${Number(seconds.toFixed(2))} s`;
  const whole = Math.floor(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3_600) return pair(Math.floor(whole / 60), 'min', whole % 60, 's');
  if (whole < 86_400) return pair(Math.floor(whole / 3_600), 'h', Math.floor((whole % 3_600) / 60), 'min');
  return pair(Math.floor(whole / 86_400), 'd', Math.floor((whole % 86_400) / 3_600), 'h');
}

function pair(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`;
}
