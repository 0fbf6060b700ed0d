import { expect, test } from 'vitest';
import { steadyRows } from './steady-rows.js';

interface Row {
  readonly key: string;
  readonly text: string;
}

const rowsOf = (keys: string, text: string): Row[] => [...keys].map((key) => ({ key, text }));
const textOf = (rows: readonly Row[]) => rows.map(({ key, text }) => `${key}${text}`).join(' ');

test.each<[situation: string, shown: string, loaded: string, rows: string, moved: number]>([
  ['the same rows', 'abc', 'abc', 'a2 b2 c2', 0],
  ['the last row comes first', 'abc', 'cab', 'a2 b2 c2', 1],
  ['the first row comes last', 'abcd', 'bcda', 'a2 b2 c2 d2', 1],
  ['two rows change places', 'abc', 'bac', 'a2 b2 c2', 1],
  ['all rows in reverse', 'abcd', 'dcba', 'a2 b2 c2 d2', 3],
  ['a next page', 'ab', 'abcd', 'a2 b2 c2 d2', 0],
  ['a row that is gone', 'abc', 'ac', 'a2 b1 c2', 1],
  ['a new row before the others', 'ab', 'cab', 'a2 b2 c2', 1],
  ['a new row that pushes another off the page', 'abc', 'dab', 'a2 b2 c1 d2', 1],
  ['a row that leaves, and the next one of the service', 'abc', 'acd', 'a2 b1 c2 d2', 1],
  ['other rows altogether', 'ab', 'cd', 'a1 b1 c2 d2', 2],
])('%s', (_, shown, loaded, rows, moved) => {
  const steady = steadyRows(rowsOf(shown, '1'), rowsOf(loaded, '2'), ({ key }) => key);
  expect([textOf(steady.rows), steady.moved]).toEqual([rows, moved]);
});

test.each<[situation: string, shown: string, loaded: string, rows: string, moved: number, unfit: string]>([
  ['a row that no longer fits', 'aXc', 'ac', 'a2 X1 c2', 0, 'X'],
  ['a row that no longer fits, and one of a later page', 'aXcd', 'ac', 'a2 X1 c2 d1', 1, 'X'],
  ['rows that no longer fit, and others in another order', 'XaYbc', 'cab', 'X1 a2 Y1 b2 c2', 1, 'XY'],
  ['no row that still fits', 'XY', '', 'X1 Y1', 0, 'XY'],
  ['a row that the service still finds', 'aX', 'aX', 'a2 X2', 0, ''],
])('%s', (_, shown, loaded, rows, moved, unfit) => {
  const fits = ({ key }: Row) => key === key.toLowerCase();
  const steady = steadyRows(rowsOf(shown, '1'), rowsOf(loaded, '2'), ({ key }) => key, { fits });
  expect([textOf(steady.rows), steady.moved, [...steady.unfit].join('')]).toEqual([rows, moved, unfit]);
});

test.each<[situation: string, shown: string, loaded: string, moved: number, unfit: string]>([
  ['a row that is looked up', 'apc', 'ac', 0, ''],
  ['a row that is looked up, and one that no longer fits', 'apXc', 'ac', 0, 'X'],
  ['a row that is looked up, and one of a later page', 'apcd', 'ac', 1, ''],
  ['a row that is looked up, and one in its place', 'apc', 'abc', 1, ''],
  ['a row that is looked up, and others in another order', 'apbc', 'cab', 1, ''],
])('counts only what is known of %s', (_, shown, loaded, moved, unfit) => {
  const fits = ({ key }: Row) => key === key.toLowerCase();
  const absent = { fits, pending: new Set('p') };
  const steady = steadyRows(rowsOf(shown, '1'), rowsOf(loaded, '2'), ({ key }) => key, absent);
  expect(steady.rows.slice(0, shown.length).map(({ key }) => key)).toEqual([...shown]);
  expect([steady.moved, [...steady.unfit].join('')]).toEqual([moved, unfit]);
});

test('reverses 5,000 rows quickly', () => {
  const rows = Array.from({ length: 5_000 }, (_, index) => index);
  expect(steadyRows(rows, rows.toReversed(), String).moved).toBe(4_999);
});
