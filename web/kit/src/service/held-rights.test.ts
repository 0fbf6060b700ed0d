import { expect, test } from 'vitest';
import { haveRightsChanged, heldRights } from './held-rights.js';

const held = heldRights([
  ['space', { name: 'Shop', level: 'READ_WRITE' }],
  ['project', { role: 'member' }],
  ['spaces', [{ level: 'READ' }]],
  ['provider', { name: 'dummy-ca' }],
  ['dropped', undefined],
  ['nothing', null],
  ['seq', 7],
]);

test('reads the level or the role of single objects', () => {
  expect([...held]).toEqual([
    ['space', 'READ_WRITE'],
    ['project', 'member'],
  ]);
});

test.each([
  ['the same rights', held, false],
  ['another level', new Map<string, unknown>([...held, ['space', 'READ']]), true],
  ['another role', new Map<string, unknown>([...held, ['project', 'read-only']]), true],
  ['an object that is gone', new Map<string, unknown>([['space', 'READ_WRITE']]), false],
  ['an object that is new', new Map<string, unknown>([...held, ['other', 'READ']]), false],
])('compares with %s', (_, after, expected) => {
  expect(haveRightsChanged(held, after)).toBe(expected);
});
