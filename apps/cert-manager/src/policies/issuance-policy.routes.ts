import { ok, type SomeHandlers } from '../http/handlers.js';
import { getIssuancePolicy, type PolicyDeps, setIssuancePolicy } from './issuance-policy.service.js';
import { listSharedNames } from './list-shared-names.service.js';

export function issuancePolicyHandlers(deps: PolicyDeps) {
  return {
    listSharedNames: async ({ context }) => ok(await listSharedNames(deps, context)),
    getIssuancePolicy: async ({ params, context }) => ok(await getIssuancePolicy(deps, context, params.id)),
    setIssuancePolicy: async ({ params, query, body, context }) => {
      const { confirmed, isDefault: _, ...sent } = body;
      const policy = {
        ...sent,
        spaceId: params.id,
        isDryRun: query.dryRun,
        isConfirmed: confirmed === true,
      };
      return ok(await setIssuancePolicy(deps, context, policy));
    },
  } satisfies SomeHandlers;
}
