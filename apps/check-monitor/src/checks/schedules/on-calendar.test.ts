import { readFileSync } from 'node:fs';
import { cpuMsOf, excessMs } from '@certloop/contracts/testing';
import { describe, expect, test } from 'vitest';
import { parseOnCalendar } from './on-calendar.js';

function nextFour(text: string, after: string, tz: string): string[] {
  const schedule = parseOnCalendar(text);
  const found: string[] = [];
  let at: number | undefined = Date.parse(after);
  while (schedule !== undefined && at !== undefined && found.length < 4) {
    at = schedule.next(at, tz);
    if (at !== undefined) found.push(new Date(at).toISOString().replace('.000Z', ''));
  }
  return found;
}

describe('OnCalendar', () => {
  test.each([
    ['every minute', 'minutely', '2026-01-01T10:00:30Z', 'UTC', '2026-01-01T10:01:00'],
    ['any case', 'Hourly', '2026-01-01T10:00:00Z', 'UTC', '2026-01-01T11:00:00'],
    ['a word with a zone', 'daily Europe/Riga', '2026-01-01T10:00:00Z', 'UTC', '2026-01-01T22:00:00'],
    ['monday', 'weekly', '2026-01-01T10:00:00Z', 'UTC', '2026-01-05T00:00:00'],
    ['a quarter', 'quarterly', '2026-01-01T10:00:00Z', 'UTC', '2026-04-01T00:00:00'],
    [
      'weekday, date and time must all match',
      'Fri *-*-13 12:30',
      '2026-01-01T00:00:00Z',
      'UTC',
      '2026-02-13T12:30:00',
    ],
    ['only a time', '4:5', '2026-01-01T10:00:00Z', 'UTC', '2026-01-02T04:05:00'],
    ['only a weekday', 'Sat,Sunday', '2026-01-01T10:00:00Z', 'UTC', '2026-01-03T00:00:00'],
    ['only a date', '02-03', '2026-01-01T10:00:00Z', 'UTC', '2026-02-03T00:00:00'],
    ['seconds', '*:*:0/20', '2026-01-01T10:00:05Z', 'UTC', '2026-01-01T10:00:20'],
    ['last day of the month', '*-*~1', '2026-02-01T10:00:00Z', 'UTC', '2026-02-28T00:00:00'],
    ['third day from the end of February', '*-02~03', '2028-01-01T10:00:00Z', 'UTC', '2028-02-27T00:00:00'],
    ['last monday of the month', 'Mon *-*~7/1', '2026-02-01T10:00:00Z', 'UTC', '2026-02-23T00:00:00'],
    ['the last three days', '*-*~1..3', '2026-02-01T10:00:00Z', 'UTC', '2026-02-26T00:00:00'],
    [
      'every second of the last five days',
      '*-*~1..5/2',
      '2026-02-24T10:00:00Z',
      'UTC',
      '2026-02-26T00:00:00',
    ],
    ['a step in a list of days', '*-*~9/7,1', '2026-02-21T10:00:00Z', 'UTC', '2026-02-27T00:00:00'],
    ['two-digit year', '27-01-01', '2026-02-01T10:00:00Z', 'UTC', '2027-01-01T00:00:00'],
    ['the earliest of two lines', '12:00\n8:00', '2026-02-01T05:00:00Z', 'UTC', '2026-02-01T08:00:00'],
    ['carriage returns between lines', '12:00\r\n8:00', '2026-02-01T05:00:00Z', 'UTC', '2026-02-01T08:00:00'],
    [
      'spring: a skipped time is left out',
      '3:30',
      '2026-03-28T12:00:00Z',
      'Europe/Riga',
      '2026-03-30T00:30:00',
    ],
    ['autumn: the first of two', '3:30', '2026-10-24T12:00:00Z', 'Europe/Riga', '2026-10-25T00:30:00'],
    ['autumn: not again', '3:30', '2026-10-25T00:30:00Z', 'Europe/Riga', '2026-10-26T01:30:00'],
  ])('%s: %j', (_situation, text, after, tz, next) => {
    expect(nextFour(text, after, tz)[0]).toBe(next);
  });

  test('agrees with the reference near clock changes, unless the reference returns an earlier time', () => {
    // answers of its evaluator (oncalendar 1.1 on tzdata 2025b) in 14 zones; `reference` where ours is another one
    interface Vector {
      readonly text: string;
      readonly tz: string;
      readonly after: number;
      readonly next: number;
      readonly reference?: number;
    }
    const file = new URL('../../../../test/data/on-calendar/clock-changes.json', import.meta.url);
    const vectors = JSON.parse(readFileSync(file, 'utf8')) as Vector[];
    const wrong = vectors.filter(
      ({ text, tz, after, next }) => parseOnCalendar(text)?.next(after * 1000, tz) !== next * 1000,
    );
    const departures = vectors.filter(({ reference }) => reference !== undefined);
    expect(wrong).toEqual([]);
    expect(departures.filter(({ after, reference = after }) => reference > after)).toEqual([]);
    expect(vectors.length).toBeGreaterThan(400);
  });

  test('a single date in the past is valid and has no occurrence', () => {
    expect(parseOnCalendar('2020-01-01')?.next(Date.UTC(2026, 0, 1), 'UTC')).toBeUndefined();
  });

  test('ends before the year 2200', () => {
    expect(nextFour('yearly', '2197-06-01T00:00:00Z', 'UTC')).toEqual([
      '2198-01-01T00:00:00',
      '2199-01-01T00:00:00',
    ]);
  });

  test.each([
    ['nothing', ''],
    ['a bare number', '12'],
    ['an empty line in between', '12:00\n\n8:00'],
    ['a date before 2000', '1999-01-01'],
    ['a day that never comes', '02-30'],
    ['a star with a step', '*-*-* */10:00'],
    ['a star in a list', '*-*-* *,1:00'],
    ['a range that wraps', 'Fri..Mon'],
    ['stars as weekday', '* *-*-*'],
    ['a step on weekdays', 'Mon..Fri/2'],
    ['a decimal second', '10:00:00.5'],
    ['four time fields', '10:00:00:00'],
    ['an at sign', '@daily'],
    ['midnight', 'midnight'],
    ['an unknown zone', '10:00 Europe/Nowhere'],
    ['a zone of the wrong case', '10:00 europe/riga'],
    ['a zone alone', 'Europe/Riga'],
    ['the 29th from the end', '*-*~29'],
    ['a word with a time', 'daily 10:00'],
    ['an hour too many', '24:00'],
    ['a step of zero', '0/0:00'],
    ['a year of three digits', '202-01-01'],
    ['a time that the clocks of its zone always skip', 'Sun *-03-25..31 02:30 Europe/Zurich'],
  ])('refuses %s: %j', (_situation, text) => {
    expect(parseOnCalendar(text)).toBeUndefined();
  });

  test.each(['Mon-Fri 10:00', 'Mon,', 'mon..wed,Fri 10:00', '2026..2030-1,2-1..5 1:2:3', '1:2:3 UTC'])(
    'accepts %j',
    (text) => {
      expect(parseOnCalendar(text)).toBeDefined();
    },
  );

  test('a time that the clocks always skip takes 28 years to refuse, in a zone that was not used before', async () => {
    const zones = ['Brussels', 'Warsaw', 'Madrid'];
    const refuse = () =>
      expect(parseOnCalendar(`Sun *-03-25..31 02:30 Europe/${zones.shift()}`)).toBeUndefined();
    expect(await excessMs(100, () => cpuMsOf(refuse))).toBeUndefined();
  });
});
