import { InvalidInput, TooManyRequests } from '@certloop/contracts';
import type { Database } from '@certloop/db';
import { type Clock, microsPerSecond } from '../../instants.js';
import { lockOwner } from '../../projects/users.repository.js';
import { hour, maxPerHour, nextRequestAt } from './consent-limits.js';
import {
  deleteOldRequests,
  insertRequest,
  listRecentRequests,
  lockRequest,
  noteFurtherRequest,
} from './consent-requests.repository.js';

/**
 * Notes that the user is about to ask the holder of a mail address for consent. Throws InvalidInput if the holder
 * declined, too_many_requests with Retry-After if they were asked lately, or the user asked too many.
 */
export async function claimConsentMail(
  { db, clock }: { readonly db: Database; readonly clock: Clock },
  userId: string,
  address: string,
): Promise<void> {
  const now = clock.now();
  await db.transaction(async (tx) => {
    // two at once of one user count one after the other
    await lockOwner(tx, userId);
    const [oldest, ...others] = await listRecentRequests(tx, userId, now);
    if (oldest !== undefined && others.length + 1 >= maxPerHour) {
      throw new TooManyRequests('too many confirmation mails', (oldest + hour - now) / microsPerSecond);
    }
    await deleteOldRequests(tx, now);
    if (await insertRequest(tx, address, userId, now)) return;
    const found = await lockRequest(tx, address);
    if (found === undefined) throw new TooManyRequests('settings.address: is being asked', 1);
    const waitMicros = nextRequestAt(found) - now;
    if (waitMicros > 0 && found.declinedAt !== null) {
      throw new InvalidInput('settings.address: its holder declined notifications; name another address');
    }
    if (waitMicros > 0) {
      const reason = 'settings.address: a confirmation mail was sent there already';
      throw new TooManyRequests(reason, waitMicros / microsPerSecond);
    }
    await noteFurtherRequest(tx, found, userId, now);
  });
}
