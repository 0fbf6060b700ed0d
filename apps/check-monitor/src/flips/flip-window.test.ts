import { describe, expect, test } from 'vitest';
import { parseFlipWindow } from './flip-window.js';

const now = 1_800_000_000_000_000;
const ever = Number.MAX_SAFE_INTEGER;

describe('window of flips', () => {
  test.each([
    ['nothing given', {}, 0, ever],
    ['a start', { start: '5' }, 5e6, ever],
    ['an end', { end: '7' }, 0, 7e6],
    ['an end of 0 leaves nothing', { end: '0' }, 0, 0],
    ['the last start counts', { start: ['9', '5'] }, 5e6, ever],
    ['blanks around a number', { start: ' 5 ' }, 5e6, ever],
    ['a plus, and underscores', { start: '+1_0' }, 10e6, ever],
    ['minus nought', { end: '-0' }, 0, 0],
    ['seconds', { seconds: '10' }, now - 10e6, ever],
    ['seconds with an empty fraction', { seconds: '10.0' }, now - 10e6, ever],
    ['no seconds', { seconds: '' }, 0, ever],
    ['0 seconds', { seconds: '0' }, 0, ever],
    ['the later begin counts', { seconds: '10', start: '5' }, now - 10e6, ever],
    ['the largest start', { start: '10000000000' }, 1e16, ever],
  ])('%s', (_situation, query, from, before) => {
    expect(parseFlipWindow(query, now)).toEqual({ from, before });
  });

  test.each([
    ['an empty start', { start: '' }],
    ['two underscores', { start: '1__0' }],
    ['a sign alone', { start: '+' }],
    ['a negative end', { end: '-1' }],
    ['a start with a fraction', { start: '1.0' }],
    ['a start too large', { start: '10000000001' }],
    ['seconds with a fraction', { seconds: '1.5' }],
    ['an exponent', { seconds: '1e3' }],
    ['more than a year', { seconds: '31536001' }],
    ['a word', { end: 'now' }],
  ])('refuses %s', (_situation, query) => {
    expect(() => parseFlipWindow(query, now)).toThrow('must be a whole number');
  });
});
