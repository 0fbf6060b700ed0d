import { describe, expect, test } from 'vitest';
import { defaultSettings } from '../../checks/check.js';
import { suggestSchedule } from './suggest-schedule.js';

const micros = (text: string) => Date.parse(text) * 1000;
const check = (change: Partial<typeof defaultSettings> = {}) => ({
  ...defaultSettings,
  graceSeconds: 3_600,
  ...change,
});
const [hour, day] = [3_600, 86_400];
/** Moments, newest first, so many seconds apart, each some seconds late. */
const every = (seconds: number, from: string, count = 10, late: readonly number[] = [10, 130, 45]) =>
  Array.from(
    { length: count },
    (_, place) => micros(from) + (place * seconds + (late[place % late.length] ?? 0)) * 1_000_000,
  ).toReversed();
const suggested = (...args: Parameters<typeof suggestSchedule>) => {
  const found = suggestSchedule(...args);
  return found === undefined ? undefined : `${found.schedule} ${found.tz} of ${found.of}`;
};

describe('the schedule that is suggested from the latest pings', () => {
  test.each([
    ['a day', day, '2026-01-01T03:00:00Z', '0 3 * * * UTC of 10'],
    ['a day, around midnight', day, '2026-01-01T23:59:00Z', '55 23 * * * UTC of 10'],
    ['an hour', hour, '2026-01-01T00:17:00Z', '15 * * * * UTC of 10'],
    ['six hours', 6 * hour, '2026-01-01T02:30:00Z', '30 2-23/6 * * * UTC of 10'],
    ['four hours', 4 * hour, '2026-01-01T00:00:00Z', '0 */4 * * * UTC of 10'],
    ['a quarter of an hour', 900, '2026-01-01T00:00:00Z', '*/15 * * * * UTC of 10'],
    ['a minute', 60, '2026-01-01T00:00:00Z', '* * * * * UTC of 10'],
    ['a week', 7 * day, '2026-01-04T05:30:00Z', '30 5 * * 0 UTC of 10'],
  ])('is suggested for a ping every %s', (_, seconds, from, line) => {
    const late = seconds === 60 ? [2, 3] : undefined;
    expect(suggested(check(), every(seconds, from, 10, late), [])).toBe(line);
  });

  test('is suggested for working days', () => {
    const days = every(day, '2026-01-05T06:00:00Z', 12).filter(
      (at) => ![0, 6].includes(new Date(at / 1000).getUTCDay()),
    );
    expect(suggested(check(), days, [])).toBe('0 6 * * 1-5 UTC of 10');
  });

  test('is in the zone of another check if only that zone gives the same local time over a clock change', () => {
    const moments = ['27', '28', '29'].map((date) => `2026-03-${date}T01:00:20Z`);
    const later = ['30', '31'].map((date) => `2026-03-${date}T00:00:20Z`);
    const successes = [...moments, ...later].map(micros).toReversed();
    expect(suggested(check(), successes, [])).toBeUndefined();
    expect(suggested(check(), successes, ['Europe/Riga'])).toBe('0 3 * * * Europe/Riga of 5');
    // those of so many checks
    const zones = Array.from({ length: 100_000 }, (_, place) => (place % 2 ? 'Europe/Riga' : 'Asia/Tokyo'));
    expect(suggested(check(), successes, zones)).toBe('0 3 * * * Europe/Riga of 5');
  });

  test('is the current schedule of the check if it fits in another zone', () => {
    const cron = check({ kind: 'cron', schedule: '1 3 * * *', tz: 'Europe/Riga' });
    expect(suggested(cron, every(day, '2026-01-01T03:02:00Z'), [])).toBe('1 3 * * * UTC of 10');
  });

  test('prefers the zone of the check', () => {
    const cron = check({ kind: 'cron', schedule: '0 4 * * *', tz: 'Europe/Riga' });
    expect(suggested(cron, every(day, '2026-01-01T03:00:00Z'), ['Asia/Tokyo'])).toBe(
      '0 5 * * * Europe/Riga of 10',
    );
  });

  test.each([
    ['fewer than five pings', check(), every(day, '2026-01-01T03:00:00Z', 4)],
    ['a gap', check(), every(day, '2026-01-01T03:00:00Z').toSpliced(4, 1)],
    [
      'a clock that was set back',
      check(),
      every(day, '2026-01-01T03:00:00Z').toSpliced(4, 1, micros('2026-01-02T03:00:10Z')),
    ],
    ['pings at any time', check(), every(day + 5 * hour, '2026-01-01T03:00:00Z')],
    [
      'a schedule that fits already',
      check({ kind: 'cron', schedule: '0 3 * * *', tz: 'UTC' }),
      every(day, '2026-01-01T03:00:00Z'),
    ],
    ['pings that come later than the grace', check({ graceSeconds: 60 }), every(day, '2026-01-01T03:04:00Z')],
  ])('is not suggested for %s', (_, given, successes) => {
    expect(suggested(given, successes, [])).toBeUndefined();
  });
});
