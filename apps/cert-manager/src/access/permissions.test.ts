import { Forbidden, NotFound } from '@certloop/contracts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  canOn,
  type Level,
  levelOn,
  levels,
  readableSpaces,
  requireAdmin,
  requireFullAccess,
  requireLevel,
} from './permissions.js';
import { type Grant, limitRights, type Rights, rightsOf, type TokenLimits } from './rights.js';

const north = 'north';
const south = 'south';
const user = { isAdmin: false };
const admin = { isAdmin: true };
const scoped = (permission: Level, ...spaceIds: string[]): Grant => ({
  permission,
  spaceIds,
  allSpaces: false,
});
const everywhere = (permission: Level): Grant => ({ permission, spaceIds: [], allSpaces: true });

describe('the level of a user on a space', () => {
  test.each<[string, { isAdmin: boolean }, Grant[], Level | undefined]>([
    ['no group', user, [], undefined],
    ['READ on it', user, [scoped('READ', north)], 'READ'],
    ['READ on another', user, [scoped('READ', south)], undefined],
    ['READ and READ_WRITE on it', user, [scoped('READ_WRITE', north), scoped('READ', north)], 'READ_WRITE'],
    ['FULL_ACCESS on it', user, [scoped('FULL_ACCESS', north)], 'FULL_ACCESS'],
    ['FULL_ACCESS to all', user, [everywhere('FULL_ACCESS')], 'FULL_ACCESS'],
    ['FULL_ACCESS to no space at all', user, [scoped('FULL_ACCESS')], undefined],
    ['READ without spaces', user, [scoped('READ')], undefined],
    ['READ marked for all, which no group can be', user, [everywhere('READ')], undefined],
    ['an administrator without group', admin, [], 'FULL_ACCESS'],
    ['an administrator with READ on it', admin, [scoped('READ', north)], 'FULL_ACCESS'],
  ])('%s', (_, who, grants, level) => {
    expect(levelOn(rightsOf(who, grants), north)).toBe(level);
  });
});

test.each<[string, Rights, boolean, boolean, 'all' | string[]]>([
  ['a user', rightsOf(user, [scoped('FULL_ACCESS', north)]), false, false, [north]],
  ['one with full access', rightsOf(user, [everywhere('FULL_ACCESS')]), false, true, 'all'],
  ['an administrator', rightsOf(admin, []), true, true, 'all'],
  [
    'their READ token',
    limitRights(rightsOf(admin, []), { scope: 'READ', spaceIds: null }),
    false,
    false,
    'all',
  ],
  [
    'their FULL_ACCESS token',
    limitRights(rightsOf(admin, []), { scope: 'FULL_ACCESS', spaceIds: null }),
    false,
    true,
    'all',
  ],
  [
    'their ADMIN token',
    limitRights(rightsOf(admin, []), { scope: 'ADMIN', spaceIds: null }),
    true,
    true,
    'all',
  ],
  [
    'their ADMIN token for one space',
    limitRights(rightsOf(admin, []), { scope: 'ADMIN', spaceIds: [north] }),
    false,
    false,
    [north],
  ],
  [
    "a user's ADMIN token",
    limitRights(rightsOf(user, [scoped('READ', north)]), { scope: 'ADMIN', spaceIds: null }),
    false,
    false,
    [north],
  ],
])('%s beyond single spaces', (_, rights, isAdmin, hasFullAccess, readable) => {
  expect({ isAdmin: rights.isAdmin, hasFullAccess: rights.hasFullAccess }).toEqual({
    isAdmin,
    hasFullAccess,
  });
  expect(readableSpaces(rights)).toEqual(readable);
});

describe('a token', () => {
  test.each<[string, Grant[], TokenLimits, Level | undefined]>([
    ['of a higher scope', [scoped('READ', north)], { scope: 'FULL_ACCESS', spaceIds: null }, 'READ'],
    ['of a lower scope', [scoped('FULL_ACCESS', north)], { scope: 'READ', spaceIds: null }, 'READ'],
    ['for the space', [scoped('READ_WRITE', north)], { scope: 'ADMIN', spaceIds: [north] }, 'READ_WRITE'],
    ['for another space', [scoped('READ_WRITE', north)], { scope: 'ADMIN', spaceIds: [south] }, undefined],
    ['for no space', [scoped('READ_WRITE', north)], { scope: 'ADMIN', spaceIds: [] }, undefined],
    ['for the space, with nothing on it', [], { scope: 'ADMIN', spaceIds: [north] }, undefined],
    [
      'for the space, full access to all',
      [everywhere('FULL_ACCESS')],
      { scope: 'READ_WRITE', spaceIds: [north] },
      'READ_WRITE',
    ],
  ])('%s', (_, grants, limits, level) => {
    expect(levelOn(limitRights(rightsOf(user, grants), limits), north)).toBe(level);
  });

  const grant = fc.record({
    permission: fc.constantFrom(...levels),
    allSpaces: fc.boolean(),
    spaceIds: fc.subarray([north, south, 'east']),
  });
  const limits = fc.record({
    scope: fc.constantFrom(...levels, 'ADMIN' as const),
    spaceIds: fc.option(fc.subarray([north, south, 'west'])),
  });

  test('never exceeds the level of its owner, its scope or its spaces', () => {
    const property = fc.property(fc.boolean(), fc.array(grant), limits, (isAdmin, grants, limit) => {
      const owner = rightsOf({ isAdmin }, grants);
      const token = limitRights(owner, limit);
      for (const space of [north, south, 'east', 'west']) {
        for (const level of levels.filter((each) => canOn(token, space, each))) {
          expect(canOn(owner, space, level)).toBe(true);
          expect(limit.spaceIds?.includes(space) ?? true).toBe(true);
          if (limit.scope !== 'ADMIN')
            expect(levels.indexOf(level)).toBeLessThanOrEqual(levels.indexOf(limit.scope));
        }
      }
      expect(token.isAdmin && !(owner.isAdmin && limit.scope === 'ADMIN')).toBe(false);
      expect(token.hasFullAccess && !owner.hasFullAccess).toBe(false);
    });
    fc.assert(property);
  });
});

describe('refusals', () => {
  const rights = rightsOf(user, [scoped('READ_WRITE', north)]);

  test('a space that the caller cannot read is reported as missing', () => {
    expect(() => requireLevel(rights, south, 'READ')).toThrow(NotFound);
    expect(() => requireLevel(rights, south, 'READ')).toThrow('space not found');
  });

  test('a missing level is reported with the required and the actual level', () => {
    expect(() => requireLevel(rights, north, 'FULL_ACCESS')).toThrow(
      new Forbidden('this needs FULL_ACCESS on the space; you hold READ_WRITE', {
        code: 'insufficient_level',
        title: 'Not permitted on this space',
      }),
    );
  });

  test('a sufficient level is accepted', () => {
    expect(() => requireLevel(rights, north, 'READ_WRITE')).not.toThrow();
  });

  test.each([
    ['full access', requireFullAccess],
    ['an administrator', requireAdmin],
  ])('requires %s', (_, requireIt) => {
    expect(() => requireIt(rights)).toThrow(Forbidden);
    expect(() => requireIt(rightsOf(admin, []))).not.toThrow();
  });
});
