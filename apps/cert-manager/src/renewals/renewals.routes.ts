import { created, ok, type SomeHandlers } from '../http/handlers.js';
import { eachOf } from '../http/lazy-rows.js';
import { pageHeaders } from '../http/page-headers.js';
import { createTestRenewal } from './create-test-renewal.service.js';
import { type ExplainRenewalDeps, explainRenewal } from './explanation/explain-renewal.service.js';
import { explanationView } from './explanation/explanation-view.js';
import { renewalView } from './renewal-view.js';
import { listRenewals, type RenewalsDeps, triggerRenewals } from './renewals.service.js';
import { runRenewal } from './run-renewal.service.js';

export function renewalsHandlers(deps: RenewalsDeps & ExplainRenewalDeps) {
  return {
    listRenewals: async ({ query, context }) => {
      const page = await listRenewals(deps, context, query);
      const headers = pageHeaders(page, '/renewal-queue', query);
      return { status: 200, body: eachOf(page.rows, renewalView), headers };
    },
    createTestRenewal: async ({ body, context }) => {
      const { id, scheduledAt } = await createTestRenewal(deps, context, body);
      const at = scheduledAt.toISOString();
      const message = `test renewal queued for ${at}`;
      return created({ success: true, message, queueId: id, scheduledAt: at });
    },
    triggerRenewals: async ({ context }) => {
      await triggerRenewals(deps, context);
      return ok({ message: 'renewal queue processing started' });
    },
    runRenewal: async ({ params, context }) => ok(renewalView(await runRenewal(deps, context, params.id))),
    explainRenewal: async ({ params, context }) =>
      ok(explanationView(await explainRenewal(deps, context, params))),
  } satisfies SomeHandlers;
}
