import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { monitorCommand } from '../support/monitor-command.js';

const execute = promisify(execFile);
const root = fileURLToPath(new URL('../../../../../', import.meta.url));
const names = ['read-write-key', 'read-only-key', 'ping-key', 'password', 'canary-key'];

let place: string;

beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), 'certloop-project-'));
  for (const folder of ['secrets', 'shares/cert-manager', 'shares/check-monitor'])
    await mkdir(join(place, folder), { recursive: true });
});
afterAll(() => rm(place, { recursive: true }));

const environmentOf = (database: string) => ({
  PATH: '',
  CHECK_MONITOR_DATABASE_URL: `sqlite:${join(place, database)}`,
  CHECK_MONITOR_SECRET: 'a secret for tests only',
});

/** Runs the job on a database; returns its files. */
async function runOn(database: string): Promise<string[]> {
  const args = [join(root, 'docker/make-project.mjs'), join(place, 'secrets'), join(place, 'shares')];
  const env = environmentOf(database);
  await execute(process.execPath, args, { cwd: join(root, 'apps/check-monitor'), env });
  return Promise.all(names.map((name) => readFile(join(place, 'secrets', `monitor-${name}`), 'utf8')));
}

async function ownersOf(database: string) {
  return JSON.parse(await monitorCommand(['user', 'list', '--json'], environmentOf(database)));
}

test('docker/make-project.mjs makes keys for each database, and finds those of the earlier one again', async () => {
  const first = await runOn('first.sqlite');
  expect(first.every((secret) => secret.length >= 22)).toBe(true);
  expect(await ownersOf('first.sqlite')).toMatchObject([{ checkLimit: 1_000_000, checks: 0 }]);
  expect(await runOn('first.sqlite')).toEqual(first);

  const second = await runOn('second.sqlite');
  expect(second.filter((secret) => first.includes(secret))).toEqual([]);
  expect(await ownersOf('second.sqlite')).toMatchObject([{ checkLimit: 1_000_000 }]);
  const copies = join(place, 'shares/cert-manager');
  expect(await readFile(join(copies, 'monitor-read-write-key'), 'utf8')).toBe(second[0]);
  expect(await runOn('second.sqlite')).toEqual(second);

  // the first database is restored
  await cp(join(place, 'first.sqlite'), join(place, 'restored.sqlite'));
  expect(await runOn('restored.sqlite')).toEqual(first);
  expect(await readFile(join(copies, 'monitor-read-write-key'), 'utf8')).toBe(first[0]);
});
