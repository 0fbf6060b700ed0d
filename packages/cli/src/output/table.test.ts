import { describe, expect, test } from 'vitest';
import { daysUntil, formatDuration, formatFacts, formatTable, plainText } from './table.js';

describe('table', () => {
  test('is as wide as its cells', () => {
    const rows = [
      { name: 'a', days: 5 },
      { name: 'longer', days: undefined },
    ];
    expect(formatTable(rows)).toBe('NAME    DAYS\na       5\nlonger\n');
  });

  test('counts columns of the terminal, not characters', () => {
    const rows = [
      { name: '日本', n: 1 },
      { name: 'e\u0301', n: 2 },
      { name: 'abcd', n: 3 },
      { name: '👩‍👧', n: 4 },
      { name: '❤️', n: 5 },
    ];
    expect(formatTable(rows)).toBe('NAME  N\n日本  1\ne\u0301     2\nabcd  3\n👩‍👧    4\n❤️    5\n');
  });

  test('of no rows is empty', () => {
    expect(formatTable([])).toBe('');
  });
});

test('facts omit absent values', () => {
  expect(formatFacts({ name: 'a', gone: undefined, list: [1] })).toBe('name: a\nlist: [1]\n');
});

test.each([
  ['\u001b[2Jgone', ' [2Jgone'],
  ['a\nb', 'a b'],
  ['Sh\u200dop', 'Sh op'],
  ['👩\u200d👧', '👩\u200d👧'],
  ['\u202Etxt.exe', ' txt.exe'],
  [null, ''],
  [false, 'false'],
  [{ a: '\u0007' }, '{"a":"\\u0007"}'],
])('%j is shown as %j', (value, shown) => {
  expect(plainText(value)).toBe(shown);
});

test.each([
  ['2026-01-02T00:00:00Z', 1],
  ['2026-01-01T23:59:59Z', 0],
  ['2025-12-31T23:59:59Z', -1],
])('until %s it is %i days', (instant, days) => {
  expect(daysUntil(instant, new Date('2026-01-01T00:00:00Z'))).toBe(days);
});

test.each([
  [0, '0 s'],
  [60, '1 min'],
  [90, '1 min 30 s'],
  [3_600, '1 h'],
  [86_400, '1 d'],
  [86_460, '1 d'],
  [21_528_625, '249 d 4 h'],
])('%i s last %j', (seconds, said) => {
  expect(formatDuration(seconds)).toBe(said);
});
