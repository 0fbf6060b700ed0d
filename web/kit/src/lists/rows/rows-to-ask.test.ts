import { describe, expect, test } from 'vitest';
import { rowsToAsk } from './rows-to-ask.js';

const ask = (rows: string, answered: string, max = 3) =>
  rowsToAsk([...rows], [...answered], { keyOf: (row) => row, max }).join('');

describe('rows that a list asks for', () => {
  test.each([
    ['are the first ones', 'abcde', '', 'abc'],
    ['are those that were not asked for yet', 'abcde', 'abc', 'dec'],
    ['stay the same once all have answered', 'abcde', 'abcde', 'edc'],
    ['are all of a few', 'ab', 'b', 'ab'],
    ['are not those that came back', 'bc', 'abc', 'cb'],
  ])('%s', (_, rows, answered, asked) => {
    expect(ask(rows, answered)).toBe(asked);
  });
});
