import { InvalidInput } from '@certloop/contracts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { levels } from '../access/levels.js';
import { rightsOf } from '../access/rights.js';
import { type AskedReach, changedReach, type GroupReach, newReach } from './group-reach.js';

const refused = 'refused';
const settled = (reach: () => GroupReach): GroupReach | typeof refused => {
  try {
    return reach();
  } catch (error) {
    if (error instanceof InvalidInput) return refused;
    throw error;
  }
};
const reach = (permission: GroupReach['permission'], spaceIds: string[] | 'all' = []): GroupReach => ({
  permission,
  allSpaces: spaceIds === 'all',
  spaceIds: spaceIds === 'all' ? [] : spaceIds,
});

describe('a new group', () => {
  test.each<[string, Parameters<typeof newReach>[0], GroupReach | typeof refused]>([
    ['READ without spaces', { permission: 'READ' }, reach('READ')],
    ['READ_WRITE with an empty list', { permission: 'READ_WRITE', spaceIds: [] }, reach('READ_WRITE')],
    ['FULL_ACCESS without spaces', { permission: 'FULL_ACCESS' }, reach('FULL_ACCESS', 'all')],
    [
      'FULL_ACCESS with an empty list',
      { permission: 'FULL_ACCESS', spaceIds: [] },
      reach('FULL_ACCESS', 'all'),
    ],
    ['FULL_ACCESS on one', { permission: 'FULL_ACCESS', spaceIds: ['a'] }, reach('FULL_ACCESS', ['a'])],
    ['FULL_ACCESS on none, expressly', { permission: 'FULL_ACCESS', allSpaces: false }, reach('FULL_ACCESS')],
    [
      'FULL_ACCESS on all, expressly',
      { permission: 'FULL_ACCESS', allSpaces: true },
      reach('FULL_ACCESS', 'all'),
    ],
    [
      'FULL_ACCESS on all and on one',
      { permission: 'FULL_ACCESS', allSpaces: true, spaceIds: ['a'] },
      refused,
    ],
    ['READ on all', { permission: 'READ', allSpaces: true }, refused],
    ['one space twice', { permission: 'READ', spaceIds: ['a', 'b', 'a'] }, reach('READ', ['a', 'b'])],
  ])('%s', (_, asked, expected) => {
    expect(settled(() => newReach(asked))).toEqual(expected);
  });
});

describe('a changed group', () => {
  const global = reach('FULL_ACCESS', 'all');
  const scoped = reach('FULL_ACCESS', ['a']);
  test.each<[string, GroupReach, AskedReach, GroupReach | typeof refused]>([
    ['nothing', global, {}, global],
    ['a scoped group without a change', scoped, {}, scoped],
    ['an empty list of spaces', scoped, { spaceIds: [] }, reach('FULL_ACCESS')],
    ['an empty list if the group reaches all spaces', global, { spaceIds: [] }, global],
    ['one space instead of all', global, { spaceIds: ['a'] }, scoped],
    ['all spaces', scoped, { allSpaces: true }, global],
    ['all spaces, and an empty list', scoped, { allSpaces: true, spaceIds: [] }, global],
    ['all spaces and one', scoped, { allSpaces: true, spaceIds: ['b'] }, refused],
    ['not all spaces', global, { allSpaces: false }, reach('FULL_ACCESS')],
    ['READ instead of all', global, { permission: 'READ' }, reach('READ')],
    ['READ instead of all, which it says to keep', global, { permission: 'READ', allSpaces: true }, refused],
    ['all for READ', reach('READ', ['a']), { allSpaces: true }, refused],
    [
      'FULL_ACCESS for READ without spaces',
      reach('READ'),
      { permission: 'FULL_ACCESS' },
      reach('FULL_ACCESS'),
    ],
    [
      'FULL_ACCESS and an empty list',
      reach('READ', ['a']),
      { permission: 'FULL_ACCESS', spaceIds: [] },
      reach('FULL_ACCESS'),
    ],
    ['FULL_ACCESS to all', reach('READ', ['a']), { permission: 'FULL_ACCESS', allSpaces: true }, global],
    ['other spaces', scoped, { spaceIds: ['b', 'c'] }, reach('FULL_ACCESS', ['b', 'c'])],
    ['a lower level on the same', scoped, { permission: 'READ' }, reach('READ', ['a'])],
  ])('%s', (_, before, asked, expected) => {
    expect(settled(() => changedReach(before, asked))).toEqual(expected);
  });
});

const spaceIds = fc.subarray(['a', 'b', 'c']);
const asked = fc.record(
  { permission: fc.constantFrom(...levels), allSpaces: fc.boolean(), spaceIds },
  { requiredKeys: [] },
);
const isGlobal = (group: GroupReach) => rightsOf({ isAdmin: false }, [group]).hasFullAccess;

test('a group reaches all spaces only after a change that states it', () => {
  const property = fc.property(
    fc.constantFrom(...levels),
    spaceIds,
    fc.array(asked),
    (permission, first, changes) => {
      let group = newReach({ permission, spaceIds: first });
      for (const change of changes) {
        const after = settled(() => changedReach(group, change));
        if (after === refused) continue;
        if (!isGlobal(group) && isGlobal(after)) expect(change.allSpaces).toBe(true);
        expect(after.allSpaces && (after.permission !== 'FULL_ACCESS' || after.spaceIds.length > 0)).toBe(
          false,
        );
        group = after;
      }
    },
  );
  fc.assert(property);
});

test('a group sent back as it was returned changes nothing', () => {
  const property = fc.property(asked, asked, (first, change) => {
    const made = settled(() => newReach({ permission: 'FULL_ACCESS', ...first }));
    if (made === refused) return;
    const group = settled(() => changedReach(made, change));
    if (group !== refused) expect(changedReach(group, group)).toEqual(group);
  });
  fc.assert(property);
});
