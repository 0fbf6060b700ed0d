import { type LoginThrottle, type Passwords, secretHash, signInPlaces } from '@certloop/server';
import { anonymousCaller, nilUuid, type Origin } from '../../access/caller.js';
import type { Denials } from '../../audit/denials.service.js';
import type { DbDeps } from '../../db-deps.js';
import { caselessKeyOf, type UserRow } from '../user.js';
import { findUserByName } from '../users.repository.js';
import { findKnownPlace } from './sign-in-places.repository.js';

export interface ProofDeps extends DbDeps {
  readonly passwords: Passwords;
  readonly throttle: LoginThrottle;
  readonly denials: Denials;
}

/**
 * The enabled user whose name and password these are; undefined, after the same time, when any of that is
 * wrong, which the audit log records. Throws a too_many_requests refusal.
 */
export async function provePassword(
  deps: ProofDeps,
  from: Origin,
  { username, password }: { readonly username: string; readonly password: string },
): Promise<UserRow | undefined> {
  const places = signInPlaces(from.ipAddress, from.deviceSecret);
  const { user, knownPlace } = await deps.db.read(async (tx) => {
    const found = await findUserByName(tx, username);
    // asked for without a user too, so that the time does not show whether there is one
    const known = await findKnownPlace(tx, found?.id ?? nilUuid, places, deps.clock.now());
    return { user: found, knownPlace: known };
  });
  // a name of any length makes a key of one length
  const account = secretHash(caselessKeyOf(username));
  return deps.throttle.attempt({ account, address: from.ipAddress, knownPlace }, async (turn) => {
    const isRight = await deps.passwords.verify(password, user?.passwordHash, turn);
    if (isRight && user?.enabled === true) return user;
    await recordFailure(deps.denials, from, user);
    return undefined;
  });
}

/** A name that no one has is not recorded: people type passwords into the wrong field. */
function recordFailure(denials: Denials, from: Origin, user: UserRow | undefined): Promise<void> {
  const caller = anonymousCaller(from);
  const failure = { action: 'auth.fail', resourceType: 'user', subject: 'password' } as const;
  if (user === undefined) return denials.record(caller, { ...failure, reason: 'unknown_user' });
  const reason = user.enabled ? 'wrong_password' : 'disabled';
  return denials.record({ ...caller, username: user.username }, { ...failure, resourceId: user.id, reason });
}
