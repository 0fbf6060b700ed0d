import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { executeSql } from '@certloop/db';
import { describeEachDialect } from '@certloop/db/testing';
import { afterEach, expect, test } from 'vitest';
import { createChannel } from '../../src/channels/create-channel.service.js';
import { schema } from '../../src/database.js';
import { microsOf } from '../../src/instants.js';
import { setUpProject } from '../../src/projects/create-project.service.js';
import { type Recorder, startRecorder } from '../support/recorder.js';

const main = fileURLToPath(new URL('../../service/main.js', import.meta.url));
const secret = 'a secret for tests only';
const running: ChildProcess[] = [];
const recorders: Recorder[] = [];

afterEach(async () => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
  for (const recorder of recorders.splice(0)) await recorder.close();
});

/** The service as its own process; resolves with its address once it listens. */
async function startService(databaseUrl: string): Promise<{ child: ChildProcess; url: string }> {
  const environment = {
    CHECK_MONITOR_DATABASE_URL: databaseUrl,
    CHECK_MONITOR_SECRET: secret,
    CHECK_MONITOR_PORT: '0',
    CHECK_MONITOR_TICK_MS: '20',
    CHECK_MONITOR_ALLOW_PRIVATE_TARGETS: 'true',
  };
  const child = spawn(process.execPath, [main], { env: environment, stdio: ['ignore', 'pipe', 'inherit'] });
  running.push(child);
  for await (const line of createInterface(child.stdout)) {
    const entry: { event?: string; url?: string } = JSON.parse(line);
    if (entry.event !== 'service.started' || entry.url === undefined) continue;
    child.stdout.resume();
    return { child, url: entry.url };
  }
  throw new Error('the service ended before it listened');
}

/** Resolves with the key of the next delivery; the target answers it, or never does. */
function nextDelivery(target: Recorder, answer: 'answers' | 'hangs'): Promise<string> {
  return new Promise((resolve) => {
    target.answer((response, { headers }) => {
      if (answer === 'answers') response.end();
      resolve(String(headers['idempotency-key']));
    });
  });
}

describeEachDialect('a service that is killed while it delivers', (open) => {
  test.each([
    ['under the same key', undefined],
    ['under another key if the check was renamed', "update checks set name = 'weekly'"],
  ])('delivers again when it is back, %s', async (_, change) => {
    const { url: databaseUrl, database } = await open(schema);
    const accounts = { db: database, secret, clock: { now: () => microsOf(new Date()) } };
    const owner = { email: 'ada@example.org', checkLimit: null, pingLimit: null };
    const { projectId, pingKey } = await setUpProject(accounts, owner, 'Jobs');
    const target = await startRecorder();
    recorders.push(target);
    const settings = { down: { method: 'POST', url: target.url, body: '$NAME is $STATUS' } };
    const notifier = { refusalOfTarget: async () => undefined };
    await createChannel(
      { ...accounts, notifier },
      { projectId, kind: 'webhook', name: 'hook', settings, isVerified: false },
    );

    const first = await startService(databaseUrl);
    const begun = nextDelivery(target, 'hangs');
    await fetch(`${first.url}/ping/${pingKey}/nightly/fail?create=1`);
    const key = await begun;
    first.child.kill('SIGKILL');
    await once(first.child, 'close');

    // the lease of the dead worker would expire in ten minutes
    await database.transaction((tx) => executeSql(tx, 'update notifications set lease_until = 0'));
    if (change !== undefined) await database.transaction((tx) => executeSql(tx, change));
    const again = nextDelivery(target, 'answers');
    const second = await startService(databaseUrl);
    expect((await again) === key).toBe(change === undefined);
    const name = change === undefined ? 'nightly' : 'weekly';
    expect(target.requests.map(({ body }) => body)).toEqual(['nightly is down', `${name} is down`]);

    second.child.kill('SIGTERM');
    expect(await once(second.child, 'close')).toEqual([0, null]);
    const settled =
      'delete from notifications where settled_at is not null and error is null and attempt = 2';
    expect(await database.transaction((tx) => executeSql(tx, settled))).toBe(1);
  });
});
