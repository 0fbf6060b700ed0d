// PostgreSQL, dummy-ca, check-monitor and replicas of cert-manager behind a balancer.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  createCertManagerClient,
  createClient,
  dummyCaAdminContract,
} from '../../packages/contracts/dist/src/index.js';
import { createDatabase } from '../../packages/db/dist/src/testing/postgres-pair.js';
import { startPostgres } from '../../packages/db/dist/src/testing/postgres-server.js';
import { inheritedEnvironment } from '../../packages/e2e/dist/src/config.js';
import { freePort } from '../../packages/e2e/dist/src/stack-ports.js';
import { openBalancer } from './balancer.mjs';
import { fetchUncut } from './record.mjs';

const { Client } = createRequire(new URL('../../packages/db/package.json', import.meta.url))('pg');
const host = '127.0.0.1';
const moduleOf = (tree, file) => import(pathToFileURL(join(tree, 'packages/e2e/dist/src', file)).href);

/** Starts all but the second replica by the code of a tree; data and logs go to the folder. */
export async function openPlace(tree, folder) {
  const closing = [];
  const close = async () => {
    for (const end of closing.splice(0).reverse()) await end();
  };
  try {
    const server = await startPostgres();
    closing.push(() => server.stop());
    const replicas = [];
    const balancer = await openBalancer(await freePort(), replicas);
    closing.push(() => balancer.close());
    const certManager = await createDatabase(server.url, 'cert_manager');
    const checkMonitor = await createDatabase(server.url, 'check_monitor');
    const stateFile = join(folder, 'dummy-ca.sqlite');
    const { startStack } = await moduleOf(tree, 'stack.js');
    const stack = await startStack({
      dataDir: folder,
      ports: { certManager: 0, checkMonitor: 0, dummyCa: 0 },
      databaseUrls: { certManager, checkMonitor },
      environment: { ...inheritedEnvironment(), ...settingsOf(balancer, stateFile) },
    });
    closing.push(() => stack.stop());
    const database = new Client({ connectionString: certManager });
    await database.connect();
    closing.push(() => database.end());
    return { stack, replicas, balancer, database, stateFile, closing, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** dummy-ca validates names at the balancer: each replica answers the challenges of all. */
function settingsOf(balancer, stateFile) {
  return {
    HEARTBEAT_SECONDS: '1',
    RENEWAL_LEASE_SECONDS: '10',
    LOG_LEVEL: 'warn',
    DUMMY_CA_HTTP01_PORT: new URL(balancer.url).port,
    DUMMY_CA_RESOLVE_TO: host,
    DUMMY_CA_STATE_FILE: stateFile,
    DUMMY_CA_ACME_KEEP: '1000000',
  };
}

/** The replica of cert-manager that the stack has started. */
export function firstReplica({ stack }, name) {
  const { port } = new URL(stack.plan.urls['cert-manager']);
  const end = (how) => () => stack.end('cert-manager', how);
  return { name, host, port: Number(port), isKilled: false, stop: end('stop'), kill: end('kill') };
}

/** Starts a replica by the code of a tree; resolves when it takes requests. Throws StartFailed. */
export async function startReplica({ stack, closing }, tree, name) {
  const { startService } = await moduleOf(tree, 'service-process.js');
  const port = await freePort();
  const service = startService({
    app: 'cert-manager',
    environment: {
      ...managerEnvironment(stack),
      CERT_MANAGER_PORT: String(port),
      CERT_MANAGER_HTTPS_PORT: '0',
      HTTP01_PORT: String(await freePort()),
    },
    healthUrl: `http://${host}:${port}/health/ready`,
    logFile: join(stack.dataDir, 'logs', `${name.replaceAll(' ', '-')}.log`),
  });
  closing.push(() => service.stop());
  await service.ready;
  return { name, host, port, isKilled: false, stop: () => service.stop(), kill: () => service.kill() };
}

/** Migrates the database of cert-manager by the command of a tree. */
export async function migrate({ stack }, tree) {
  const { runCommand } = await moduleOf(tree, 'service-process.js');
  return runCommand('cert-manager', ['migrate'], managerEnvironment(stack));
}

function managerEnvironment({ plan, credentials }) {
  return {
    ...plan.environments['cert-manager'],
    CHECK_MONITOR_API_KEY: credentials.checkMonitor.readWriteKey,
    CHECK_MONITOR_CANARY_API_KEY: credentials.checkMonitor.canaryKey,
  };
}

/** Client of the balancer, or of one replica. */
export function clientOf({ stack, balancer }, replica) {
  const baseUrl = replica === undefined ? balancer.url : `http://${replica.host}:${replica.port}`;
  const { token } = stack.credentials.certManager;
  return createCertManagerClient({ baseUrl, token, timeoutMs: 150_000, fetch: fetchUncut });
}

/** Ids of the providers, of which the one by ACME is set up and takes at least a second for each order. */
export async function setUpProviders({ stack }, client) {
  const { body: providers } = await client.listProviders();
  const idOf = (wanted) => providers.find(({ name }) => name === wanted).id;
  const id = idOf('acme');
  const config = {
    directoryUrl: `${stack.plan.urls['dummy-ca']}/acme/directory`,
    termsOfServiceAgreed: true,
    allowPrivateNetwork: true,
    challenge: { type: 'http-01', http01: { selfCheck: 'off' } },
  };
  await client.setProviderConfig({ params: { id }, body: { config } });
  await client.setProviderEnabled({ params: { id }, body: { enabled: true } });
  const ca = createClient(dummyCaAdminContract, { baseUrl: stack.plan.urls['dummy-ca'] });
  await ca.addFault({ body: { fault: 'delay', endpoint: 'finalize', seconds: 1 } });
  return { direct: idOf('dummy-ca'), acme: id };
}
