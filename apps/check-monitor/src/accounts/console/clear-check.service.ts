import { assignAllChannels } from '../../channels/channels.service.js';
import { unpinged } from '../../checks/check.js';
import { type ChecksDeps, lockOwnCheck } from '../../checks/checks.service.js';
import { updateCheck } from '../../checks/rows/checks.repository.js';
import { requireRoom, type WriteCheckDeps } from '../../checks/write-check.service.js';
import { deleteSentFlips } from '../../flips/flips.repository.js';
import { deleteNotificationsBefore } from '../../notifications/notifications.repository.js';
import { deletePings } from '../../pings/pings.repository.js';
import type { Caller } from '../../projects/caller.js';
import { lockProjectForShare } from '../../projects/projects.repository.js';
import { addToCheckCount, lockOwner } from '../../projects/users.repository.js';

/** Deletes the history of a check, except alerts that are not sent yet. The check is then new. Throws NotFound. */
export async function clearCheck(
  { db, noteChange }: ChecksDeps,
  caller: Caller,
  uuid: string,
): Promise<void> {
  const cleared = await db.transaction(async (tx) => {
    const check = await lockOwnCheck(tx, caller, uuid);
    await deletePings(tx, check.id);
    await deleteNotificationsBefore(tx, check.id, Number.MAX_SAFE_INTEGER);
    await deleteSentFlips(tx, check.id);
    await updateCheck(tx, check.id, unpinged);
    return check;
  });
  noteChange?.(cleared.uuid);
}

/**
 * Moves a check with its history to the project of `target`, and assigns all integrations of that project to it. Throws
 * NotFound, and Forbidden when the owner of that project has as many checks as they may have.
 */
export async function moveCheck(
  deps: WriteCheckDeps,
  caller: Caller,
  uuid: string,
  target: Pick<Caller, 'projectId' | 'ownerId'>,
): Promise<void> {
  const moved = await deps.db.transaction(async (tx) => {
    const from = caller.ownerId;
    const to = target.ownerId;
    // in the same order everywhere, so that no two moves wait for each other
    for (const ownerId of [...new Set([from, to])].sort()) {
      const owner = await lockOwner(tx, ownerId);
      if (ownerId === to && from !== to) requireRoom(deps, owner, 1);
    }
    await lockProjectForShare(tx, target.projectId);
    const check = await lockOwnCheck(tx, caller, uuid);
    if (check.projectId === target.projectId) return check;
    await updateCheck(tx, check.id, { projectId: target.projectId });
    await assignAllChannels(tx, target.projectId, check.id);
    if (from !== to) {
      await addToCheckCount(tx, from, -1);
      await addToCheckCount(tx, to, 1);
    }
    return check;
  });
  deps.noteChange?.(moved.uuid, true);
}
