import { ok, type SomeHandlers } from '../../http/handlers.js';
import { listHeaders } from '../../http/page-headers.js';
import { lineageView } from './lineage-view.js';
import { listLineages } from './list-lineages.service.js';
import { type ReleaseLineageDeps, releaseLineage } from './release-lineage.service.js';

export function lineagesHandlers(deps: ReleaseLineageDeps) {
  return {
    listLineages: async ({ params, query, context }) => {
      const { rows, total } = await listLineages(deps, context, { ...params, ...query });
      const path = `/spaces/${params.spaceId}/fqdns/${params.fqdnId}/acme-lineages`;
      const headers = listHeaders({ total, cursor: undefined }, path, query);
      return { status: 200, body: rows.map(lineageView), headers };
    },
    releaseLineage: async ({ params, context }) =>
      ok(lineageView(await releaseLineage(deps, context, params))),
  } satisfies SomeHandlers;
}
