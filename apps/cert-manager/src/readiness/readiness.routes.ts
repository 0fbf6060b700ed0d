import { ok, type SomeHandlers } from '../http/handlers.js';
import { readinessView } from './readiness-view.js';
import { type ReadinessDeps, showReadiness } from './show-readiness.service.js';

export function readinessHandlers(deps: ReadinessDeps) {
  return {
    getPublicReadiness: async ({ query, context }) =>
      ok(readinessView(await showReadiness(deps, context, query))),
  } satisfies SomeHandlers;
}
