import type { Level } from '../access/levels.js';
import { invalidField } from '../http/problem.js';
import type { PermissionGroup } from './permission-group.js';

/** Permission of a group, and the spaces of it. */
export type GroupReach = Pick<PermissionGroup, 'permission' | 'allSpaces' | 'spaceIds'>;

/** A reach as it is asked for. */
export interface AskedReach {
  readonly permission?: Level | undefined;
  readonly allSpaces?: boolean | undefined;
  readonly spaceIds?: readonly string[] | undefined;
}

/**
 * Reach of a new group: FULL_ACCESS that names no space is FULL_ACCESS to all of them, unless `allSpaces` is
 * false. Throws InvalidInput for what contradicts itself.
 */
export function newReach(asked: AskedReach & { readonly permission: Level }): GroupReach {
  const { permission, spaceIds = [] } = asked;
  const isGlobal = permission === 'FULL_ACCESS' && spaceIds.length === 0;
  return requireValidReach({ permission, spaceIds, allSpaces: asked.allSpaces ?? isGlobal });
}

/**
 * Reach of a group after a change, of which what is absent stays. Only `allSpaces` itself makes a group reach
 * all spaces: neither an empty list nor a missing one does, nor a permission that is raised again. Naming
 * spaces, or a lower permission, ends it. Throws InvalidInput for what contradicts itself.
 */
export function changedReach(before: GroupReach, asked: AskedReach): GroupReach {
  const { permission = before.permission } = asked;
  const namesSpaces = asked.spaceIds !== undefined && asked.spaceIds.length > 0;
  const stays = before.allSpaces && permission === 'FULL_ACCESS' && !namesSpaces;
  const spaceIds = asked.spaceIds ?? (asked.allSpaces === true ? [] : before.spaceIds);
  return requireValidReach({ permission, spaceIds, allSpaces: asked.allSpaces ?? stays });
}

function requireValidReach({ permission, allSpaces, spaceIds }: GroupReach): GroupReach {
  if (allSpaces && permission !== 'FULL_ACCESS') {
    throw invalidField('allSpaces', `${permission} is given on single spaces only`);
  }
  if (allSpaces && spaceIds.length > 0)
    throw invalidField('allSpaces', 'cannot be true while spaceIds names some');
  return { permission, allSpaces, spaceIds: [...new Set(spaceIds)].toSorted() };
}
