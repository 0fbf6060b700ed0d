import type { Changes } from '@certloop/contracts';
import type { Caller } from '../access/caller.js';
import type { DbDeps } from '../db-deps.js';
import { findChangeEnds, listChangedRows } from './changes.repository.js';
import { auditScopeOf } from './search/audit-filter.js';

/** More than a page can show; the rest comes with the next call. */
const maxChanges = 500;
/** A page that has slept through more than this loads everything again. */
const maxBehind = 5_000;
// positions are given out before they are committed: an entry may come to light after later ones
const commitMs = 10_000;

/**
 * Returns the changes since a position of the log that the caller may see; without `since`, only the position. Positions
 * count the entries of all spaces: those of a caller alone would need a count of the whole log for each request.
 */
export async function listChanges(
  { db, clock }: DbDeps,
  caller: Caller,
  since: number | undefined,
): Promise<Changes> {
  const settledBefore = new Date(clock.now().getTime() - commitMs);
  return db.read(async (tx) => {
    const { last, settled, cleared } = await findChangeEnds(tx, settledBefore);
    if (since === undefined) return { seq: last, changes: [] };
    if (since > last || since < cleared || last - since > maxBehind) {
      return { seq: last, changes: [], reset: true };
    }
    const rows = await listChangedRows(tx, auditScopeOf(caller), since, maxChanges);
    const changes = rows.map(({ id, resourceType: type, resourceId, spaceId, fqdnId }) => ({
      id,
      type,
      resourceId,
      ...(spaceId !== null && { spaceId }),
      ...(fqdnId !== null && { fqdnId }),
    }));
    const isCut = rows.length === maxChanges;
    return { seq: isCut ? (rows.at(-1)?.id ?? since) : Math.max(since, settled), changes };
  });
}
