import { Forbidden, InvalidInput } from '@certloop/contracts';
import { requireAcceptablePassword } from '@certloop/server';
import { normalEmail } from '../projects/create-user.service.js';
import { findUserByEmail } from '../projects/users.repository.js';
import { deleteSessionsOf, findPassword, replacePassword } from './sessions.repository.js';
import { provePassword, type SessionsDeps, type SignedIn } from './sessions.service.js';

/** In characters. */
const passwordMinLength = 8;

/**
 * Changes the password and ends all sessions of the user. Throws Forbidden when the current one is wrong, InvalidInput
 * when the new one may not be used, and a too_many_requests refusal.
 */
export async function changePassword(
  deps: SessionsDeps,
  session: SignedIn,
  input: { readonly currentPassword: string; readonly newPassword: string },
): Promise<void> {
  const { user } = session;
  const { email } = user;
  const proven = await provePassword(deps, session, { email, password: input.currentPassword });
  if (proven === undefined) throw wrongPassword();
  requireAcceptablePassword(input.newPassword, { email }, passwordMinLength, 'newPassword');
  const hash = await deps.passwords.hash(input.newPassword);
  await deps.db.transaction(async (tx) => {
    // two changes at once: the second no longer knows the current password
    if ((await findPassword(tx, user.id)) !== proven.hash) throw wrongPassword();
    await replacePassword(tx, { userId: user.id, hash, changedAt: deps.clock.now() });
    await deleteSessionsOf(tx, user.id);
  });
}

function wrongPassword(): Forbidden {
  return new Forbidden('currentPassword: is not the current password');
}

/** Gives a user a password whatever they had, and ends their sessions. Throws InvalidInput. */
export async function setPassword(
  deps: Pick<SessionsDeps, 'db' | 'clock' | 'passwords'>,
  email: string,
  password: string,
): Promise<void> {
  const address = normalEmail(email);
  requireAcceptablePassword(password, { email: address }, passwordMinLength);
  const hash = await deps.passwords.hash(password);
  await deps.db.transaction(async (tx) => {
    const user = await findUserByEmail(tx, address);
    if (user === undefined) throw new InvalidInput(`there is no user ${address}`);
    await replacePassword(tx, { userId: user.id, hash, changedAt: deps.clock.now() });
    await deleteSessionsOf(tx, user.id);
  });
}
