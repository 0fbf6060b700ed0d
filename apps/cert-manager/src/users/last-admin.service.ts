import { InvalidInput } from '@certloop/contracts';
import type { Tx } from '@certloop/db';
import { holdEnabledAdmins } from './users.repository.js';

/**
 * Throws InvalidInput when the user is the only enabled administrator. Who they are is held until the
 * transaction ends: of two who take it from each other at once, one stays.
 */
export async function requireOtherAdmin(tx: Tx, userId: string): Promise<void> {
  const admins = await holdEnabledAdmins(tx);
  if (admins.some((id) => id !== userId) || !admins.includes(userId)) return;
  throw new InvalidInput('the last enabled administrator can be neither deleted, disabled nor demoted', {
    code: 'last_admin',
    title: 'Last administrator',
  });
}
