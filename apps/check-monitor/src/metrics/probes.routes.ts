import type { Handlers, probesContract } from '@certloop/contracts';
import { describeLiveness, describeReadiness, type ProbesDeps } from './probes.service.js';

/** Liveness and readiness: without its database, the process is alive but not ready. */
export function probesHandlers(deps: ProbesDeps): Handlers<typeof probesContract, undefined> {
  return {
    getLiveness: async () => ({ status: 200, body: describeLiveness() }),
    getReadiness: async () => ({ status: 200, body: await describeReadiness(deps) }),
  };
}
