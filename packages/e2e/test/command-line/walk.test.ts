import { readFileSync } from 'node:fs';
import { appendFile, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasProgram } from '@certloop/server/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inheritedEnvironment } from '../../src/config.js';
import { credentialsFile } from '../../src/credentials.js';
import { type Stack, startStack } from '../../src/stack.js';
import { runCertloop } from '../support/certloop.js';
import { createLineRunner, type LineRunner } from '../support/documented-lines.js';
import { pendingMigrations, revertMigrations } from '../support/pending-migrations.js';
import { readPreparation, readWalk } from '../support/walk-page.js';

// the page makes its keys with it
const ifOpenssl = hasProgram('openssl', 'the walk is not run', ['version']) ? describe : describe.skip;

let folder: string;
let stack: Stack;
let lines: LineRunner;

const certloop = (args: readonly string[]) =>
  runCertloop(args, {
    env: {
      CERTLOOP_CREDENTIALS: credentialsFile(join(folder, 'data')),
      XDG_CONFIG_HOME: join(folder, 'config'),
    },
  });

async function asJson(args: readonly string[]) {
  const { code, out, err } = await certloop([...args, '--json']);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return JSON.parse(out);
}

ifOpenssl('the walk of docs/walk.md', () => {
  const page = readFileSync(new URL('../../../../../docs/walk.md', import.meta.url), 'utf8');
  const steps = readWalk(page);
  // npm run walk sets it
  const table = process.env['CERTLOOP_WALK_TABLE'];
  const home = process.cwd();
  const mask = process.umask();
  let reverted: string[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'certloop-walk-'));
    lines = await createLineRunner(folder);
    process.chdir(folder);
    await start();
    for (const line of readPreparation(page)) await run(line);
  });
  afterAll(async () => {
    process.chdir(home);
    process.umask(mask);
    await stack.stop();
    await rm(folder, { recursive: true, force: true });
  });

  /** What npm start does, with other ports: all that a test of a page may set. */
  async function start(): Promise<void> {
    const ports = { certManager: 0, checkMonitor: 0, dummyCa: 0 };
    stack = await startStack({ dataDir: join(folder, 'data'), ports, environment: inheritedEnvironment() });
    lines.env['DUMMY_CA_PORT'] = new URL(stack.plan.urls['dummy-ca']).port;
  }

  /** One line of the page as it stands; this checkout is the new version. */
  async function run(line: string): Promise<void> {
    if (line === 'npm start') await start();
    else if (line === 'umask 077') process.umask(0o077);
    else if (line !== 'git pull' && line !== 'npm run build')
      await lines.run(line, { isProcess: table !== undefined });
  }

  test.each(steps)('$title takes the stated number of commands', async ({ title, commands, stated }) => {
    expect(commands).toHaveLength(stated);
    if (title === 'Restore') await asJson(['spaces', 'create', 'After the backup']);
    if (title === 'Restore' || title === 'Upgrade') await stack.stop();
    if (title === 'Upgrade') reverted = await revertMigrations('data');
    const since = performance.now();
    for (const line of commands) await run(line);
    const seconds = (performance.now() - since) / 1000;
    process.stderr.write(`${title}: ${stated} commands, ${seconds.toFixed(1)} s\n`);
    const link = `[${title}](#${title.toLowerCase().replaceAll(' ', '-')})`;
    if (table !== undefined) await appendFile(table, `| ${link} | ${stated} | ${seconds.toFixed(1)} |\n`);
  });

  test('does what the page describes', async () => {
    expect(steps).toHaveLength(8);
    expect(page).not.toMatch(/^(curl|wget|npm run monitor)\b/m);
    expect(await readdir('certificates')).toHaveLength(31);
    const lab = 'lab.example.test';
    expect(await asJson(['certificates', 'list', lab])).toHaveLength(1);
    const [job] = await asJson(['issuance-jobs', lab]);
    expect((await certloop(['issuance-jobs', 'get', job.id])).out).toMatch(/^challenges: ok/m);
    const spaces = (await certloop(['spaces', '-o', 'name'])).out;
    expect(spaces).toMatch(/^Shop$/m);
    expect(spaces).not.toContain('After the backup');
    expect((await stat('backup/cert-manager.sqlite')).mode & 0o777).toBe(0o600);
  });

  test('lets the team mate read, but not change, in both services', async () => {
    const { certManager, checkMonitor } = stack.credentials;
    const env = {
      XDG_CONFIG_HOME: await mkdtemp(join(folder, 'ben-')),
      CERTLOOP_MONITOR_URL: checkMonitor.url,
      CERTLOOP_MONITOR_EMAIL: 'ben@example.org',
    };
    const asBen = (args: readonly string[]) => runCertloop(args, { env, input: 'nine green bottles\n' });
    expect(await asBen(['login', '--url', certManager.url, '--username', 'ben'])).toMatchObject({ code: 0 });
    expect((await asBen(['spaces', '-o', 'name'])).out).toBe('Shop\n');
    expect((await asBen(['certificates', 'get', 'www.example.test'])).code).toBe(0);
    expect(await asBen(['fqdns', 'create', 'ben.example.test', '-s', 'Shop'])).toMatchObject({ code: 1 });
    const projects = (await asBen(['projects', '-o', 'json'])).out;
    expect(JSON.parse(projects)).toMatchObject([{ name: 'CertLoop', role: 'read-only' }]);
    expect(await asBen(['projects', 'update', 'CertLoop', '--name', 'Mine'])).toMatchObject({ code: 1 });
  });

  test('upgrades databases of an earlier version, with their data', async () => {
    expect(await pendingMigrations('data-before-upgrade')).toEqual(reverted);
    expect(reverted).toEqual(expect.arrayContaining(['0029-standings', '0010-check-names']));
    expect(await pendingMigrations('data')).toEqual([]);
    const www = await asJson(['certificates', 'list', 'www.example.test']);
    expect(await readFile('certificates/www.example.test.pem', 'utf8')).toContain(www[0].pem.trim());
    expect(await asJson(['fqdns', 'list', '--space', 'Shop'])).toHaveLength(32);
    expect(await asJson(['checks', 'get', 'nightly-backup'])).toMatchObject({ status: 'up', n_pings: 2 });
    expect((await certloop(['integrations', '-o', 'name'])).out).toBe('Ops\n');
  });
});
