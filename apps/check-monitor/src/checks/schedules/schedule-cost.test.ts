import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseCron } from './cron.js';
import { parseOnCalendar } from './on-calendar.js';
import { parseSchedule } from './schedule.js';

// Steps are what a search looks at: a time of day, a year, a month. Day by day, leap days that fall on a Sunday took
// 10,000 steps, which stopped the event loop for half a millisecond.

/** Steps of a parse, and the most of a call to `next`, from 20 moments of a year. */
function costOf(parse: typeof parseCron, text: string, tz: string): { parse: number; next: number } {
  let steps = 0;
  const count = () => {
    steps += 1;
  };
  const schedule = parse(text, count);
  const parseSteps = steps;
  const costs = Array.from({ length: 20 }, (_, index) => {
    steps = 0;
    schedule?.next(Date.UTC(2026, 0, 1) + index * 15 * 24 * 3_600_000 + index * 60_000, tz);
    return steps;
  });
  return { parse: parseSteps, next: Math.max(...costs) };
}

describe('steps of a search', () => {
  test.each([
    ['leap days on a Sunday', '0 0 29 2 */7', 'Europe/Riga'],
    ['every minute of such days', '* * 29 2 */7', 'Australia/Lord_Howe'],
    ['the same, written as a list', '* * 29-29 2 */7', 'America/Santiago'],
    ['a fifth Sunday that is the 29th', '0 0 */28 2 0#5', 'Europe/Riga'],
    ['a day that never comes', '0 0 30 2 *', 'UTC'],
    ['the 31st of short months', '0 0 31 2,4,6,9,11 *', 'UTC'],
    ['new year on a weekday', '59 23 L 12 */6', 'Pacific/Apia'],
  ])('cron, %s (%s): fewer than 400', (_situation, text, tz) => {
    const cost = costOf(parseCron, text, tz);
    expect(cost.parse).toBeLessThan(400);
    expect(cost.next).toBeLessThan(400);
  });

  test.each([
    ['leap days on a Sunday', 'Sun *-02-29', 'Europe/Riga', 400],
    ['a day that never comes', '*-02-30', 'UTC', 700],
    ['the last day of the last year', '2199-12-31 23:59:59', 'UTC', 400],
    ['one day long ago', '2000-01-02', 'UTC', 400],
    // an hour that the clocks of Riga always skip: 3,600 seconds of it on each of 174 days
    ['times that are always skipped', 'Sun *-03-25..31 03:*:*', 'Europe/Riga', 2000],
    ['a second pass', '*-*-* 03:*:*', 'Europe/Riga', 400],
    ['nine rare lines', Array<string>(9).fill('Sun *-2-29').join('\n'), 'Europe/Riga', 3600],
  ])('OnCalendar, %s (%j in %s): fewer than %i', (_situation, text, tz, max) => {
    const cost = costOf(parseOnCalendar, text, tz);
    expect(cost.parse).toBeLessThan(max);
    expect(cost.next).toBeLessThan(max);
  });

  test('a search within a repeated hour skips to its end', () => {
    let steps = 0;
    const schedule = parseOnCalendar('*-*-* 03:*:*', () => {
      steps += 1;
    });
    steps = 0;
    // 03:00:30 for the second time
    const next = schedule?.next(Date.parse('2026-10-25T01:00:30Z'), 'Europe/Riga');
    expect(new Date(next ?? 0).toISOString()).toBe('2026-10-26T01:00:00.000Z');
    expect(steps).toBeLessThan(20);
  });

  test('any cron text takes fewer than 700 steps, 13 for each of 51 years', () => {
    const day = fc.oneof(
      fc.integer({ min: 1, max: 31 }).map(String),
      fc.constantFrom('*', '*/28', '*/30', 'L', 'LW'),
    );
    const month = fc.oneof(fc.integer({ min: 1, max: 12 }).map(String), fc.constantFrom('*', '2,4,6,9,11'));
    const weekday = fc.constantFrom('*', '*/7', '0', '1#5', '5L', '*/4');
    const time = fc.constantFrom('0 0', '* *', '*/7 3', '59 23');
    const zone = fc.constantFrom('UTC', 'Australia/Lord_Howe', 'Africa/Casablanca', 'America/Santiago');
    fc.assert(
      fc.property(time, day, month, weekday, zone, (at, days, months, weekdays, tz) => {
        const cost = costOf(parseCron, `${at} ${days} ${months} ${weekdays}`, tz);
        expect(Math.max(cost.parse, cost.next)).toBeLessThan(700);
      }),
      { numRuns: 100 },
    );
  });
});

describe('parsed schedules', () => {
  test('are parsed once for a list of 10,000 checks with different schedules', () => {
    const own = Array.from(
      { length: 10_000 },
      (_, index) => `${index % 60} ${Math.floor(index / 60) % 24} ${1 + Math.floor(index / 1440)} * *`,
    );
    const first = own.map(parseSchedule);
    const again = own.map(parseSchedule);
    expect(again.every((schedule, index) => schedule !== undefined && schedule === first[index])).toBe(true);
  });
});
