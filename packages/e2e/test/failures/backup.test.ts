import { execFileSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { hangMs, until } from '@certloop/contracts/testing';
import { createDatabase, startBackedUpServer, testDatabaseUrl, testDialects } from '@certloop/db/testing';
import { afterAll, describe, expect, test } from 'vitest';
import { inheritedEnvironment } from '../../src/config.js';
import {
  addFqdn,
  awaitHeartbeat,
  type Clients,
  clientsOf,
  judgeCertificate,
  makeCsr,
  makeSpace,
  signCsr,
  uploadCsr,
} from '../../src/main-job.js';
import type { DatabaseUrls } from '../../src/plan.js';
import { type Stack, startStack } from '../../src/stack.js';
import { freePort } from '../../src/stack-ports.js';
import { answeringAtOnePort, request, useAcme } from '../support/acme-place.js';
import { addWebhook, startListener } from '../support/ping-load.js';

type Dialect = ReturnType<typeof testDialects>[number];

/** Databases of a stack; `save` makes a backup of them, which fills empty databases. */
interface Databases {
  readonly urls: DatabaseUrls;
  save(folder: string): Promise<() => Promise<DatabaseUrls>>;
}

/** Ways to save a database and to fill an empty one, by the tools that the page on backups names. */
interface Tools {
  save(url: string, file: string): void;
  restore(file: string, url: string): Promise<void>;
}

const require = createRequire(import.meta.url);
const Sqlite: new (file: string) => { exec(sql: string): void; close(): void } = require('better-sqlite3');

const tools: Readonly<Record<Dialect, Tools>> = {
  sqlite: {
    save: (url, file) => {
      const database = new Sqlite(sqliteFile(url));
      database.exec(`VACUUM INTO '${file}'`);
      database.close();
    },
    restore: (file, url) => cp(file, sqliteFile(url)),
  },
  postgres: {
    save: (url, file) => void execFileSync('pg_dump', ['--format=custom', `--file=${file}`, url]),
    restore: async (file, url) =>
      void execFileSync('pg_restore', ['--exit-on-error', '--no-owner', `--dbname=${url}`, file]),
  },
};

function sqliteFile(url: string): string {
  return url.replace(/^sqlite:/, '');
}

/** pg_dump refuses servers that are newer than it is, and may be missing. */
function isDumped(dialect: Dialect, url: string): boolean {
  if (dialect === 'sqlite') return true;
  try {
    execFileSync('pg_dump', ['--schema-only', url], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

async function openDatabases(dialect: Dialect): Promise<Databases> {
  const urls = await emptyDatabases(dialect);
  if (!isDumped(dialect, urls.certManager)) return databasesOfServer();
  const { save, restore } = tools[dialect];
  return {
    urls,
    save: async (folder) => {
      for (const service of services) save(urls[service], join(folder, service));
      return async () => {
        const restored = await emptyDatabases(dialect);
        for (const service of services) await restore(join(folder, service), restored[service]);
        return restored;
      };
    },
  };
}

/** Databases on a PostgreSQL of their own, saved by a base backup. */
async function databasesOfServer(): Promise<Databases> {
  const server = await startBackedUpServer();
  cleanups.push(() => server.close());
  const urls = {
    certManager: await createDatabase(server.url, 'cert_manager'),
    checkMonitor: await createDatabase(server.url, 'check_monitor'),
  };
  return {
    urls,
    save: async () => {
      const restore = await server.backUp();
      return async () => {
        const restored = await restore();
        cleanups.push(() => restored.close());
        const urlOf = (url: string) =>
          Object.assign(new URL(restored.url), { pathname: new URL(url).pathname }).href;
        return { certManager: urlOf(urls.certManager), checkMonitor: urlOf(urls.checkMonitor) };
      };
    },
  };
}

const services = ['certManager', 'checkMonitor'] as const;
const cleanups: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup();
});

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'certloop-backup-'));
  cleanups.push(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function emptyDatabases(dialect: Dialect): Promise<DatabaseUrls> {
  const [certManager, checkMonitor] = [await testDatabaseUrl(dialect), await testDatabaseUrl(dialect)];
  cleanups.push(certManager.drop, checkMonitor.drop);
  return { certManager: certManager.url, checkMonitor: checkMonitor.url };
}

/** What both stacks share: the address of the CA, which providers and their secrets are bound to, and its accounts. */
async function commonSettings() {
  return {
    // reserved until this process ends, also between the two stacks
    caPort: await freePort(),
    environment: {
      ...(await answeringAtOnePort()),
      CHECK_MONITOR_ALLOW_PRIVATE_TARGETS: 'true',
      DUMMY_CA_EAB: `${eab.kid}:${eab.hmacKey}`,
      DUMMY_CA_EAB_REQUIRED: 'true',
    },
  };
}

const eab = { kid: 'kid-of-the-drill', hmacKey: Buffer.alloc(32, 5).toString('base64url') };

async function start(
  dataDir: string,
  databaseUrls: DatabaseUrls,
  { caPort, environment }: Awaited<ReturnType<typeof commonSettings>>,
): Promise<Stack> {
  const stack = await startStack({
    dataDir,
    databaseUrls,
    ports: { certManager: 0, checkMonitor: 0, dummyCa: caPort },
    environment: { ...inheritedEnvironment(), HEARTBEAT_SECONDS: '1', LOG_LEVEL: 'warn', ...environment },
  });
  cleanups.push(() => stack.stop());
  return stack;
}

/** The answer to a ping by the key of the project, which creates the check if it is absent. */
async function ping({ plan, credentials }: Stack, path: string): Promise<number> {
  const address = `${plan.urls['check-monitor']}/ping/${credentials.checkMonitor.pingKey}/${path}?create=1`;
  return (await fetch(address)).status;
}

/** A host with its certificate, and the CSR that it was made for. */
async function certify(stack: Stack, hostname: string) {
  const clients = clientsOf(stack.credentials);
  const csrPem = await makeCsr(hostname);
  const space = await makeSpace(clients, hostname);
  const fqdn = await addFqdn(clients, space.id, hostname);
  const place = { spaceId: space.id, fqdnId: fqdn.id };
  await uploadCsr(clients, place, hostname, csrPem);
  return { place, csrPem, certificate: await signCsr(clients, place) };
}

/** Resolves once the manager's check has had more pings. */
async function awaitPings({ monitor }: Clients, moreThan: number): Promise<void> {
  for (let seen = 0; seen <= moreThan; await pause(200)) {
    const [check] = (await monitor.listChecks({ query: { slug: 'certloop-cert-manager' } })).body.checks;
    seen = check?.n_pings ?? 0;
  }
}

describe.each(testDialects())('a backup on %s', (dialect) => {
  test('of a running stack contains everything until then, and the restored stack works with the same keys and secrets', async () => {
    const [folder, backup] = [await makeFolder(), await makeFolder()];
    const { urls, save } = await openDatabases(dialect);
    const settings = await commonSettings();
    const stack = await start(folder, urls, settings);
    const running = { stack, clients: clientsOf(stack.credentials) };
    const before = await certify(stack, 'before.example.test');
    await useAcme(running, { eab });
    expect(await request(running.clients, before.place, true)).toMatchObject({ success: true });
    const stored = (await running.clients.manager.listCertificates({ params: before.place })).body;
    expect(stored).toHaveLength(2);
    const { n_pings } = await awaitHeartbeat(running.clients, hangMs);
    const listener = await startListener();
    cleanups.push(() => listener.close());
    await addWebhook(stack, `${listener.url}/token-of-the-hook`);
    expect(await ping(stack, 'nightly')).toBe(201);

    const restore = await save(backup);
    await cp(join(folder, 'secrets'), join(backup, 'secrets'), { recursive: true });
    await cp(join(folder, 'credentials.json'), join(backup, 'credentials.json'));
    const after = await certify(stack, 'after.example.test');
    await stack.stop();
    if (dialect === 'sqlite') {
      const parts = await Promise.all(services.map((service) => readFile(join(backup, service), 'latin1')));
      for (const secret of ['token-of-the-hook', stack.credentials.checkMonitor.pingKey, eab.hmacKey])
        expect(parts.some((part) => part.includes(secret))).toBe(false);
    }

    const elsewhere = await makeFolder();
    await mkdir(join(elsewhere, 'secrets'), { recursive: true });
    await cp(join(backup, 'secrets'), join(elsewhere, 'secrets'), { recursive: true });
    await cp(join(backup, 'credentials.json'), join(elsewhere, 'credentials.json'));
    const restored = await start(elsewhere, await restore(), settings);

    const { token, password } = stack.credentials.certManager;
    expect(restored.credentials.certManager).toMatchObject({ token, password });
    expect(restored.credentials.checkMonitor.readWriteKey).toBe(stack.credentials.checkMonitor.readWriteKey);
    const clients = clientsOf(restored.credentials);
    const listed = (await clients.manager.listCertificates({ params: before.place })).body;
    expect(listed).toEqual(stored);
    await expect(clients.manager.listCertificates({ params: after.place })).rejects.toMatchObject({
      status: 404,
    });
    // the CA has a new root
    await judgeCertificate(clients, (await signCsr(clients, before.place)).pem, before.csrPem);
    // and none of its accounts: the secret of the provider makes one again, for the key that the backup contains
    expect(await request(clients, before.place, true)).toMatchObject({ success: true });
    await awaitPings(clients, n_pings + 1);
    // the ping key and the address of the integration are encrypted in the backup
    expect(await ping(restored, 'nightly/fail')).toBe(200);
    const [check] = (await clients.monitor.listChecks({ query: { slug: 'nightly' } })).body.checks;
    const uuid = check !== undefined && 'uuid' in check ? check.uuid : '';
    await until(async () => listener.deliveriesOf(uuid).size > 0 || undefined);
  });
});
