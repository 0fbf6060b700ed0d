import type { certManagerContract, Handlers } from '@certloop/contracts';
import type { Caller } from '../access/caller.js';
import { getIssuancePolicy, type PolicyDeps, setIssuancePolicy } from './issuance-policy.service.js';
import { listSharedNames } from './list-shared-names.service.js';

type PolicyOperations = 'getIssuancePolicy' | 'setIssuancePolicy' | 'listSharedNames';

export function issuancePolicyHandlers(
  deps: PolicyDeps,
): Pick<Handlers<typeof certManagerContract, Caller>, PolicyOperations> {
  return {
    listSharedNames: async ({ context }) => ({ status: 200, body: await listSharedNames(deps, context) }),
    getIssuancePolicy: async ({ params, context }) => ({
      status: 200,
      body: await getIssuancePolicy(deps, context, params.id),
    }),
    setIssuancePolicy: async ({ params, query, body, context }) => {
      const { confirmed, isDefault: _, ...sent } = body;
      const policy = {
        ...sent,
        spaceId: params.id,
        isDryRun: query.dryRun,
        isConfirmed: confirmed === true,
      };
      return { status: 200, body: await setIssuancePolicy(deps, context, policy) };
    },
  };
}
