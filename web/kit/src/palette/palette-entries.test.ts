import { expect, test } from 'vitest';
import { matchingEntries, placeAfter } from './palette-entries.js';

const entries = ['Your account', 'Audit log', 'Spaces', 'Create a space'].map((label) => ({ label }));

test.each([
  ['', ['Your account', 'Audit log', 'Spaces', 'Create a space']],
  ['space', ['Spaces', 'Create a space']],
  [' SPACE  create ', ['Create a space']],
  ['a', ['Audit log', 'Your account', 'Spaces', 'Create a space']],
  ['(', []],
])('finds %j', (text, labels) => {
  expect(matchingEntries(entries, text).map(({ label }) => label)).toEqual(labels);
});

test.each([
  [0, 1, 3, 1],
  [2, 1, 3, 0],
  [0, -1, 3, 2],
  [0, 1, 0, 0],
])('goes from %d by %d of %d to %d', (place, by, count, next) => {
  expect(placeAfter(place, by, count)).toBe(next);
});
