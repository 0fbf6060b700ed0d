import { type BodyOf, type certManagerContract, Forbidden } from '@certloop/contracts';
import { requireAcceptablePassword } from '@certloop/server';
import type { Caller } from '../../access/caller.js';
import { recordAudit } from '../../audit/audit.service.js';
import { requireSession } from '../api-tokens/api-tokens.service.js';
import { revokeAllApiTokens } from '../api-tokens/revoke-api-tokens.service.js';
import { updateUserRow } from '../users.repository.js';
import { type ProofDeps, provePassword } from './prove-password.service.js';
import { deleteSessionsOf } from './sessions.repository.js';

export interface ChangePasswordDeps extends ProofDeps {
  readonly passwordMinLength: number;
}

/**
 * Changes the caller's password and ends all their sessions, this one too. Throws Forbidden when the current
 * password is wrong, InvalidInput when the new one may not be used, and a too_many_requests refusal.
 */
export async function changePassword(
  deps: ChangePasswordDeps,
  caller: Caller,
  input: BodyOf<typeof certManagerContract.changePassword>,
): Promise<void> {
  requireSession(caller);
  const { username } = caller;
  const user = await provePassword(deps, caller, { username, password: input.currentPassword });
  if (user === undefined) throw wrongPassword();
  requireAcceptablePassword(input.newPassword, user, deps.passwordMinLength, 'newPassword');
  const passwordHash = await deps.passwords.hash(input.newPassword);
  const entry = { action: 'user.password', resourceType: 'user', resourceId: user.id } as const;
  await deps.db.transaction(async (tx) => {
    // Two changes at once: the second no longer knows the current password.
    const isUnchanged = { id: user.id, passwordHash: user.passwordHash, enabled: true };
    if (!(await updateUserRow(tx, isUnchanged, { passwordHash }))) throw wrongPassword();
    await deleteSessionsOf(tx, user.id);
    const revokedTokens = input.revokeTokens === true ? await revokeAllApiTokens(tx, user.id) : [];
    const details = revokedTokens.length > 0 && { details: { revokedTokens } };
    await recordAudit(tx, caller, { ...entry, ...details }, deps.clock.now());
  });
}

function wrongPassword(): Forbidden {
  return new Forbidden('the current password is wrong', {
    code: 'wrong_password',
    title: 'Current password is wrong',
    fields: [{ path: 'currentPassword', code: 'wrong_password', message: 'is not the current password' }],
  });
}
