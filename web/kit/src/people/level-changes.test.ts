import { expect, test } from 'vitest';
import { changedCells, type GroupReach, levelChanges } from './level-changes.js';

const team: GroupReach = {
  id: 'team',
  permission: 'READ',
  allSpaces: false,
  spaceIds: ['s1', 's2'],
  userIds: ['ben'],
};
const other: GroupReach = { ...team, id: 'other', permission: 'READ_WRITE', spaceIds: ['s2', 's3'] };

const changes = (groups: readonly GroupReach[], after: GroupReach) =>
  changedCells(levelChanges(groups, after)).map(
    ({ userId, spaceId, before = 'none', after: now = 'none' }) => `${userId} ${spaceId}: ${before} > ${now}`,
  );

test.each<[string, Partial<GroupReach>, string[]]>([
  ['nothing', {}, []],
  [
    'a higher level',
    { permission: 'FULL_ACCESS' },
    ['ben s1: READ > FULL_ACCESS', 'ben s2: READ_WRITE > FULL_ACCESS'],
  ],
  ['a level that another group gives as well', { permission: 'READ_WRITE' }, ['ben s1: READ > READ_WRITE']],
  ['a removed space', { spaceIds: ['s2'] }, ['ben s1: READ > none']],
  ['an added space', { spaceIds: ['s1', 's2', 's4'] }, ['ben s4: none > READ']],
  ['an added member', { userIds: ['ben', 'cleo'] }, ['cleo s1: none > READ', 'cleo s2: none > READ']],
  ['a removed member', { userIds: [] }, ['ben s1: READ > none']],
  [
    'all spaces',
    { permission: 'FULL_ACCESS', allSpaces: true, spaceIds: [] },
    [
      'ben s1: READ > FULL_ACCESS',
      'ben s2: READ_WRITE > FULL_ACCESS',
      'ben s3: READ_WRITE > FULL_ACCESS',
      'ben others: none > FULL_ACCESS',
    ],
  ],
])('shows what %s changes', (_, change, expected) => {
  expect(changes([team, other], { ...team, ...change })).toEqual(expected);
});

test('shows what a new group gives', () => {
  expect(changes([other], team)).toEqual(['ben s1: none > READ']);
});

test('shows the levels that remain after full access to all spaces ends', () => {
  const global: GroupReach = { ...team, permission: 'FULL_ACCESS', allSpaces: true, spaceIds: [] };
  expect(changes([global, other], { ...global, allSpaces: false, spaceIds: ['s1'] })).toEqual([
    'ben s2: FULL_ACCESS > READ_WRITE',
    'ben s3: FULL_ACCESS > READ_WRITE',
    'ben others: FULL_ACCESS > none',
  ]);
});
