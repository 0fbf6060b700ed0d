import { execFileSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { hangMs, until } from '@certloop/contracts/testing';
import { testDatabaseUrl, testDialects } from '@certloop/db/testing';
import { afterAll, describe, expect, test } from '@jest/globals';
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
import { addWebhook, startListener } from '../support/ping-load.js';

type Dialect = ReturnType<typeof testDialects>[number];

/** Way to keep a database and to fill an empty one, by the tools that the page on backups names. */
interface Backup {
  save(url: string, file: string): void;
  restore(file: string, url: string): Promise<void>;
}

const require = createRequire(import.meta.url);
const Sqlite: new (file: string) => { exec(sql: string): void; close(): void } = require('better-sqlite3');

const backups: Readonly<Record<Dialect, Backup>> = {
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
async function isKeepable(dialect: Dialect): Promise<boolean> {
  if (dialect === 'sqlite') return true;
  const { url, drop } = await testDatabaseUrl(dialect);
  try {
    execFileSync('pg_dump', ['--schema-only', url], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  } finally {
    await drop();
  }
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

async function start(dataDir: string, databaseUrls: DatabaseUrls): Promise<Stack> {
  const stack = await startStack({
    dataDir,
    databaseUrls,
    ports: { certManager: 0, checkMonitor: 0, dummyCa: 0 },
    environment: { ...inheritedEnvironment(), HEARTBEAT_SECONDS: '1', LOG_LEVEL: 'warn', ...alerting },
  });
  cleanups.push(() => stack.stop());
  return stack;
}

const alerting = { CHECK_MONITOR_ALLOW_PRIVATE_TARGETS: 'true' };

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

const keepable = new Map<Dialect, boolean>();
for (const dialect of testDialects()) keepable.set(dialect, await isKeepable(dialect));

describe.each(testDialects())('a backup on %s', (dialect) => {
  const testWhereKeepable = keepable.get(dialect) === true ? test : test.skip;

  testWhereKeepable(
    'of a running stack holds all until then, and the restored stack works on with the same keys',
    async () => {
      const [folder, backup] = [await makeFolder(), await makeFolder()];
      const urls = await emptyDatabases(dialect);
      const stack = await start(folder, urls);
      const before = await certify(stack, 'before.example.test');
      const { n_pings } = await awaitHeartbeat(clientsOf(stack.credentials), hangMs);
      const listener = await startListener();
      cleanups.push(() => listener.close());
      await addWebhook(stack, `${listener.url}/token-of-the-hook`);
      expect(await ping(stack, 'nightly')).toBe(201);

      for (const service of services) backups[dialect].save(urls[service], join(backup, service));
      await cp(join(folder, 'secrets'), join(backup, 'secrets'), { recursive: true });
      await cp(join(folder, 'credentials.json'), join(backup, 'credentials.json'));
      const after = await certify(stack, 'after.example.test');
      await stack.stop();
      if (dialect === 'sqlite') {
        const file = await readFile(join(backup, 'checkMonitor'), 'latin1');
        expect(file.includes('token-of-the-hook')).toBe(false);
        expect(file.includes(stack.credentials.checkMonitor.pingKey)).toBe(false);
      }

      const elsewhere = await makeFolder();
      const restoredUrls = await emptyDatabases(dialect);
      await mkdir(join(elsewhere, 'secrets'), { recursive: true });
      for (const service of services)
        await backups[dialect].restore(join(backup, service), restoredUrls[service]);
      await cp(join(backup, 'secrets'), join(elsewhere, 'secrets'), { recursive: true });
      await cp(join(backup, 'credentials.json'), join(elsewhere, 'credentials.json'));
      const restored = await start(elsewhere, restoredUrls);

      const { token, password } = stack.credentials.certManager;
      expect(restored.credentials.certManager).toMatchObject({ token, password });
      expect(restored.credentials.checkMonitor.readWriteKey).toBe(
        stack.credentials.checkMonitor.readWriteKey,
      );
      const clients = clientsOf(restored.credentials);
      const listed = (await clients.manager.listCertificates({ params: before.place })).body;
      expect(listed).toEqual([before.certificate]);
      await expect(clients.manager.listCertificates({ params: after.place })).rejects.toMatchObject({
        status: 404,
      });
      // the CA has a new root
      await judgeCertificate(clients, (await signCsr(clients, before.place)).pem, before.csrPem);
      await awaitPings(clients, n_pings + 1);
      // the ping key and the address of the integration are encrypted in the backup
      expect(await ping(restored, 'nightly/fail')).toBe(200);
      const [check] = (await clients.monitor.listChecks({ query: { slug: 'nightly' } })).body.checks;
      const uuid = check !== undefined && 'uuid' in check ? check.uuid : '';
      await until(async () => listener.deliveriesOf(uuid).size > 0 || undefined);
    },
  );
});
