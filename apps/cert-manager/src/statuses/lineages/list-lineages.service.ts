import type { Tx } from '@certloop/db';
import type { Caller } from '../../access/caller.js';
import { requireLevel } from '../../access/permissions.js';
import type { DbDeps } from '../../db-deps.js';
import { getFqdn } from '../../fqdns/fqdns.repository.js';
import type { FqdnPlace } from '../../fqdns/fqdns.service.js';
import { endOfLineage } from '../../front/lineages/lineage-ends.js';
import { type LineageRow, listLineagesOf } from '../../front/lineages.repository.js';
import { attentionAtOfLineage } from './lineage.js';
import type { ShownLineage } from './lineage-view.js';
import { lineageFrom } from './read-lineages.service.js';

const usualLimit = 100;

/**
 * Lineages of an FQDN: those that need people first, then those of which nothing is expected any more. Throws
 * NotFound.
 */
export async function listLineages(
  { db, clock }: DbDeps,
  caller: Caller,
  { spaceId, fqdnId, limit = usualLimit }: FqdnPlace & { readonly limit?: number | undefined },
): Promise<{ readonly rows: readonly ShownLineage[]; readonly total: number }> {
  requireLevel(caller, spaceId, 'READ');
  const rows = await db.longRead(async (tx) => {
    await getFqdn(tx, spaceId, fqdnId);
    return listLineagesOf(tx, [fqdnId]);
  });
  const now = clock.now();
  const shown = rows.map((row) => shownLineage(row, now)).sort(byNeed);
  return { rows: shown.slice(0, limit), total: shown.length };
}

/** A lineage of an FQDN; undefined if there is none. */
export async function findShownLineage(
  tx: Tx,
  fqdnId: string,
  lineage: string,
  now: Date,
): Promise<ShownLineage | undefined> {
  const row = (await listLineagesOf(tx, [fqdnId])).find((one) => one.lineage === lineage);
  return row && shownLineage(row, now);
}

function shownLineage(row: LineageRow, now: Date): ShownLineage {
  const { keyKind, infoReadAt, releasedAt, identifiers } = row;
  const names = identifiers.map(({ value }) => value);
  return { lineage: lineageFrom(row), names, keyKind, infoReadAt, releasedAt, end: endOfLineage(row), now };
}

function byNeed(one: ShownLineage, other: ShownLineage): number {
  const [ended, otherEnded] = [one.end !== undefined, other.end !== undefined];
  if (ended !== otherEnded) return ended ? 1 : -1;
  const [at, otherAt] = [attentionAtOfLineage(one.lineage), attentionAtOfLineage(other.lineage)];
  return at.getTime() - otherAt.getTime() || (one.lineage.lineage < other.lineage.lineage ? -1 : 1);
}
