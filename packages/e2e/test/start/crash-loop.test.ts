import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hangMs, until } from '@certloop/contracts/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

vi.setConfig({ testTimeout: 2 * hangMs, hookTimeout: 2 * hangMs });

const start = fileURLToPath(new URL('../../src/start.js', import.meta.url));
const slowClock = new URL('slow-clock.fixture.js', import.meta.url).href;

let dataDir: string;
let child: ChildProcess | undefined;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'certloop-crash-'));
});
afterEach(async () => {
  if (child?.exitCode === null && child.signalCode === null) {
    child.kill('SIGTERM');
    await once(child, 'close');
  }
  await rm(dataDir, { recursive: true, force: true });
});

/** Runs what `npm start` runs, on ports that it chooses but for those given. */
function startStack(ports: Readonly<Record<string, string>> = {}) {
  const environment = {
    ...process.env,
    CERTLOOP_DATA_DIR: dataDir,
    LOG_LEVEL: 'warn',
    CERT_MANAGER_PORT: '0',
    CERT_MANAGER_HTTPS_PORT: '0',
    CHECK_MONITOR_PORT: '0',
    DUMMY_CA_PORT: '0',
    DUMMY_CA_HTTPS_PORT: '0',
    ...ports,
  };
  const started = spawn(process.execPath, ['--import', slowClock, start], {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child = started;
  const written = { out: '', err: '' };
  started.stdout.on('data', (chunk: Buffer) => {
    written.out += chunk.toString();
  });
  started.stderr.on('data', (chunk: Buffer) => {
    written.err += chunk.toString();
  });
  return { pid: started.pid ?? -1, written, ended: once(started, 'close') };
}

/** Process of the service, as the kernel lists the children of the stack. */
async function pidOf(stack: number, app: string): Promise<number | undefined> {
  const children = (await readFile(`/proc/${stack}/task/${stack}/children`, 'utf8')).trim().split(' ');
  for (const pid of children.filter((text) => text !== '')) {
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (command.includes(`${app}/dist/service/main.js`)) return Number(pid);
  }
  return undefined;
}

const onLinux = existsSync(`/proc/${process.pid}/task/${process.pid}/children`) ? test : test.skip;

onLinux(
  'npm start ends with the reason if check-monitor ends for the sixth time within a minute',
  async () => {
    const { pid, written, ended } = startStack();
    await until(() => written.out !== '');
    for (let restarts = 0; restarts <= 5; restarts += 1) {
      const isRunning = () => written.err.split('check-monitor is running again').length - 1 === restarts;
      await until(isRunning);
      process.kill((await until(() => pidOf(pid, 'check-monitor'))) ?? -1, 'SIGKILL');
    }
    expect((await ended)[0]).toBe(1);
    const lines = written.err.split('\n').filter((line) => line.startsWith('certloop: check-monitor'));
    const pair = [
      'certloop: check-monitor ended with SIGKILL; starting it again',
      'certloop: check-monitor is running again',
    ];
    expect(lines).toEqual([
      ...Array.from({ length: 5 }, () => pair).flat(),
      `certloop: check-monitor ended with SIGKILL, for the sixth time within a minute; its log is in ${dataDir}/logs`,
    ]);
  },
);

test('npm start reports a taken port at once and starts nothing again', async () => {
  const holder = createServer().listen(0, '127.0.0.1');
  await once(holder, 'listening');
  const { port } = holder.address() as { readonly port: number };
  try {
    const { written, ended } = startStack({ CHECK_MONITOR_PORT: String(port) });
    expect((await ended)[0]).toBe(1);
    expect(written.err).toContain(String(port));
    expect(written.err).not.toContain('starting it again');
  } finally {
    holder.close();
  }
});
