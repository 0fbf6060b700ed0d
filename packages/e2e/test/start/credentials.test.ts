import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { get } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCheckMonitorClient } from '@certloop/contracts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inheritedEnvironment } from '../../src/config.js';
import { type Credentials, credentialsFile } from '../../src/credentials.js';
import { prepareFolder } from '../../src/first-start.js';
import { lockFolder, startOf } from '../../src/folder-lock.js';
import { clientsOf, patientCalls } from '../../src/main-job.js';
import { type Stack, startStack } from '../../src/stack.js';
import { freePort } from '../../src/stack-ports.js';

const free = { certManager: 0, checkMonitor: 0, dummyCa: 0 };
const environment = inheritedEnvironment();
let dataDir: string;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'certloop-data-'));
});
afterAll(() => rm(dataDir, { recursive: true, force: true }));

let warnings: string[];

async function withStack<T>(use: (stack: Stack) => Promise<T>): Promise<T> {
  warnings = [];
  const warn = (sentence: string) => warnings.push(sentence);
  const stack = await startStack({ dataDir, ports: free, environment, warn });
  return use(stack).finally(() => stack.stop());
}

async function stored(): Promise<Credentials> {
  return JSON.parse(await readFile(credentialsFile(dataDir), 'utf8'));
}

/** Each credential of a stack is used once. */
async function useAll(stack: Stack): Promise<void> {
  const { manager, monitor } = clientsOf(stack.credentials);
  const { username, password } = stack.credentials.certManager;
  expect((await manager.getMe()).body.user.isAdmin).toBe(true);
  expect((await manager.login({ body: { username, password } })).status).toBe(200);
  const { body: check } = await monitor.createCheck({ body: { name: 'c', slug: 'c', unique: ['slug'] } });
  const { url, pingKey, readOnlyKey, canaryKey = '' } = stack.credentials.checkMonitor;
  expect((await fetch(`${url}/ping/${pingKey}/c`)).status).toBe(200);
  const seen = await fetch(`${url}/api/v3/checks/`, { headers: { 'X-Api-Key': readOnlyKey } });
  expect(JSON.stringify(await seen.json())).not.toContain('ping_url');
  expect(check.name).toBe('c');
  const canaries = createCheckMonitorClient({ ...patientCalls, baseUrl: url, apiKey: canaryKey });
  // the canary has a project of its own
  expect((await canaries.listChecks({ query: { slug: 'c' } })).body.checks).toEqual([]);
  const { email, password: monitorPassword } = stack.credentials.checkMonitor;
  const login = await fetch(`${url}/api/account/login`, {
    method: 'POST',
    headers: { Origin: url, 'Content-Type': 'application/json' },
    body: JSON.stringify({ email, password: monitorPassword }),
  });
  expect(login.status).toBe(200);
  const { httpsUrl, rootFile = '' } = stack.credentials.dummyCa;
  const root = await readFile(rootFile, 'utf8');
  expect(await statusOf(`${httpsUrl}/acme/directory`, root)).toBe(200);
  expect(await statusOf(`${stack.credentials.certManager.httpsUrl}/health`, root)).toBe(200);
}

/** Status of the answer by https to one who trusts the root. */
function statusOf(url: string, ca: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    get(url, { ca, agent: false }, (answer) => resolve(answer.resume().statusCode)).once('error', reject);
  });
}

describe('credentials.json', () => {
  test('is created on the first start, for its owner only, and every credential in it works', async () => {
    await withStack(useAll);
    expect(warnings).toEqual([]);
    expect((await stat(credentialsFile(dataDir))).mode & 0o777).toBe(0o600);
    expect(Object.keys(await stored())).toEqual(['certManager', 'checkMonitor', 'dummyCa']);
  });

  test('is the same after the next start, except for the ports', async () => {
    const before = await stored();
    await withStack(useAll);
    const after = await stored();
    const { url, httpsUrl } = after.certManager;
    expect(after.certManager).toEqual({ ...before.certManager, url, httpsUrl });
    expect(after.checkMonitor).toEqual({ ...before.checkMonitor, url: after.checkMonitor.url });
  });

  test('is created again when it was deleted, and stored data stays', async () => {
    const before = await stored();
    await rm(credentialsFile(dataDir));
    await withStack(async (stack) => {
      await useAll(stack);
      expect(
        (await clientsOf(stack.credentials).monitor.listChecks({ query: { slug: 'c' } })).body.checks,
      ).toHaveLength(1);
    });
    const after = await stored();
    expect(after.certManager.token).not.toBe(before.certManager.token);
    expect(after.checkMonitor.readWriteKey).not.toBe(before.checkMonitor.readWriteKey);
    // jobs have it in their addresses
    expect(after.checkMonitor.pingKey).toBe(before.checkMonitor.pingKey);
    expect(warnings).toEqual([
      expect.stringMatching(/credentials\.json is missing: .* password .* API keys .* replaced/),
    ]);
  });

  test('gets a new token when the old one is no longer accepted', async () => {
    const before = await stored();
    // a file of before there were a console and a canary has neither a user of the monitor nor a key of the canary
    const { email: _email, password: _password, canaryKey: _canaryKey, ...keys } = before.checkMonitor;
    const spoilt = {
      ...before,
      checkMonitor: keys,
      certManager: { ...before.certManager, token: `cmt_AAAAAAAA_${'A'.repeat(43)}` },
    };
    await writeFile(credentialsFile(dataDir), JSON.stringify(spoilt));
    await withStack(useAll);
    expect((await stored()).certManager.password).toBe(before.certManager.password);
  });
});

describe('a secret that the databases rely on', () => {
  const page = 'docs/backup-and-restore.md';
  const secrets = ['encryption-keys', 'check-monitor-secret'] as const;
  const fileOf = (name: string) => join(dataDir, 'secrets', name);

  /** Starts with what `spoil` leaves of a file, which must stay as it is; puts the file back. */
  async function refusedWith(file: string, content: string | undefined): Promise<string> {
    const before = await readFile(file);
    await (content === undefined ? rm(file) : writeFile(file, content));
    const refusal = await startStack({ dataDir, ports: free, environment }).then(
      () => 'it starts',
      (error: Error) => error.message,
    );
    expect(await readFile(file, 'utf8').catch(() => undefined)).toBe(content);
    await writeFile(file, before);
    return refusal;
  }

  test.each(secrets)('is never made again: %s', async (name) => {
    const file = fileOf(name);
    expect(await refusedWith(file, undefined)).toMatch(`${file} is missing, and `);
    expect(await refusedWith(file, '')).toMatch(`${file} is damaged, and `);
    expect(await refusedWith(file, ' \n')).toMatch(page);
  });

  test('is not replaced if it is half-written', async () => {
    expect(await refusedWith(fileOf('encryption-keys'), 'k1:QUFB')).toMatch(
      /is damaged, and .*cert-manager\.sqlite/,
    );
  });

  test.each([
    ['a typo', (text: string) => text.replace('{', '')],
    ['half of it', (text: string) => text.slice(0, 100)],
    ['an empty file', () => ''],
    ['a missing member', () => '{}'],
  ])('credentials.json with %s ends the start and stays as it is', async (_situation, spoil) => {
    const file = credentialsFile(dataDir);
    const spoilt = spoil(await readFile(file, 'utf8'));
    expect(await refusedWith(file, spoilt)).toMatch(
      `${file} is damaged: correct it or restore it from a backup`,
    );
  });

  test('a file that cannot be read is no file that is missing', async () => {
    const file = fileOf('check-monitor-secret');
    const before = await readFile(file);
    await rm(file);
    // a folder cannot be read as a file, for any user
    await mkdir(file);
    await expect(startStack({ dataDir, ports: free, environment })).rejects.toThrow(
      `${file} cannot be read (EISDIR)`,
    );
    await rm(file, { recursive: true });
    await writeFile(file, before);
  });

  test('that was never used is made, and what is damaged stays beside it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'certloop-unused-'));
    await mkdir(join(folder, 'secrets'));
    const file = join(folder, 'secrets', 'encryption-keys');
    await writeFile(file, 'k1:QUFB');
    await prepareFolder(folder);
    expect(await readFile(file, 'utf8')).toMatch(/^k1:[A-Za-z0-9+/]{43}=\n$/);
    expect(await readFile(`${file}.damaged`, 'utf8')).toBe('k1:QUFB');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    await rm(folder, { recursive: true });
  });
});

describe('a stack that cannot start', () => {
  test.each([
    ['checkMonitor', 'CHECK_MONITOR_PORT'],
    ['dummyCaHttps', 'DUMMY_CA_HTTPS_PORT'],
    ['certManagerHttps', 'CERT_MANAGER_HTTPS_PORT'],
  ])('names the port that is taken, and leaves nothing running: %s', async (name, variable) => {
    const port = await freePort();
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(port, '127.0.0.1', resolve));
    const start = startStack({ dataDir, ports: { ...free, [name]: port }, environment });
    await expect(start).rejects.toThrow(`port ${port} is already in use; ${variable} chooses another`);
    await new Promise((resolve) => taken.close(resolve));
  });

  test('names the variables of a port that is given twice', async () => {
    const start = startStack({
      dataDir,
      ports: { certManager: 4711, checkMonitor: 4711, dummyCa: 0 },
      environment,
    });
    await expect(start).rejects.toThrow('CERT_MANAGER_PORT and CHECK_MONITOR_PORT are the same port, 4711');
    await expect(
      startStack({ dataDir, ports: { ...free, dummyCa: 4711, dummyCaHttps: 4711 }, environment }),
    ).rejects.toThrow('DUMMY_CA_HTTPS_PORT is the port of another service, 4711');
    await expect(
      startStack({ dataDir, ports: { ...free, dummyCa: 4711, certManagerHttps: 4711 }, environment }),
    ).rejects.toThrow('CERT_MANAGER_HTTPS_PORT is the port of another service, 4711');
  });

  test('names the process that already runs a stack on the folder, and starts after one that has ended', async () => {
    const holder = spawn(process.execPath, ['-e', 'setInterval(() => 0, 1000)'], { stdio: 'ignore' });
    const lock = join(dataDir, 'stack.pid');
    // an earlier version wrote the number alone
    for (const content of [`${holder.pid}`, `${holder.pid} ${await startOf(holder.pid ?? 0)}`]) {
      await writeFile(lock, content);
      const start = startStack({ dataDir, ports: free, environment });
      await expect(start).rejects.toThrow(
        `another stack (process ${holder.pid}) runs on the folder ${dataDir}; CERTLOOP_DATA_DIR names another. If process ${holder.pid} is no stack, delete ${lock}`,
      );
    }
    holder.kill('SIGKILL');
    await once(holder, 'exit');
    await withStack(useAll);
    await expect(stat(join(dataDir, 'stack.pid'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('takes over the lock of a process whose number another process has since a reboot', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'certloop-lock-'));
    const start = await startOf(process.ppid);
    expect(start).not.toBe('');
    await writeFile(join(folder, 'stack.pid'), `${process.ppid} ${start.replace(/.$/, 'x')}`);
    await (await lockFolder(folder))();
    await rm(folder, { recursive: true });
  });

  test('names the folder that cannot be written', async () => {
    const start = startStack({ dataDir: '/proc/certloop', ports: free, environment });
    await expect(start).rejects.toThrow(/the folder \/proc\/certloop cannot be written \(E/);
  });
});
