import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, openSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hangMs, until } from '@certloop/contracts/testing';
import { describeEachDialect, mountSmallDisk, type SmallDisk } from '@certloop/db/testing';
import { afterEach, expect, test, vi } from 'vitest';
import { inheritedEnvironment } from '../../src/config.js';
import { clientsOf } from '../../src/main-job.js';
import { compiledFile } from '../../src/service-process.js';
import { type Stack, startStack } from '../../src/stack.js';
import { type AlertReceiver, startAlertReceiver } from '../support/alert-receiver.js';
import { faultRounds, reportFault } from '../support/fault-table.js';
import { monitorCommand } from '../support/monitor-command.js';
import { startTestStack } from '../support/test-stack.js';

// notices wait for ten seconds, and so do stops of processes
vi.setConfig({ testTimeout: hangMs * (faultRounds + 1), hookTimeout: hangMs * (faultRounds + 1) });

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const perRound = 5;
const large = 'x'.repeat(9_000);

/** A disk of its own; undefined, after a message, where none can be mounted. */
async function openDisk(): Promise<SmallDisk | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'certloop-disk-'));
  cleanups.push(() => rm(folder, { recursive: true, force: true }));
  const disk = mountSmallDisk(join(folder, 'disk'), 64);
  if (disk !== undefined) cleanups.push(async () => disk.remove());
  return disk;
}

async function openReceiver(): Promise<AlertReceiver> {
  const receiver = await startAlertReceiver();
  cleanups.push(() => receiver.close());
  return receiver;
}

const environmentFor = (receiver: AlertReceiver) => ({
  CHECK_MONITOR_ALLOW_PRIVATE_TARGETS: 'true',
  CHECK_MONITOR_CHECK_LIMIT: '1000',
  METRICS_OPEN: 'true',
  NOTICE_WEBHOOK_URL: `${receiver.url}/notices`,
  NOTICE_WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
  LOG_LEVEL: 'info',
  CHECK_MONITOR_LOG_LEVEL: 'info',
});

/** Sends alerts of the first project to a webhook, and notices to an integration that people read. */
async function addIntegrations({ plan }: Stack, { url }: AlertReceiver): Promise<void> {
  const cli = (...args: string[]) => monitorCommand([...args, '--json'], plan.environments['check-monitor']);
  const [project] = JSON.parse(await cli('project', 'list'));
  const create = (kind: string, settings: object) => {
    const named = ['--project', project.projectId, '--kind', kind, '--name', kind];
    return cli('channel', 'create', ...named, '--settings', JSON.stringify(settings));
  };
  await create('webhook', { down: { method: 'POST', url: `${url}/alerts`, body: '$NAME' } });
  await create('gotify', { url, token: 'secret' });
}

/** The response, whose body is read. */
async function respond(url: string, init: RequestInit = {}): Promise<Response> {
  const response = await fetch(url, { ...init, signal: AbortSignal.timeout(hangMs) });
  await response.arrayBuffer();
  return response;
}

/** Five jobs fail; a ping that is refused is sent again. Each response is that the ping is stored, or 503. */
async function failSome(monitorUrl: string, pingKey: string, round: number): Promise<void> {
  for (let n = 0; n < perRound; n += 1) {
    await until(async () => {
      const address = `${monitorUrl}/ping/${pingKey}/r${round}-c${n}/fail?create=1`;
      const { ok, status } = await respond(address, { method: 'POST', body: large });
      if (!ok) expect(status).toBe(503);
      return ok;
    });
  }
}

/** Checks that failed, of which an alert arrived, and how many alerts there were. */
function alertsAt(receiver: AlertReceiver) {
  const names = receiver.bodiesOf('/alerts').filter((name) => /^r\d+-c\d+$/.test(name));
  return { all: names.length, distinct: new Set(names).size };
}

test('data, logs and temporary files on one full disk: both services respond, and lose nothing', async () => {
  const disk = await openDisk();
  if (disk === undefined) return;
  const receiver = await openReceiver();
  const temporary = join(disk.folder, 'tmp');
  mkdirSync(temporary);
  const warned: string[] = [];
  const stack = await startStack({
    dataDir: join(disk.folder, 'data'),
    ports: { certManager: 0, checkMonitor: 0, dummyCa: 0 },
    environment: { ...inheritedEnvironment(), ...environmentFor(receiver), TMPDIR: temporary },
    warn: (sentence) => void warned.push(sentence),
  });
  cleanups.push(() => stack.stop());
  await addIntegrations(stack, receiver);
  const { certManager, checkMonitor } = stack.credentials;
  const { manager } = clientsOf(stack.credentials);
  const liveness = () =>
    Promise.all(
      [certManager, checkMonitor].map(async ({ url }) => (await respond(`${url}/health/live`)).status),
    );
  const notices = () => [
    receiver.bodiesOf('/message').filter((body) => body.includes('alerts are held')).length,
    receiver.bodiesOf('/notices').filter((body) => body.includes('"disk.full"')).length,
  ];
  const spaces: string[] = [];
  const createSpace = (name: string) =>
    manager.createSpace({ body: { name, description: 'x'.repeat(900) } }).then(
      ({ body: { id } }) => spaces.push(id) > 0,
      () => false,
    );
  // the monitor has read whom to notify
  await until(async () => (await respond(`${checkMonitor.url}/health/ready`)).ok);
  const areReady = async () => {
    const answers = [certManager, checkMonitor].map(({ url }) => respond(`${url}/health/ready`));
    return (await Promise.all(answers)).every(({ ok }) => ok);
  };
  let wellSeconds = 0;
  const began = performance.now();
  for (let round = 0; round < faultRounds; round += 1) {
    disk.fill();
    const ping = () =>
      respond(`${checkMonitor.url}/ping/${checkMonitor.pingKey}/large?create=1`, {
        method: 'POST',
        body: large,
      });
    const refused = await until(async () => {
      const response = await ping();
      return response.ok ? undefined : response;
    });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, expect.any(String)]);
    await until(async () => !(await createSpace(`Full ${round}`)));
    const failing = failSome(checkMonitor.url, checkMonitor.pingKey, round);
    failing.catch(() => undefined);
    expect(await liveness()).toEqual([200, 200]);
    // later outages within an hour send none
    await until(async () => {
      expect(await liveness()).toEqual([200, 200]);
      return notices().every((count) => count === 1);
    });
    disk.clear();
    const cleared = performance.now();
    await failing;
    await until(() => createSpace(`Room ${round}`));
    await until(async () => alertsAt(receiver).distinct === (round + 1) * perRound);
    await until(areReady);
    wellSeconds = Math.max(wellSeconds, (performance.now() - cleared) / 1000);
    expect(await liveness()).toEqual([200, 200]);
  }
  expect(notices()).toEqual([1, 1]);
  expect((await manager.listSpaces()).body.map(({ id }) => id)).toEqual(expect.arrayContaining(spaces));
  expect(warned).toEqual([]);
  await stack.stop();
  for (const app of ['cert-manager', 'check-monitor']) {
    const log = await readFile(join(stack.dataDir, 'logs', `${app}.log`), 'utf8');
    expect(log).toContain('"event":"log.lines_lost"');
  }
  const { all, distinct } = alertsAt(receiver);
  reportFault({
    fault: `disk full: data, logs and temporary files on one disk, ${faultRounds} times`,
    database: 'sqlite',
    sent: faultRounds * perRound,
    arrived: distinct,
    lateSeconds: (receiver.latestAt() - began) / 1000,
    repeated: all - distinct,
    wellSeconds,
  });
});

interface Logging {
  readonly url: string;
  readonly logFile: string;
  readonly child: ChildProcess;
}

/** A process of a service of a stack, whose standard output is a file. */
async function startLogging(
  { plan, credentials }: Stack,
  app: 'cert-manager' | 'check-monitor',
  folder: string,
): Promise<Logging> {
  const own = {
    'cert-manager': {
      CERT_MANAGER_PORT: '0',
      CHECK_MONITOR_API_KEY: credentials.checkMonitor.readWriteKey,
    },
    'check-monitor': { CHECK_MONITOR_PORT: '0' },
  };
  const logFile = join(folder, `${app}.log`);
  const child = spawn(process.execPath, [compiledFile(app, 'main.js')], {
    env: { ...plan.environments[app], ...own[app] },
    stdio: ['ignore', openSync(logFile, 'a'), 'inherit'],
  });
  cleanups.push(async () => child.kill('SIGKILL'));
  const url = await until(async () => {
    const log = await readFile(logFile, 'utf8');
    return /"url":"([^"]+)"[^\n]*"event":"service\.started"/.exec(log)?.[1];
  });
  return { url, logFile, child };
}

describeEachDialect('a full disk with the log on it', (_open, dialect) => {
  test('costs both services nothing but lines of their logs', async () => {
    const disk = await openDisk();
    if (disk === undefined) return;
    const receiver = await openReceiver();
    const { stack } = await startTestStack(dialect, environmentFor(receiver), cleanups);
    await addIntegrations(stack, receiver);
    const { certManager, checkMonitor } = stack.credentials;
    // only the processes with their logs on the disk are left
    await stack.end('cert-manager', 'stop');
    await stack.end('check-monitor', 'stop');
    const services = [
      await startLogging(stack, 'check-monitor', disk.folder),
      await startLogging(stack, 'cert-manager', disk.folder),
    ] as const;
    const [monitor, manager] = services;
    const lostBy = async ({ url }: Logging) => {
      const response = await fetch(`${url}/metrics`);
      return Number(/^log_lines_lost_total (\d+)$/m.exec(await response.text())?.[1]);
    };
    const createSpace = (name: string) =>
      respond(`${manager.url}/spaces`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${certManager.token}` },
        body: JSON.stringify({ name }),
      });
    const began = performance.now();
    for (let round = 0; round < faultRounds; round += 1) {
      const before = await Promise.all(services.map(lostBy));
      disk.fill();
      for (const [index, service] of services.entries()) {
        await until(async () => {
          expect((await respond(`${service.url}/health/live`)).status).toBe(200);
          // each leaves a line
          await respond(`${service.url}/unknown`);
          return (await lostBy(service)) > (before[index] ?? 0);
        });
      }
      expect((await createSpace(`Space ${round}`)).status).toBe(201);
      await failSome(monitor.url, checkMonitor.pingKey, round);
      await until(async () => alertsAt(receiver).distinct === (round + 1) * perRound);
      disk.clear();
      for (const { url, logFile } of services) {
        await until(async () => {
          await respond(`${url}/unknown`);
          return (await readFile(logFile, 'utf8')).split('"log.lines_lost"').length > round + 1;
        });
      }
    }
    disk.fill();
    for (const { url, child } of services) {
      await respond(`${url}/unknown`);
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      expect(await ended).toEqual([0, null]);
    }
    const { all, distinct } = alertsAt(receiver);
    expect(receiver.bodiesOf('/message').filter((body) => body.includes('alerts are held'))).toEqual([]);
    reportFault({
      fault: `disk full, log on it, ${faultRounds} times`,
      database: dialect,
      sent: faultRounds * perRound,
      arrived: distinct,
      lateSeconds: (receiver.latestAt() - began) / 1000,
      repeated: all - distinct,
    });
  });
});
