import { type Me, type PermissionLevel, permissionLevels } from '@certloop/contracts/browser';
import { queryOptions, useSession } from '@certloop/web-kit';
import { useQuery } from '@tanstack/react-query';
import { api, session } from './service.js';

/** Whether a level includes another one. */
export function includesLevel(held: PermissionLevel | undefined, needed: PermissionLevel): boolean {
  return held !== undefined && permissionLevels.indexOf(held) >= permissionLevels.indexOf(needed);
}

/** Returns what the user may do beyond single spaces; nothing while no one is signed in. */
export function useRights(): Me['rights'] {
  const state = useSession(session);
  return 'me' in state ? state.me.rights : { isAdmin: false, hasFullAccess: false };
}

/** Whether the user may change names somewhere, as far as their first hundred spaces say; false until that is known. */
export function useMayWriteSomewhere(): boolean {
  const { isAdmin, hasFullAccess } = useRights();
  const isSure = isAdmin || hasFullAccess;
  const { data: spaces = [] } = useQuery({
    ...queryOptions(api.listSpaces, { query: { include: 'counts', limit: '100' } }),
    enabled: !isSure,
  });
  return isSure || spaces.some(({ level }) => includesLevel(level, 'READ_WRITE'));
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
