import { certManagerOpenApi } from '@certloop/contracts';
import { ok, type SomeHandlers } from '../http/handlers.js';
import {
  countContents,
  describeHealth,
  describeLiveness,
  describeReadiness,
  type SystemDeps,
} from './system.service.js';

export function systemHandlers(deps: SystemDeps) {
  return {
    getHealth: async () => ok(await describeHealth(deps)),
    getLiveness: async () => ok(describeLiveness(deps)),
    getReadiness: async () => ok(await describeReadiness(deps)),
    getOpenApi: async () => ok({ ...certManagerOpenApi() }),
    getStats: async ({ context, query }) => ok(await countContents(deps, context, query)),
  } satisfies SomeHandlers;
}
