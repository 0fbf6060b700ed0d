import { afterAll, describe } from 'vitest';
import { describeStack } from '../support/running-stack.js';
import { describeImportChecks } from './both-databases/import-checks-tests.js';
import { startTlsServers, type TlsServers } from './both-databases/tls-servers.js';
import { describeWatch } from './both-databases/watch-tests.js';

let servers: TlsServers | undefined;

/** Environment in which the servers may be probed; they start once. */
async function startServers(): Promise<Readonly<Record<string, string>>> {
  servers ??= await startTlsServers();
  return { PROBE_ALLOW_CIDRS: '127.0.0.0/8', PROBE_PORTS: Object.values(servers.ports).join(',') };
}

const started = () => {
  if (servers === undefined) throw new Error('the servers are used before they have started');
  return servers;
};

afterAll(() => servers?.close());

// one stack for each database: its start takes longer than the tests
describeStack(
  'certloop',
  (running) => {
    describe('watching servers', () => describeWatch(running, started));
    describe('importing checks', () => describeImportChecks(running));
  },
  startServers,
);
