import { type PermissionLevel, permissionLevels } from '@certloop/contracts';

/** Levels on a space, each holding the ones before it. */
export const levels = permissionLevels;
export type Level = PermissionLevel;

/** Whether `held` is at least `wanted`; holding nothing never is. */
export function isLevelAtLeast(held: Level | undefined, wanted: Level): boolean {
  return held !== undefined && levels.indexOf(held) >= levels.indexOf(wanted);
}

/** The higher of two levels. */
export function higherLevel(one: Level | undefined, other: Level | undefined): Level | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return isLevelAtLeast(one, other) ? one : other;
}

/** The lower of two levels; nothing when one of them is nothing. */
export function lowerLevel(one: Level | undefined, other: Level | undefined): Level | undefined {
  if (one === undefined || other === undefined) return undefined;
  return isLevelAtLeast(one, other) ? other : one;
}
