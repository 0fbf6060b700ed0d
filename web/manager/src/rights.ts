import { type Me, type PermissionLevel, permissionLevels } from '@certloop/contracts/browser';
import { useSession } from '@certloop/web-kit';
import { session } from './service.js';

/** Whether a level includes another one. */
export function reaches(held: PermissionLevel | undefined, needed: PermissionLevel): boolean {
  return held !== undefined && permissionLevels.indexOf(held) >= permissionLevels.indexOf(needed);
}

/** What the user may do beyond single spaces; nothing while no one is signed in. */
export function useRights(): Me['rights'] {
  const state = useSession(session);
  return 'me' in state ? state.me.rights : { isAdmin: false, hasFullAccess: false };
}

/** Id of the user; undefined while no one is signed in. */
export function useUserId(): string | undefined {
  const state = useSession(session);
  return 'me' in state ? state.me.user.id : undefined;
}

/** Name by which the user signs in; undefined while no one is signed in. */
export function useUserName(): string | undefined {
  const state = useSession(session);
  return 'me' in state ? state.me.user.username : undefined;
}
