import { Forbidden } from '@certloop/contracts';
import type { Caller } from '../../access/caller.js';
import { type ProofDeps, provePassword } from './prove-password.service.js';
import { findSession } from './sessions.repository.js';

const recentMs = 10 * 60_000;

/**
 * Makes sure that the caller of a session, if it is one, has given their password in the last ten minutes, or gives it
 * now. Throws Forbidden with the field `password`, and a too_many_requests refusal.
 */
export async function requireRecentPassword(
  deps: ProofDeps,
  caller: Caller,
  password: string | undefined,
): Promise<void> {
  const { sessionId, username } = caller;
  if (sessionId === undefined) return;
  const session = await deps.db.read((tx) => findSession(tx, sessionId));
  if (session === undefined || deps.clock.now().getTime() - session.createdAt.getTime() < recentMs) return;
  if (password === undefined) {
    throw refusal('password_required', 'Password required', 'is required: you signed in over 10 minutes ago');
  }
  if ((await provePassword(deps, caller, { username, password })) === undefined) {
    throw refusal('wrong_password', 'Password is wrong', 'is not your password');
  }
}

function refusal(code: string, title: string, message: string): Forbidden {
  return new Forbidden(`password: ${message}`, {
    code,
    title,
    fields: [{ path: 'password', code, message }],
  });
}
