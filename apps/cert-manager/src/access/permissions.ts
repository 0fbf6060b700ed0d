import { Forbidden, NotFound } from '@certloop/contracts';
import type { Caller } from './caller.js';
import { higherLevel, isLevelAtLeast, type Level } from './levels.js';

export { type Level, levels } from './levels.js';

type Rights = Pick<Caller, 'isAdmin' | 'hasFullAccess' | 'everywhere' | 'spaceLevels'>;

/** The caller's level on a space; undefined when they may not even see it. */
export function levelOn(caller: Rights, spaceId: string): Level | undefined {
  if (caller.hasFullAccess) return 'FULL_ACCESS';
  return higherLevel(caller.everywhere, caller.spaceLevels.get(spaceId));
}

export function canOn(caller: Rights, spaceId: string, level: Level): boolean {
  return isLevelAtLeast(levelOn(caller, spaceId), level);
}

/** Spaces that the caller may see: all, also those made later, or these; of one that is named, itself or none. */
export function readableSpaces(caller: Rights, named?: string): 'all' | readonly string[] {
  if (named !== undefined) return canOn(caller, named, 'READ') ? [named] : [];
  if (caller.hasFullAccess || caller.everywhere !== undefined) return 'all';
  return [...caller.spaceLevels.keys()];
}

/**
 * Throws NotFound when the caller may not see the space, which reads the same whether it exists or not;
 * Forbidden when they see it but lack the level.
 */
export function requireLevel(caller: Rights, spaceId: string, level: Level): void {
  const held = levelOn(caller, spaceId);
  if (held === undefined) throw spaceNotFound();
  if (!isLevelAtLeast(held, level)) {
    throw new Forbidden(`this needs ${level} on the space; you hold ${held}`, {
      code: 'insufficient_level',
      title: 'Not permitted on this space',
    });
  }
}

/** Throws Forbidden unless the caller has FULL_ACCESS to every space. */
export function requireFullAccess(caller: Rights): void {
  if (!caller.hasFullAccess) {
    throw new Forbidden('this needs FULL_ACCESS to all spaces', {
      code: 'full_access_required',
      title: 'Full access required',
    });
  }
}

/** Throws Forbidden unless the caller is an administrator. */
export function requireAdmin(caller: Rights): void {
  if (!caller.isAdmin) {
    throw new Forbidden('this is restricted to administrators', {
      code: 'admin_required',
      title: 'Administrators only',
    });
  }
}

/** The refusal for a space that does not exist or that the caller may not see. */
export function spaceNotFound(): NotFound {
  return new NotFound('space not found', { code: 'space_not_found', title: 'Space not found' });
}
