import { ok, type SomeHandlers } from '../../http/handlers.js';
import { outlookView, timelineView } from './outlook-view.js';
import { type OutlookDeps, showExpiryTimeline, showOutlook } from './show-outlook.service.js';

export function outlookHandlers(deps: OutlookDeps) {
  return {
    getOutlook: async ({ query, context }) => ok(outlookView(await showOutlook(deps, context, query))),
    getExpiryTimeline: async ({ query, context }) =>
      ok(timelineView(await showExpiryTimeline(deps, context, query))),
  } satisfies SomeHandlers;
}
