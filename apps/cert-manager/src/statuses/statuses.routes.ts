import { formatSortedCursor } from '@certloop/contracts';
import type { Caller } from '../access/caller.js';
import { levelOn } from '../access/permissions.js';
import { fqdnView } from '../fqdns/fqdn-view.js';
import type { ChangeFqdnDeps, FqdnPlace } from '../fqdns/fqdns.service.js';
import { updateFqdn } from '../fqdns/update-fqdn.service.js';
import { ok, type SomeHandlers } from '../http/handlers.js';
import { eachOf } from '../http/lazy-rows.js';
import { listHeaders } from '../http/page-headers.js';
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
import { spaceHandlers } from './space-statuses.routes.js';

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
