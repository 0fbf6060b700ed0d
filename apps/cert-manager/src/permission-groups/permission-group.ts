import type { Level } from '../access/levels.js';

export interface PermissionGroupRow {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly permission: Level;
  /** Every space, those made later included. A group without spaces reaches none unless this says so. */
  readonly allSpaces: boolean;
  readonly createdAt: Date;
}

/** A group with the spaces that it reaches. */
export interface PermissionGroup extends PermissionGroupRow {
  readonly spaceIds: readonly string[];
}

/** A group with its members too. */
export interface PeopledGroup extends PermissionGroup {
  readonly userIds: readonly string[];
}

/** Returns the rows by the group that each belongs to. */
export function byGroup<Row extends { readonly groupId: string }>(
  rows: readonly Row[],
  held: (row: Row) => string,
): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>();
  for (const row of rows) {
    const values = groups.get(row.groupId) ?? [];
    values.push(held(row));
    groups.set(row.groupId, values);
  }
  return groups;
}
