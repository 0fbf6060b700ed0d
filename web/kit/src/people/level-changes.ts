import { type PermissionLevel, permissionLevels } from '@certloop/contracts/browser';

/** Level of a permission group, with its spaces and users. */
export interface GroupReach {
  readonly id: string;
  readonly permission: PermissionLevel;
  /** Every space, also those that are created later; only with FULL_ACCESS. */
  readonly allSpaces: boolean;
  readonly spaceIds: readonly string[];
  readonly userIds: readonly string[];
}

/** Column of all spaces that the other columns do not name. */
export const otherSpaces = 'others';

/** Level of a user on a space before and after a change; undefined is not a level. */
export interface LevelCell {
  readonly spaceId: string;
  readonly before: PermissionLevel | undefined;
  readonly after: PermissionLevel | undefined;
}

export interface LevelChanges {
  /** Ids of the spaces that the change may affect, perhaps with `otherSpaces` at the end. */
  readonly spaceIds: readonly string[];
  /** For each member before or after, a cell for each space. */
  readonly rows: readonly { readonly userId: string; readonly cells: readonly LevelCell[] }[];
}

/**
 * Returns what the rights of users become if `after` replaces the group of the same id, by the rule of the service: the
 * highest level of all groups. Leave out administrators: groups do not change what they may do. A new group has an id
 * that no other group has.
 */
export function levelChanges(groups: readonly GroupReach[], after: GroupReach): LevelChanges {
  const stored = groups.find(({ id }) => id === after.id);
  const others = groups.filter(({ id }) => id !== after.id);
  const userIds = [...new Set([...(stored?.userIds ?? []), ...after.userIds])];
  const isGlobal = stored?.allSpaces === true || after.allSpaces;
  const affected = new Set(userIds);
  const named = isGlobal ? others.filter((group) => group.userIds.some((id) => affected.has(id))) : [];
  const spaceIds = new Set([stored, after, ...named].flatMap((group) => group?.spaceIds ?? []));
  const columns = [...spaceIds, ...(isGlobal ? [otherSpaces] : [])];
  const rows = userIds.map((userId) => {
    const unchanged = others.filter((group) => group.userIds.includes(userId));
    const levelWith = (group: GroupReach | undefined, spaceId: string) =>
      levelOf(group?.userIds.includes(userId) === true ? [...unchanged, group] : unchanged, spaceId);
    return {
      userId,
      cells: columns.map((spaceId) => ({
        spaceId,
        before: levelWith(stored, spaceId),
        after: levelWith(after, spaceId),
      })),
    };
  });
  return { spaceIds: columns, rows };
}

/** The highest level that the groups give on the space. */
function levelOf(groups: readonly GroupReach[], spaceId: string): PermissionLevel | undefined {
  const given = groups.filter(({ allSpaces, spaceIds }) => allSpaces || spaceIds.includes(spaceId));
  return permissionLevels.findLast((level) => given.some(({ permission }) => permission === level));
}

/** The cells in which the level changes. */
export function changedCells({ rows }: LevelChanges): readonly (LevelCell & { readonly userId: string })[] {
  return rows.flatMap(({ userId, cells }) =>
    cells.filter(({ before, after }) => before !== after).map((cell) => ({ ...cell, userId })),
  );
}
