import { type AuditLogsQuery, InvalidInput } from '@certloop/contracts';
import type { Caller } from '../../access/caller.js';
import { readableSpaces } from '../../access/permissions.js';
import { ipKeyRange } from './ip-range.js';

/** Which entries a caller may see. */
export interface AuditScope {
  /** Entries of this user are visible in any case, null when no one's are; `undefined` when everything is. */
  readonly ownUserId?: string | null;
  /** Spaces whose entries are visible. */
  readonly spaces: 'all' | readonly string[];
  /** Whether entries that belong to no space are visible, but for those on accounts and providers. */
  readonly withUnplaced: boolean;
}

/**
 * Administrators see all, others their own acts and those on the spaces that they may read; a token that is
 * limited to spaces sees what happened on these.
 */
export function auditScopeOf(caller: Caller): AuditScope {
  if (caller.isAdmin) return { spaces: 'all', withUnplaced: true };
  return {
    ownUserId: caller.isLimitedToSpaces === true ? null : caller.userId,
    spaces: readableSpaces(caller),
    withUnplaced: caller.hasFullAccess,
  };
}

/** Kinds of resource whose entries are for administrators, and for who did it. */
export const administrativeTypes = ['user', 'session', 'token', 'permission-group', 'provider'] as const;

/** Filter of a list of entries. */
export interface AuditFilter {
  readonly action?: string;
  readonly actionPrefix?: string;
  readonly resourceType?: string;
  readonly resourceId?: string;
  readonly userId?: string;
  /** The one user whose addresses the caller may see, when the filter asks for addresses. */
  readonly placedUserId?: string;
  /** In whatever case. */
  readonly username?: string;
  /** The names that this means, as they stand in the log; counts instead of `username`. */
  readonly usernames?: readonly string[];
  readonly spaceId?: string;
  readonly outcome?: string;
  readonly ipRange?: { readonly first: string; readonly last: string };
  /** Inclusive. */
  readonly from?: Date;
  /** Exclusive. */
  readonly to?: Date;
  readonly text?: string;
}

/**
 * Filter of a query. Callers who may not see the IP addresses of others can filter only their own entries by
 * address; the result would reveal the addresses otherwise. Throws InvalidInput for an instant that no calendar has.
 */
export function auditFilterOf(query: Omit<AuditLogsQuery, 'limit' | 'offset'>, caller: Caller): AuditFilter {
  const { action, resourceType, resourceId, userId, username, spaceId, outcome, ipAddress, from, to, q } =
    query;
  return {
    ...(action?.endsWith('*') ? { actionPrefix: action.slice(0, -1) } : given({ action })),
    ...given({ resourceType, resourceId, userId, username, spaceId, outcome, text: q }),
    ...(ipAddress !== undefined && { ipRange: ipKeyRange(ipAddress) }),
    ...(ipAddress !== undefined && !caller.isAdmin && { placedUserId: caller.userId }),
    ...(from !== undefined && { from: instantOf(from, 'query.from') }),
    ...(to !== undefined && { to: instantOf(to, 'query.to') }),
  };
}

type Given<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> };

function given<T extends Record<string, string | undefined>>(members: T): Given<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Given<T>;
}

function instantOf(text: string, path: string): Date {
  const instant = new Date(text);
  if (!Number.isNaN(instant.getTime())) return instant;
  const message = 'must be a point in time';
  throw new InvalidInput(`${path}: ${message}`, { fields: [{ path, code: 'invalid_instant', message }] });
}
