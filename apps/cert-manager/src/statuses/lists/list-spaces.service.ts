import {
  type certManagerContract,
  maxPageSize,
  type QueryOf,
  type SortedPosition,
} from '@certloop/contracts';
import type { Caller } from '../../access/caller.js';
import { readableSpaces, requireLevel, spaceNotFound } from '../../access/permissions.js';
import type { DbDeps } from '../../db-deps.js';
import { eachOf } from '../../http/lazy-rows.js';
import { findSpace, listSpaceRows, type SpaceRow } from '../../spaces/spaces.repository.js';
import { listSpaces } from '../../spaces/spaces.service.js';
import { countStatesOfSpaces, type SpaceCounts } from './fqdn-counts.repository.js';
import { plainWindow, positionIn } from './sorted-cursor.js';
import { readSpaceIdPage } from './space-list.repository.js';

/** Query of a list of spaces. */
export type SpacesQuery = QueryOf<typeof certManagerContract.listSpaces>;

export interface SpacePage {
  readonly rows: Iterable<{ readonly space: SpaceRow; readonly counts: SpaceCounts | undefined }>;
  readonly total: number;
  readonly next: SortedPosition | undefined;
}

/**
 * Spaces that the caller may read, at most 1000 at once; a request that neither filters nor sorts can have the whole
 * list. Throws InvalidInput for a cursor of another sort.
 */
export async function listReadableSpaces(
  deps: DbDeps,
  caller: Caller,
  query: SpacesQuery,
): Promise<SpacePage> {
  const window = plainWindow(query);
  if (window === undefined) return listSpacesByStatus(deps, caller, query);
  const { rows, total, next } = await listSpaces(deps, caller, window);
  const listed = eachOf(rows, (space) => ({ space, counts: undefined }));
  return { rows: listed, total, next: next && { sort: 'createdAt', ...next } };
}

async function listSpacesByStatus(
  { db, clock }: DbDeps,
  caller: Caller,
  { q, policy, sort = 'createdAt', include, limit = maxPageSize, cursor }: SpacesQuery,
): Promise<SpacePage> {
  const after = positionIn(cursor, { sort, isText: sort === 'name' });
  const scope = readableSpaces(caller);
  const read = q === undefined ? db.read : db.longRead;
  return read(async (tx) => {
    const page = await readSpaceIdPage(tx, { scope, q, policy }, { sort, limit, after });
    const ids = page.rows.map(({ id }) => id);
    const spaces = new Map(
      (ids.length === 0 ? [] : await listSpaceRows(tx, ids)).map((row) => [row.id, row]),
    );
    const hasCounts = include === 'counts' && ids.length > 0;
    const all = hasCounts ? await countStatesOfSpaces(tx, ids, clock.now()) : [];
    const counts = new Map(all.map((row) => [row.id, row]));
    const last = page.hasMore ? page.rows.at(-1) : undefined;
    return {
      rows: ids.flatMap((id) => {
        const space = spaces.get(id);
        return space === undefined ? [] : [{ space, counts: counts.get(id) }];
      }),
      total: page.total,
      next: last && { sort, ...last },
    };
  });
}

/** A space and the counts of its FQDNs. Throws NotFound. */
export async function showSpace(
  { db, clock }: DbDeps,
  caller: Caller,
  id: string,
): Promise<{ readonly space: SpaceRow; readonly counts: SpaceCounts }> {
  requireLevel(caller, id, 'READ');
  return db.read(async (tx) => {
    const space = await findSpace(tx, id);
    const [counts] = await countStatesOfSpaces(tx, [id], clock.now());
    if (space === undefined || counts === undefined) throw spaceNotFound();
    return { space, counts };
  });
}
