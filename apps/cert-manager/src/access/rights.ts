import type { TokenScope } from '@certloop/contracts';
import type { Caller, Origin } from './caller.js';
import { higherLevel, type Level, lowerLevel } from './levels.js';

/** Permission that a group gives its members. */
export interface Grant {
  readonly permission: Level;
  /** Every space, those made later included; counts for FULL_ACCESS only. */
  readonly allSpaces: boolean;
  readonly spaceIds: readonly string[];
}

export type Rights = Pick<Caller, 'isAdmin' | 'hasFullAccess' | 'spaceLevels'> & {
  readonly everywhere?: Level;
};

/** Limits that an API token puts on its owner's rights. */
export interface TokenLimits {
  readonly scope: TokenScope;
  /** Null when it reaches all that its owner does. */
  readonly spaceIds: readonly string[] | null;
}

/** Rights of a user: on each space the highest of their groups' levels; an administrator has them all. */
export function rightsOf(user: { readonly isAdmin: boolean }, grants: readonly Grant[]): Rights {
  if (user.isAdmin || grants.some(isGlobal)) {
    return {
      isAdmin: user.isAdmin,
      hasFullAccess: true,
      everywhere: 'FULL_ACCESS',
      spaceLevels: new Map(),
    };
  }
  const spaceLevels = new Map<string, Level>();
  for (const { permission, spaceIds } of grants) {
    for (const id of spaceIds)
      spaceLevels.set(id, higherLevel(spaceLevels.get(id), permission) ?? permission);
  }
  return { isAdmin: false, hasFullAccess: false, spaceLevels };
}

function isGlobal({ permission, allSpaces }: Grant): boolean {
  return allSpaces && permission === 'FULL_ACCESS';
}

/**
 * The lower of an owner's rights and their token's limits. Only scope ADMIN keeps an administrator one, and
 * only a token for all spaces keeps what reaches beyond single spaces.
 */
export function limitRights(rights: Rights, { scope, spaceIds }: TokenLimits): Rights {
  const cap: Level = scope === 'ADMIN' ? 'FULL_ACCESS' : scope;
  if (spaceIds !== null) return limitToSpaces(rights, cap, spaceIds);
  const everywhere = lowerLevel(rights.everywhere, cap);
  return {
    isAdmin: rights.isAdmin && scope === 'ADMIN',
    hasFullAccess: rights.hasFullAccess && cap === 'FULL_ACCESS',
    ...(everywhere !== undefined && { everywhere }),
    spaceLevels: mapLevels(rights.spaceLevels, (level) => lowerLevel(level, cap)),
  };
}

function limitToSpaces(rights: Rights, cap: Level, spaceIds: readonly string[]): Rights {
  const named = new Map(spaceIds.map((id) => [id, cap]));
  return {
    isAdmin: false,
    hasFullAccess: false,
    spaceLevels: mapLevels(named, (level, id) =>
      lowerLevel(level, higherLevel(rights.everywhere, rights.spaceLevels.get(id))),
    ),
  };
}

function mapLevels(
  from: ReadonlyMap<string, Level>,
  change: (level: Level, id: string) => Level | undefined,
): ReadonlyMap<string, Level> {
  const result = new Map<string, Level>();
  for (const [id, level] of from) {
    const changed = change(level, id);
    if (changed !== undefined) result.set(id, changed);
  }
  return result;
}

/** The owner of an account as a caller with these rights. */
export function userCaller(
  { id, username }: { readonly id: string; readonly username: string },
  rights: Rights,
  from: Origin,
): Caller {
  return { ...from, kind: 'user', userId: id, username, ...rights };
}
