import { type certManagerContract, certManagerOpenApi, type Handlers } from '@certloop/contracts';
import type { Caller } from '../access/caller.js';
import {
  countContents,
  describeHealth,
  describeLiveness,
  describeReadiness,
  type SystemDeps,
} from './system.service.js';

type SystemOperations = 'getHealth' | 'getLiveness' | 'getReadiness' | 'getOpenApi' | 'getStats';

export function systemHandlers(
  deps: SystemDeps,
): Pick<Handlers<typeof certManagerContract, Caller>, SystemOperations> {
  return {
    getHealth: async () => ({ status: 200, body: await describeHealth(deps) }),
    getLiveness: async () => ({ status: 200, body: describeLiveness(deps) }),
    getReadiness: async () => ({ status: 200, body: await describeReadiness(deps) }),
    getOpenApi: async () => ({ status: 200, body: { ...certManagerOpenApi() } }),
    getStats: async ({ context, query }) => ({
      status: 200,
      body: await countContents(deps, context, query),
    }),
  };
}
