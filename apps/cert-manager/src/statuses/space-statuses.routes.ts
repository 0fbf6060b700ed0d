import { type FqdnCounts, formatSortedCursor, type Space } from '@certloop/contracts';
import type { Caller } from '../access/caller.js';
import { levelOn } from '../access/permissions.js';
import type { DbDeps } from '../db-deps.js';
import { ok, type SomeHandlers } from '../http/handlers.js';
import { eachOf } from '../http/lazy-rows.js';
import { listHeaders } from '../http/page-headers.js';
import { type ShownSpace, spaceView } from '../spaces/space-view.js';
import { updateSpace } from '../spaces/spaces.service.js';
import { listReadableSpaces, showSpace } from './lists/list-spaces.service.js';

export function spaceHandlers(deps: DbDeps) {
  const showOne = async (caller: Caller, id: string) => {
    const { space, counts } = await showSpace(deps, caller, id);
    return ok(countedView(space, counts, caller));
  };
  return {
    listSpaces: async ({ query, context }) => {
      const { rows, total, next } = await listReadableSpaces(deps, context, query);
      const cursor = next && formatSortedCursor(next);
      return {
        status: 200,
        body: eachOf(
          rows,
          ({ space, counts }): Space =>
            counts === undefined ? spaceView(space) : countedView(space, counts, context),
        ),
        headers: listHeaders({ total, cursor }, '/spaces', query),
      };
    },
    getSpace: ({ params, context }) => showOne(context, params.id),
    updateSpace: async ({ params, body, context }) => {
      await updateSpace(deps, context, { ...params, ...body });
      return showOne(context, params.id);
    },
  } satisfies SomeHandlers;
}

function countedView(
  space: ShownSpace,
  counts: FqdnCounts & { readonly nextExpiry: Date | null },
  caller: Caller,
) {
  const { nextExpiry } = counts;
  return {
    ...spaceView(space),
    level: levelOn(caller, space.id) ?? 'READ',
    counts: countsView(counts),
    ...(nextExpiry !== null && { nextExpiry: nextExpiry.toISOString() }),
  };
}

/** Without what else the repository counts. */
function countsView({ total, needsYou, unfinished, valid, due, failing, expired }: FqdnCounts): FqdnCounts {
  return { total, needsYou, unfinished, valid, due, failing, expired };
}
