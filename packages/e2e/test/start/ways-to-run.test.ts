import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { createCertManagerClient, createCheckMonitorClient } from '@certloop/contracts';
import { until } from '@certloop/contracts/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { inheritedEnvironment } from '../../src/config.js';
import { issueToken } from '../../src/credential-checks.js';
import { freePort } from '../../src/ports.js';

const root = fileURLToPath(new URL('../../../../../', import.meta.url));
const read = (file: string) => readFile(join(root, file), 'utf8');
const names = 50;

let folder: string;
let ports: Record<'CERT_MANAGER_PORT' | 'CHECK_MONITOR_PORT', string>;
const services: ChildProcess[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'certloop-ways-'));
  // the folder of a user who has built the project
  for (const part of ['apps', 'packages', 'node_modules'])
    await symlink(join(root, part), join(folder, part));
  ports = { CERT_MANAGER_PORT: String(await freePort()), CHECK_MONITOR_PORT: String(await freePort()) };
});
afterAll(async () => {
  for (const { pid = 0, exitCode } of services) {
    if (exitCode !== null) continue;
    process.kill(-pid, 'SIGTERM');
  }
  await Promise.all(services.map((child) => child.exitCode ?? once(child, 'close')));
  await rm(folder, { recursive: true, force: true });
});

/** The sh blocks of a section, as they stand. */
async function blocksOf(page: string, title: string): Promise<string[]> {
  const sections = (await read(page)).split(/^## /m);
  const section = sections.find((one) => one.startsWith(`${title}\n`)) ?? '';
  return [...section.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, block = '']) => block);
}

/** Runs a block in the terminal of a user, who sets no variable but the ports. */
function begin(block: string, stdout: 'pipe' | 'ignore' = 'ignore'): ChildProcess {
  const { PATH = '' } = inheritedEnvironment();
  const stdio: StdioOptions = ['ignore', stdout, 'inherit'];
  // a group of its own, so that a signal reaches what the shell has started
  return spawn('bash', ['-euc', block], { cwd: folder, env: { PATH, ...ports }, stdio, detached: true });
}

async function finish(block: string): Promise<string> {
  const child = begin(block, 'pipe');
  const [out, [code]] = await Promise.all([text(child.stdout as Readable), once(child, 'close')]);
  expect({ block, code }).toEqual({ block, code: 0 });
  return out;
}

const answers = (url: string) =>
  until(() =>
    fetch(url).then(
      (answer) => answer.ok,
      () => false,
    ),
  );

test('the commands of “Without containers” set up a stack that watches fifty names', async () => {
  const [build = '', startMonitor = '', setUp = '', makeAdmin = '', startManager = ''] = await blocksOf(
    'docs/deploy.md',
    'Without containers',
  );
  const [first, ...prepare] = build.split('\n');
  // this test runs on the build, which must not change below other tests
  expect(first).toBe('npm run build');
  await finish(prepare.join('\n'));
  const monitorUrl = `http://127.0.0.1:${ports.CHECK_MONITOR_PORT}`;
  const baseUrl = `http://127.0.0.1:${ports.CERT_MANAGER_PORT}`;
  services.push(begin(startMonitor));
  await answers(`${monitorUrl}/health/ready`);
  await finish(setUp);
  const [, password = ''] = /password: (\S+)/.exec(await finish(makeAdmin)) ?? [];
  services.push(begin(startManager));
  await answers(`${baseUrl}/health/ready`);
  const token = (await issueToken(baseUrl, { username: 'admin', password })) ?? '';
  const manager = createCertManagerClient({ baseUrl, token });
  const { id: spaceId } = (await manager.createSpace({ body: { name: 'fifty' } })).body;
  for (let n = 0; n < names; n += 1) {
    const { body } = await manager.createFqdn({
      params: { id: spaceId },
      body: { fqdn: `n${n}.example.test` },
    });
    const params = { spaceId, fqdnId: body.id };
    await manager.setRenewalEnabled({ params, body: { renewalEnabled: true } });
  }
  const apiKey = (await readFile(join(folder, 'run/monitor-key'), 'utf8')).trim();
  const monitor = createCheckMonitorClient({ baseUrl: monitorUrl, apiKey });
  await until(async () => {
    const { checks } = (await monitor.listChecks({ query: { tag: 'certificate' } })).body;
    return checks.length === names;
  });
});

describe('one command sets up the monitor', () => {
  const forms = /setup\b[\s\\',]*--owner[\s\S]*?--project[\s\S]*?CertLoop/g;

  test.each([
    ['docs/deploy.md', 2],
    ['docker/make-project.mjs', 0],
    ['packages/e2e/src/first-start.ts', 0],
  ])('in %s, without a limit of its own', async (file, documented) => {
    const content = await read(file);
    expect(content).not.toMatch(/--check-limit',|setup .*--check-limit \d/);
    expect(content).toMatch(/--canary-project/);
    if (documented > 0) expect(content.match(forms)).toHaveLength(documented);
  });
});
