import { describe, expect, test } from 'vitest';
import { microsOf } from '../../instants.js';
import { spokenAge, spokenDuration, spokenMoment, spokenPeriod } from './spoken-time.js';

const second = 1_000_000;
const now = 1_800_000_000 * second;

describe('periods', () => {
  test.each([
    [60, '1 minute'],
    [86_400, '1 day'],
    [5400, '1 hour 30 minutes'],
    [694_861, '8 days 1 hour 1 minute 1 second'],
    [604_800, '1 week'],
    [2_419_200, '4 weeks'],
    [2_592_000, '30 days'],
    [3_801_600, '44 days'],
    [31_536_000, '365 days'],
  ])('%i s', (seconds, text) => {
    expect(spokenPeriod(seconds)).toBe(text);
  });
});

describe('durations', () => {
  test.each([
    ['below a second', 999_999, '0 seconds'],
    ['a second', second, '1 second'],
    ['below a minute', 59.9 * second, '59 seconds'],
    ['an hour and five minutes', 3900 * second, '1 hour, 5 minutes'],
    ['the two largest units', 90_061 * second, '1 day, 1 hour'],
    ['more than a week', 777_600 * second + 10_800 * second, '9 days, 3 hours'],
    ['zero of the next unit', 86_460 * second, '1 day'],
    ['whole hours', 7200 * second, '2 hours'],
    ['a clock that went back', -second, '0 seconds'],
  ])('%s', (_situation, micros, text) => {
    expect(spokenDuration(micros)).toBe(text);
  });
});

describe('ages', () => {
  test.each([
    ['this moment', 0, 'now'],
    ['below a second', 0.9 * second, 'now'],
    ['a second', second, 'a second ago'],
    ['almost a minute', 59.999 * second, '59 seconds ago'],
    ['a minute', 60 * second, 'a minute ago'],
    ['seconds do not count', 119 * second, 'a minute ago'],
    ['minutes', 600 * second, '10 minutes ago'],
    ['an hour', 3660 * second, 'an hour ago'],
    ['hours', 7260 * second, '2 hours ago'],
    ['a day', 86_400 * second, '1 day ago'],
    ['days and hours', 183_000 * second, '2 days, 2 hours ago'],
    ['a day and minutes', 88_200 * second, '1 day ago'],
    ['weeks', 907_200 * second, '1 week, 3 days ago'],
    ['a week and hours', 612_000 * second, '1 week ago'],
    ['months', 61 * 86_400 * second, '2 months ago'],
    ['a year', 400 * 86_400 * second, '1 year, 1 month ago'],
    ['a ping of the future', -5 * second, 'now'],
  ])('%s', (_situation, age, text) => {
    expect(spokenAge(now - age, now)).toBe(text);
  });
});

describe('moments', () => {
  test.each([
    ['UTC', '2026-01-01T12:00:00.999Z', 'UTC', '2026-01-01 12:00:00 UTC'],
    ['another name of UTC', '2026-01-01T12:00:00Z', 'Etc/UTC', '2026-01-01 12:00:00 UTC'],
    ['winter', '2026-01-01T12:00:00Z', 'Europe/Riga', '2026-01-01 14:00:00 UTC+02:00 (Europe/Riga)'],
    ['summer', '2026-07-01T22:30:00Z', 'Europe/Riga', '2026-07-02 01:30:00 UTC+03:00 (Europe/Riga)'],
    ['no offset', '2026-01-01T00:00:00Z', 'Europe/London', '2026-01-01 00:00:00 UTC+00:00 (Europe/London)'],
    ['west', '2026-01-01T00:00:00Z', 'America/St_Johns', '2025-12-31 20:30:00 UTC-03:30 (America/St_Johns)'],
    [
      'an hour that comes twice',
      '2026-10-25T01:30:00Z',
      'Europe/Riga',
      '2026-10-25 03:30:00 UTC+02:00 (Europe/Riga)',
    ],
    ['a zone that does not exist', '2026-01-01T12:00:00Z', 'Nowhere/Land', '2026-01-01 12:00:00 UTC'],
  ])('%s', (_situation, at, zone, text) => {
    expect(spokenMoment(microsOf(new Date(at)), zone)).toBe(text);
  });
});
