import { mapPage } from '@certloop/db';
import { created, ok, type SomeHandlers } from '../http/handlers.js';
import { pageHeaders } from '../http/page-headers.js';
import { type WatchServersDeps, watchServers } from './adoption/watch-servers.service.js';
import { watchedServerView } from './adoption/watched-server-view.js';
import { type ManualProbeDeps, probeTarget } from './probes/probe-target.service.js';
import { reportObservation } from './probes/report-observation.service.js';
import { servedSummaryView, servedView } from './served/served-view.js';
import { listServed, showServed } from './served/show-served.service.js';
import { targetView } from './target-view.js';
import { createTarget, deleteTarget, listTargets, type TargetDeps, updateTarget } from './targets.service.js';

export function targetsHandlers(deps: TargetDeps & ManualProbeDeps & WatchServersDeps) {
  return {
    listTargets: async ({ params, context }) =>
      ok((await listTargets(deps, context, params)).map(targetView)),
    createTarget: async ({ params, body, context }) =>
      created(targetView(await createTarget(deps, context, params, body))),
    updateTarget: async ({ params, body, context }) =>
      ok(targetView(await updateTarget(deps, context, params, body))),
    deleteTarget: async ({ params, context }) => {
      await deleteTarget(deps, context, params);
      return ok({ message: 'target removed' });
    },
    watchServers: async ({ params, body, context }) => {
      const results = await watchServers(deps, context, { ...params, ...body });
      return ok({ servers: results.map(watchedServerView) });
    },
    probeTarget: async ({ params, context }) => ok(servedView(await probeTarget(deps, context, params))),
    reportObservation: async ({ params, body, context }) => {
      await reportObservation(deps, context, params, body);
      return { status: 204, body: undefined };
    },
    getServed: async ({ params, context }) => ok(servedView(await showServed(deps, context, params))),
    listServed: async ({ query, context }) => {
      const { class: only, spaceId, limit, cursor } = query;
      const page = await listServed(deps, context, { class: only, spaceId, window: { limit, cursor } });
      const shown = mapPage(page, servedSummaryView);
      return { status: 200, body: shown.rows, headers: pageHeaders(page, '/served', query) };
    },
  } satisfies SomeHandlers;
}
