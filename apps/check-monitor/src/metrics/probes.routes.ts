import type { Handlers, probesContract } from '@certloop/contracts';
import { describeLiveness, describeReadiness, type ProbesDeps } from './probes.service.js';

/** Whether the process runs, and whether it takes requests, which are two things: without its database it only runs. */
export function probesHandlers(deps: ProbesDeps): Handlers<typeof probesContract, undefined> {
  return {
    getLiveness: async () => ({ status: 200, body: describeLiveness() }),
    getReadiness: async () => ({ status: 200, body: await describeReadiness(deps) }),
  };
}
