import { type FqdnCounts, formatSortedCursor, type Space } from '@certloop/contracts';
import type { Caller } from '../access/caller.js';
import { levelOn } from '../access/permissions.js';
import type { DbDeps } from '../db-deps.js';
import { fqdnView } from '../fqdns/fqdn-view.js';
import type { ChangeFqdnDeps, FqdnPlace } from '../fqdns/fqdns.service.js';
import { updateFqdn } from '../fqdns/update-fqdn.service.js';
import { ok, type SomeHandlers } from '../http/handlers.js';
import { eachOf } from '../http/lazy-rows.js';
import { listHeaders } from '../http/page-headers.js';
import { type ShownSpace, spaceView } from '../spaces/space-view.js';
import { updateSpace } from '../spaces/spaces.service.js';
import { changeFqdns } from './bulk/change-fqdns.service.js';
import { statusView } from './fqdn-status-view.js';
import {
  countFqdnStates,
  type FqdnPage,
  type FqdnsQuery,
  type ListFqdnsDeps,
  listFqdnsByStatus,
  listFqdnsOfSpace,
  showFqdn,
} from './lists/list-fqdns.service.js';
import { listReadableSpaces, showSpace } from './lists/list-spaces.service.js';

export interface StatusesDeps extends ListFqdnsDeps, ChangeFqdnDeps {
  /** Where browsers reach the monitor. */
  readonly monitorPublicUrl: string | undefined;
}

export function statusesHandlers(deps: StatusesDeps) {
  const { monitorPublicUrl } = deps;
  const answerPage = (caller: Caller, page: FqdnPage, path: string, query: FqdnsQuery) => {
    const body = eachOf(page.rows, ({ fqdn, status, spaceName }) => ({
      ...fqdnView(fqdn),
      ...(spaceName !== undefined && { spaceName, level: levelOn(caller, fqdn.spaceId) ?? 'READ' }),
      ...(status !== undefined && { status: statusView(status, fqdn, monitorPublicUrl) }),
    }));
    const cursor = page.next && formatSortedCursor(page.next);
    return {
      status: 200,
      body,
      headers: listHeaders({ total: page.total, cursor }, path, { ...query }),
    } as const;
  };
  const showOne = async (caller: Caller, place: FqdnPlace) => {
    const { fqdn, spaceName, status } = await showFqdn(deps, caller, place);
    const level = levelOn(caller, fqdn.spaceId) ?? 'READ';
    const shown = statusView(status, fqdn, monitorPublicUrl);
    return ok({ ...fqdnView(fqdn), spaceName, level, status: shown });
  };
  return {
    ...spaceHandlers(deps),
    listFqdns: async ({ params: { id: spaceId }, query, context }) => {
      const page = await listFqdnsOfSpace(deps, context, { ...query, spaceId });
      return answerPage(context, page, `/spaces/${spaceId}/fqdns`, query);
    },
    listAllFqdns: async ({ query, context }) =>
      answerPage(context, await listFqdnsByStatus(deps, context, query), '/fqdns', query),
    countFqdnStates: async ({ query, context }) => ok(await countFqdnStates(deps, context, query)),
    changeFqdns: async ({ body, context }) => ok(await changeFqdns(deps, context, body)),
    getFqdn: ({ params, context }) => showOne(context, fqdnPlaceOf(params)),
    updateFqdn: async ({ params, body, context }) => {
      await updateFqdn(deps, context, { ...fqdnPlaceOf(params), ...body });
      return showOne(context, fqdnPlaceOf(params));
    },
  } satisfies SomeHandlers;
}

const fqdnPlaceOf = ({
  id: spaceId,
  fqdnId,
}: {
  readonly id: string;
  readonly fqdnId: string;
}): FqdnPlace => ({
  spaceId,
  fqdnId,
});

function spaceHandlers(deps: DbDeps) {
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
