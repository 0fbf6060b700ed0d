import { certManagerOpenApi } from '@certloop/contracts';
import type { SomeHandlers } from '../http/some-handlers.js';
import {
  countContents,
  describeHealth,
  describeLiveness,
  describeReadiness,
  type SystemDeps,
} from './system.service.js';

export function systemHandlers(deps: SystemDeps) {
  return {
    getHealth: async () => ({ status: 200, body: await describeHealth(deps) }),
    getLiveness: async () => ({ status: 200, body: describeLiveness(deps) }),
    getReadiness: async () => ({ status: 200, body: await describeReadiness(deps) }),
    getOpenApi: async () => ({ status: 200, body: { ...certManagerOpenApi() } }),
    getStats: async ({ context, query }) => ({
      status: 200,
      body: await countContents(deps, context, query),
    }),
  } satisfies SomeHandlers;
}
