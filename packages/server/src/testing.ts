export { type BothWays, serveBothWays } from './testing/broken/both-ways.js';
export type { Place } from './testing/broken/broken-sequences.js';
export { faultsAt } from './testing/broken/broken-table.js';
export { type Step, sendRaw } from './testing/broken/raw-responses.js';
export { testCertificate } from './testing/broken/test-certificate.js';
export {
  type CostlyCall,
  callsOf,
  faultsOfCosts,
  measureCalls,
  writeCosts,
} from './testing/calls/call-costs.js';
export { uncalledRoutes } from './testing/calls/uncalled-routes.js';
export type { WorstBody } from './testing/calls/worst-bodies.js';
export { type DnsServer, startDnsServer } from './testing/dns-server.js';
export { hostileFaults } from './testing/hostile/hostile-faults.js';
export { type HostileServer, startHostileServer } from './testing/hostile/hostile-server.js';
export { hasProgram, programOfToday, say } from './testing/programs.js';
export { createTestServer, overReusedConnections } from './testing/reused-connections.js';
export { stretchExcess, watchStretches } from './testing/stretches.js';
