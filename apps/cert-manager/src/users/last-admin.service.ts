import { InvalidInput } from '@certloop/contracts';
import type { Tx } from '@certloop/db';
import { lockEnabledAdmins } from './users.repository.js';

/**
 * Throws InvalidInput when the user is the only enabled administrator. Administrators are locked until
 * the transaction ends: of two that demote each other at once, one stays.
 */
export async function requireOtherAdmin(tx: Tx, userId: string): Promise<void> {
  const admins = await lockEnabledAdmins(tx);
  if (admins.some((id) => id !== userId) || !admins.includes(userId)) return;
  throw new InvalidInput(
    'the last enabled administrator cannot be deleted, disabled or demoted: make another user an administrator first',
    {
      code: 'last_admin',
      title: 'Last administrator',
    },
  );
}
