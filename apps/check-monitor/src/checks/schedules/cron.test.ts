import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { IANAZone } from 'luxon';
import { describe, expect, test } from 'vitest';
import { parseCron } from './cron.js';

interface Vector {
  readonly cron: string;
  readonly tz: string;
  readonly after: number;
  readonly next: readonly number[] | null;
}

function readVectors<Row = Vector>(name: string): Row[] {
  // two levels more than in the sources: the compiled test lies in dist/src/checks
  return JSON.parse(
    readFileSync(new URL(`../../../../test/data/cron/${name}.json`, import.meta.url), 'utf8'),
  );
}

function occurrences({ cron, tz, after, next }: Vector): number[] | null {
  const schedule = parseCron(cron);
  if (schedule === undefined) return null;
  const found: number[] = [];
  let at = after * 1000;
  for (let count = 0; count < (next?.length ?? 1); count++) {
    at = schedule.next(at, tz) ?? Number.NaN;
    found.push(at / 1000);
  }
  return found;
}

describe('cron', () => {
  // clock-changes: answers of the reference's evaluator (cronsim 2.7 on tzdata 2025b), asked again after each one, for
  // texts and moments within two days of a change of the clocks in 42 zones
  test.each(['syntax', 'sequences', 'clock-changes'])('agrees with every vector of %s.json', (name) => {
    const vectors = readVectors(name);
    const wrong = vectors
      .map((vector) => ({ ...vector, found: occurrences(vector) }))
      .filter(({ found, next }) => JSON.stringify(found) !== JSON.stringify(next));
    expect(vectors.length).toBeGreaterThan(80);
    expect(wrong).toEqual([]);
  });

  test.each([
    [
      'spring, fixed time in the gap: the end of the gap',
      '30 3 * * *',
      '2026-03-28T12:00Z',
      '2026-03-29T01:00:00.000Z',
    ],
    [
      'autumn, fixed time repeated: the first pass',
      '30 3 * * *',
      '2026-10-24T12:00Z',
      '2026-10-25T00:30:00.000Z',
    ],
    [
      'autumn, asked in the second pass: not again',
      '30 3 * * *',
      '2026-10-25T01:10Z',
      '2026-10-26T01:30:00.000Z',
    ],
    ['autumn, every hour: both passes', '30 * * * *', '2026-10-25T00:30Z', '2026-10-25T01:30:00.000Z'],
    [
      'an occurrence is after the start, not at it',
      '0 * * * *',
      '2026-01-01T10:00Z',
      '2026-01-01T11:00:00.000Z',
    ],
    ['year end', '0 0 1 1 *', '2026-12-31T21:59Z', '2026-12-31T22:00:00.000Z'],
  ])('Europe/Riga: %s', (_situation, text, after, next) => {
    const found = parseCron(text)?.next(Date.parse(after), 'Europe/Riga');
    expect(found === undefined ? undefined : new Date(found).toISOString()).toBe(next);
  });

  test.each([
    ['a leap day', '0 0 29 2 *', true],
    ['a day that never comes', '0 0 31 2 *', false],
    ['six fields', '0 0 0 * * *', false],
    ['a word', '@daily', false],
    ['blanks of every kind', '\t*/5\u00a0*  * * *\n', true],
    ['a name with an L', '0 0 * * FRIL', false],
    ['two hashes', '0 0 * * 1#1#1', false],
    ['a step on L', '0 0 L/2 * *', true],
    ['a step of zero on L', '0 0 L/0 * *', false],
  ])('%s: %j is valid: %j', (_situation, text, valid) => {
    expect(parseCron(text) !== undefined).toBe(valid);
  });
});

/** An answer of the reference's evaluator that we depart from, with its defect. */
interface Departure {
  readonly cron: string;
  readonly tz: string;
  readonly after: number;
  readonly reference: number;
  readonly next: number;
  readonly defect: 'not after' | 'no match' | 'skips a match';
}

describe('cron, if the reference breaks its own rules', () => {
  /** Whether the clocks of the zone show a time of the text; no change of clocks is involved. */
  function isMatch({ cron, tz }: Departure, instant: number): boolean {
    const wall = instant * 1000 + IANAZone.create(tz).offset(instant * 1000) * 60_000;
    return parseCron(cron)?.next(wall - 1, 'UTC') === wall;
  }

  const hasDefect: Record<Departure['defect'], (row: Departure) => boolean> = {
    'not after': ({ after, reference }) => reference <= after,
    'no match': (row) => row.reference < row.next && !isMatch(row, row.reference),
    'skips a match': (row) => row.after < row.next && row.next < row.reference && isMatch(row, row.next),
  };

  test('differs only if the reference returns an occurrence that is too early, does not match, or skips a match', () => {
    const rows = readVectors<Departure>('departures');
    const wrong = rows.filter((row) => {
      const next = parseCron(row.cron)?.next(row.after * 1000, row.tz);
      return next !== row.next * 1000 || !hasDefect[row.defect](row);
    });
    expect(new Set(rows.map(({ defect }) => defect)).size).toBe(3);
    expect(wrong).toEqual([]);
  });

  test.each([
    ['15 */3 1 * *', 1_257_043_368, '2009-11-01T03:45:00.000Z'],
    ['36 */6 6,7 * 6#1', 1_289_091_805, '2010-11-07T04:06:00.000Z'],
    ['1 */4 2,3 * 0L', 1_225_519_200, '2008-11-02T03:31:00.000Z'],
  ])("returns an occurrence for %s in St. John's, where the reference does not", (cron, after, next) => {
    const found = parseCron(cron)?.next(after * 1000, 'America/St_Johns');
    expect(new Date(found ?? 0).toISOString()).toBe(next);
  });
});

describe('cron, for any text and zone', () => {
  const zones = ['UTC', 'Europe/Riga', 'America/New_York', 'Australia/Lord_Howe', 'Africa/Casablanca'];
  const number = (low: number, high: number) => fc.integer({ min: low, max: high }).map(String);
  const text = fc
    .tuple(
      fc.oneof(fc.constant('*/7'), number(0, 59)),
      fc.oneof(fc.constant('*'), fc.constant('*/5'), number(0, 23)),
      fc.oneof(fc.constant('*'), fc.constant('*/2'), fc.constant('L'), number(1, 28)),
      fc.oneof(fc.constant('*'), number(1, 12)),
      fc.oneof(fc.constant('*'), number(0, 7), fc.constant('1#2')),
    )
    .map((fields) => fields.join(' '));
  const after = fc.integer({ min: Date.UTC(2015, 0, 1), max: Date.UTC(2035, 0, 1) });

  test('the next occurrence is a whole minute after the start, with none in between', () => {
    fc.assert(
      fc.property(text, fc.constantFrom(...zones), after, (cron, tz, start) => {
        const schedule = parseCron(cron);
        const found = schedule?.next(start, tz) ?? Number.NaN;
        expect(found).toBeGreaterThan(start);
        expect(found % 60_000).toBe(0);
        const between = Math.floor(start + (found - start) / 2);
        expect(schedule?.next(between, tz)).toBe(found);
      }),
    );
  });
});
