import type { Caller } from '../access/caller.js';
import { requireLevel, spaceNotFound } from '../access/permissions.js';
import { recordAudit } from '../audit/audit.service.js';
import type { DbDeps } from '../db-deps.js';
import { lockSpace, updateSpaceRow } from './spaces.repository.js';
import { type SpaceEvents, spaceAudit } from './spaces.service.js';

export interface SwitchWatchDeps extends DbDeps {
  readonly emit: SpaceEvents;
}

/** Switches whether the monitor watches the FQDNs of a space. Throws NotFound and Forbidden. */
export async function setWatchEnabled(
  { db, clock, emit }: SwitchWatchDeps,
  caller: Caller,
  { id, watchEnabled }: { readonly id: string; readonly watchEnabled: boolean },
): Promise<void> {
  requireLevel(caller, id, 'FULL_ACCESS');
  await db.transaction(async (tx) => {
    const space = await lockSpace(tx, id);
    if (space === undefined) throw spaceNotFound();
    const now = clock.now();
    const before = { watchEnabled: space.unwatchedSince === null };
    if (before.watchEnabled !== watchEnabled) {
      await updateSpaceRow(tx, id, { unwatchedSince: watchEnabled ? null : now });
      await emit.watchSwitched(tx, { spaceId: id });
    }
    const details = { before, after: { watchEnabled } };
    await recordAudit(tx, caller, spaceAudit('space.watch', id, details), now);
  });
}
