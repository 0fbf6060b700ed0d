import { describeOnPostgres, openRelay, type Relay, testDatabaseUrl } from '@certloop/db/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningMonitor, startMonitor } from '../support/process.js';

describeOnPostgres('a monitor whose connections end in silence', () => {
  const cleanups: (() => Promise<unknown>)[] = [];
  let relay: Relay;
  let monitor: RunningMonitor;

  beforeAll(async () => {
    const { url, drop } = await testDatabaseUrl('postgres');
    relay = await openRelay(url);
    monitor = await startMonitor(relay.url);
    cleanups.push(
      drop,
      () => relay.close(),
      async () => monitor.kill(),
    );
  });
  afterAll(async () => {
    for (const cleanup of cleanups.reverse()) await cleanup();
  });

  const ping = async () => (await fetch(`${monitor.url}/ping/${monitor.pingKey}/job?create=1`)).status;

  test('answers each ping, and continues', async () => {
    expect(await ping()).toBe(201);
    expect(await Promise.all([ping(), ping(), ping()])).toEqual([200, 200, 200]);
    relay.freeze();
    const answers = await Promise.all([ping(), ping(), ping(), ping()]);
    for (const status of answers) expect([200, 503]).toContain(status);
    expect(await ping()).toBe(200);
  });

  test('stops cleanly while it waits for the database', async () => {
    relay.freeze();
    const waiting = ping().catch(() => undefined);
    // with 1 it ends itself after 20 s
    expect(await monitor.stop()).toBe(0);
    await waiting;
  });
});
