import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { processIo } from '../io.js';
import { readConnection } from './connection.js';
import { type Context, withContext } from './contexts.js';
import { changeContexts, contextsFile, readContexts } from './contexts.store.js';

const certManager = { url: 'http://127.0.0.1:3000', token: 'clt_1' };
let folder: string;
let env: Record<string, string>;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'certloop-contexts-'));
  env = { XDG_CONFIG_HOME: folder };
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const store = (name: string, context: Context) =>
  changeContexts(env, (contexts) => withContext(contexts, name, context));
const write = async (text: string) => {
  await mkdir(dirname(contextsFile(env)), { recursive: true });
  await writeFile(contextsFile(env), text);
};
const connection = (more: Record<string, string> = {}, named?: string) =>
  readConnection({ ...processIo(), env: { ...env, ...more } }, named);

test('finds its file without HOME', () => {
  expect(contextsFile({})).toBe(join(homedir(), '.config', 'certloop', 'login.json'));
});

test('stores contexts for their owner alone, and leaves no other file', async () => {
  await store('prod', { certManager });
  expect((await stat(contextsFile(env))).mode & 0o777).toBe(0o600);
  expect(await readdir(dirname(contextsFile(env)))).toEqual(['login.json']);
  expect(await connection()).toMatchObject({ context: 'prod', certManager });
});

test('loses nothing when many change it at once', async () => {
  const names = Array.from({ length: 20 }, (_, index) => `c${index}`);
  await Promise.all(names.map((name) => store(name, { certManager })));
  expect(Object.keys((await readContexts(env)).contexts).sort()).toEqual([...names].sort());
});

test('takes over the lock of a process that has ended, and waits for one that runs', async () => {
  await store('prod', { certManager });
  const lock = `${contextsFile(env)}.lock`;
  const { hostname } = await import('node:os');
  await writeFile(lock, `${hostname()} 999999999 x`);
  await store('staging', { certManager });
  await writeFile(lock, `${hostname()} ${process.pid} x`);
  const waiting = store('third', { certManager });
  expect(Object.keys((await readContexts(env)).contexts)).toEqual(['prod', 'staging']);
  await rm(lock);
  await waiting;
  expect(Object.keys((await readContexts(env)).contexts)).toEqual(['prod', 'staging', 'third']);
});

test('changes nothing when the change is refused', async () => {
  await store('prod', { certManager });
  const refused = changeContexts(env, () => {
    throw new Error('no');
  });
  await expect(refused).rejects.toThrow('no');
  expect(await readdir(dirname(contextsFile(env)))).toEqual(['login.json']);
});

describe('the file of an earlier version', () => {
  const earlier = { certManager: { ...certManager, tokenId: 't1', username: 'anna' } };

  test('is read as the context default, and stays in it when another one is added', async () => {
    await write(JSON.stringify(earlier));
    expect(await connection()).toMatchObject({ ...earlier, context: 'default' });
    await store('prod', { space: 'Shop' });
    expect(await readContexts(env)).toEqual({
      current: 'default',
      contexts: { default: earlier, prod: { space: 'Shop' } },
    });
  });

  test.each(['', '{', '[]', '{"contexts":1}', '{"certManager":{"url":"x"}}'])(
    'is refused and named when it is damaged: %s',
    async (text) => {
      await write(text);
      await expect(connection()).rejects.toThrow(/login\.json is not a log-in of certloop; remove it/);
    },
  );
});

describe('of the places that name a service', () => {
  beforeEach(async () => {
    await store('prod', { certManager, space: 'Shop', project: 'Jobs' });
    await store('staging', { certManager: { ...certManager, url: 'http://staging' } });
  });
  const url = 'http://127.0.0.1:9';

  test.each([
    [{}, undefined, { context: 'prod', space: 'Shop', project: 'Jobs' }],
    [{ CERTLOOP_CONTEXT: 'staging' }, undefined, { context: 'staging', space: undefined }],
    [{ CERTLOOP_CONTEXT: 'staging' }, 'prod', { context: 'prod' }],
    [{ CERTLOOP_SPACE: 'Garden', CERTLOOP_PROJECT: 'P' }, 'prod', { space: 'Garden', project: 'P' }],
    // a default of the context counts only for its own service
    [
      { CERTLOOP_URL: url, CERTLOOP_TOKEN: 'x' },
      'prod',
      { certManager: { url, token: 'x' }, space: undefined, project: 'Jobs' },
    ],
    [
      { CERTLOOP_MONITOR_URL: url, CERTLOOP_MONITOR_KEY: 'x' },
      undefined,
      { certManager, space: 'Shop', project: undefined },
    ],
  ])('%j with --context %s gives %j', async (more, named, expected) => {
    expect(await connection(more, named)).toMatchObject(expected);
  });

  test.each(['gone', 'constructor', '__proto__'])('an unknown context is refused: %s', async (name) => {
    await expect(connection({}, name)).rejects.toThrow(
      `there is no context ${name}; certloop contexts lists them`,
    );
  });
});
