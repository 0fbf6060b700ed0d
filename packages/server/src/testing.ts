export { type DnsServer, startDnsServer } from './testing/dns-server.js';
export { freePort } from './testing/ports.js';
export { hasProgram, programOfToday, say } from './testing/programs.js';
export { createTestServer, overReusedConnections } from './testing/reused-connections.js';
export { watchStretches } from './testing/stretches.js';
