import type { Caller, Origin } from '../../access/caller.js';
import type { Rights } from '../../access/rights.js';

/** The owner of an account as a caller with these rights. */
export function userCaller(
  { id, username }: { readonly id: string; readonly username: string },
  rights: Rights,
  from: Origin,
): Caller {
  return { ...from, kind: 'user', userId: id, username, ...rights };
}
