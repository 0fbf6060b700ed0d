import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseCron } from './cron.js';

interface Vector {
  readonly cron: string;
  readonly tz: string;
  readonly after: number;
  readonly next: readonly number[] | null;
}

function readVectors(name: string): Vector[] {
  // two levels more than in the sources: the compiled test lies in dist/src/checks
  return JSON.parse(readFileSync(new URL(`../../../test/data/cron/${name}.json`, import.meta.url), 'utf8'));
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
  test.each(['syntax', 'sequences'])('agrees with every vector of %s.json', (name) => {
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
    ['a step of nothing on L', '0 0 L/0 * *', false],
  ])('%s: %j is valid: %j', (_situation, text, valid) => {
    expect(parseCron(text) !== undefined).toBe(valid);
  });
});

describe('cron, whatever the text and the zone', () => {
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

  test('an occurrence is a whole minute after the start, and none lies between', () => {
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
