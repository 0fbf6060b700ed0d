import { NotFound } from '@certloop/contracts';
import type { Database } from '@certloop/db';
import type { Clock } from '@certloop/server';
import type { Caller } from '../../access/caller.js';
import { recordAudit } from '../../audit/audit.service.js';
import { requireOwnAccount } from '../own-account.service.js';
import { lockUsersForShare } from '../users.repository.js';
import { userNotFound } from '../users.service.js';
import { deleteAvatarRow, findAvatar, storeAvatar } from './avatars.repository.js';
import { encodeAvatar } from './encode-avatar.service.js';

export interface AvatarsDeps {
  readonly db: Database;
  readonly clock: Clock;
}

/** PNG of the user's picture; every signed-in user may see it. Throws NotFound when they have none. */
export async function getAvatar({ db }: AvatarsDeps, userId: string): Promise<Uint8Array> {
  const png = await db.read((tx) => findAvatar(tx, userId));
  if (png === undefined) throw avatarNotFound();
  return png;
}

function avatarNotFound(): NotFound {
  return new NotFound('the user has no avatar', { code: 'avatar_not_found', title: 'Avatar not found' });
}

/**
 * Replaces the user's picture by what the file shows. Throws NotFound, Forbidden unless it is the caller's
 * own or they are an administrator, and InvalidInput for a file that is not a picture of a known kind and size.
 */
export async function replaceAvatar(
  { db, clock }: AvatarsDeps,
  caller: Caller,
  { userId, bytes }: { readonly userId: string; readonly bytes: Uint8Array },
): Promise<void> {
  await requireOwnAccount({ db }, caller, userId);
  const png = await encodeAvatar(bytes);
  await db.transaction(async (tx) => {
    if ((await lockUsersForShare(tx, [userId])).length === 0) throw userNotFound();
    const updatedAt = clock.now();
    await storeAvatar(tx, { userId, png, updatedAt });
    const details = { bytes: png.length };
    const entry = { action: 'user.avatar', resourceType: 'user', resourceId: userId, details } as const;
    await recordAudit(tx, caller, entry, updatedAt);
  });
}

/**
 * Deletes the user's picture. Throws NotFound if there is no such user or no picture, and Forbidden unless the account
 * is the caller's own or the caller is an administrator.
 */
export async function deleteAvatar(
  { db, clock }: AvatarsDeps,
  caller: Caller,
  userId: string,
): Promise<void> {
  await requireOwnAccount({ db }, caller, userId);
  await db.transaction(async (tx) => {
    if (!(await deleteAvatarRow(tx, userId))) throw avatarNotFound();
    const entry = { action: 'user.avatar.delete', resourceType: 'user', resourceId: userId } as const;
    await recordAudit(tx, caller, entry, clock.now());
  });
}
