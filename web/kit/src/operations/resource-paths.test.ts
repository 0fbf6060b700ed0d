import { expect, test } from 'vitest';
import { areAffected, isAffected } from './resource-paths.js';

test.each([
  ['itself', '/spaces/1', '/spaces/1', true],
  ['the list of a changed member', '/spaces', '/spaces/1', true],
  ['what belongs to a changed object', '/spaces/1/fqdns', '/spaces/1', true],
  ['another member', '/spaces/1', '/spaces/2', false],
  ['a member whose id begins the same', '/spaces/1', '/spaces/10', false],
  ['another part of the same object', '/spaces/1/issuance-policy', '/spaces/1/fqdns/1', false],
  ['another list', '/providers', '/spaces', false],
])('%s', (_, shown, changed, expected) => {
  expect(isAffected(shown, changed)).toBe(expected);
  expect(isAffected(changed, shown)).toBe(expected);
});

test('one affected resource of several is enough', () => {
  expect(areAffected(['/fqdns', '/spaces'], ['/providers', '/spaces/1'])).toBe(true);
  expect(areAffected(['/fqdns'], ['/providers', '/spaces/1'])).toBe(false);
  expect(areAffected([], ['/providers'])).toBe(false);
});
