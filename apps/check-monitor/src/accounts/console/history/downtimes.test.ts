import { expect, test } from 'vitest';
import { downtimesOf } from './downtimes.js';

const micros = (text: string) => Date.parse(text) * 1000;
const now = micros('2026-03-03T12:00:00Z');

test('splits downtimes into the months and days of the time zone', () => {
  const changes = [
    { at: micros('2025-12-01T00:00:00Z'), newStatus: 'down' },
    { at: micros('2026-01-01T01:00:00Z'), newStatus: 'up' },
    { at: micros('2026-02-28T23:00:00Z'), newStatus: 'down' },
    { at: micros('2026-03-01T00:30:00Z'), newStatus: 'up' },
    { at: micros('2026-03-03T11:00:00Z'), newStatus: 'down' },
  ];
  const { months, days } = downtimesOf(changes, { months: 3 }, { tz: 'UTC', now });
  expect(months).toEqual([
    { month: '2026-01', count: 1, seconds: 3600 },
    { month: '2026-02', count: 1, seconds: 3600 },
    { month: '2026-03', count: 2, seconds: 5400 },
  ]);
  expect(days).toHaveLength(31 + 28 + 3);
  expect(days.filter(({ seconds }) => seconds > 0)).toEqual([
    { day: '2026-01-01', seconds: 3600 },
    { day: '2026-02-28', seconds: 3600 },
    { day: '2026-03-01', seconds: 1800 },
    { day: '2026-03-03', seconds: 3600 },
  ]);
  const riga = downtimesOf(changes, { months: 1 }, { tz: 'Europe/Riga', now });
  expect(riga.days[0]).toEqual({ day: '2026-03-01', seconds: 5400 });
});

test('uses the real length of a day on which the clocks change', () => {
  const changes = [{ at: micros('2026-03-01T00:00:00Z'), newStatus: 'down' }];
  const { days } = downtimesOf(
    changes,
    { months: 1 },
    { tz: 'Europe/Riga', now: micros('2026-03-30T12:00:00Z') },
  );
  expect(days.find(({ day }) => day === '2026-03-29')?.seconds).toBe(23 * 3600);
});
