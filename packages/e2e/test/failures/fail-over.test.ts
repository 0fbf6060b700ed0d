import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type createCertManagerClient, createCheckMonitorClient } from '@certloop/contracts';
import { until } from '@certloop/contracts/testing';
import {
  type ControlledServer,
  createDatabase,
  describeOnPostgres,
  openRelay,
  type PostgresPair,
  type Relay,
  startPostgresPair,
} from '@certloop/db/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inheritedEnvironment } from '../../src/config.js';
import { clientsOf, patientCalls } from '../../src/main-job.js';
import { type Stack, startStack } from '../../src/stack.js';
import { reportFault } from '../support/fault-table.js';
import {
  addWebhook,
  type PingCount,
  requireDelivered,
  requireStored,
  startListener,
  startPings,
} from '../support/ping-load.js';

describeOnPostgres('the stack on a PostgreSQL with a synchronous standby', () => {
  const cleanups: (() => Promise<unknown>)[] = [];
  let pair: PostgresPair;
  let relay: Relay;
  let stack: Stack;
  /** How many changes of each check must be delivered. */
  const events = new Map<string, number>();
  let listener: Awaited<ReturnType<typeof startListener>>;
  let began = 0;

  beforeAll(async () => {
    pair = await startPostgresPair();
    cleanups.push(() => pair.close());
    relay = await openRelay(pair.primary.url);
    cleanups.push(() => relay.close());
    const dataDir = await mkdtemp(join(tmpdir(), 'certloop-fail-over-'));
    cleanups.push(() => rm(dataDir, { recursive: true, force: true }));
    stack = await startStack({
      dataDir,
      ports: { certManager: 0, checkMonitor: 0, dummyCa: 0 },
      databaseUrls: {
        certManager: await createDatabase(relay.url, 'cert_manager'),
        checkMonitor: await createDatabase(relay.url, 'check_monitor'),
      },
      environment: {
        ...inheritedEnvironment(),
        CHECK_MONITOR_ALLOW_PRIVATE_TARGETS: 'true',
        CHECK_MONITOR_CHECK_LIMIT: '1000',
        CHECK_MONITOR_PING_LIMIT: '10000',
        LOG_LEVEL: 'warn',
      },
    });
    cleanups.push(() => stack.stop());
    listener = await startListener();
    cleanups.push(() => listener.close());
    await addWebhook(stack, listener.url);
    began = performance.now();
  });
  afterAll(async () => {
    for (const cleanup of cleanups.reverse()) await cleanup();
  });

  /** Puts both services under load, has the fault, and shows that they recover and that nothing answered is lost. */
  async function survive(fault: () => Promise<void>): Promise<void> {
    const monitor = createCheckMonitorClient({
      ...patientCalls,
      baseUrl: stack.plan.urls['check-monitor'],
      apiKey: stack.credentials.checkMonitor.readWriteKey,
    });
    const { manager } = clientsOf(stack.credentials);
    const uuids: string[] = [];
    for (let n = 0; n < 3; n += 1)
      uuids.push((await monitor.createCheck({ body: { name: `Job ${n}`, channels: '*' } })).body.uuid);
    const load = startPings([stack.plan.urls['check-monitor']], uuids, 50);
    const writes = startWrites(manager);
    try {
      await until(async () => load.answered() > 40);
      await fault();
      const over = performance.now();
      const all: readonly Pick<PingCount, 'lastAnsweredSentAt'>[] = [...load.counts, writes.count];
      await until(async () => all.every(({ lastAnsweredSentAt }) => lastAnsweredSentAt > over));
      const atRecovery = load.answered();
      await until(async () => load.answered() > atRecovery + 40);
    } finally {
      await load.stop();
      await writes.stop();
    }
    for (const [uuid, count] of await requireStored(monitor, { uuids, counts: load.counts }))
      events.set(uuid, count);
    const spaces = (await manager.listSpaces()).body.map(({ id }) => id);
    expect(spaces).toEqual(expect.arrayContaining([...writes.answered]));
  }

  test('continues after the primary was killed and the standby promoted', async () => {
    await survive(async () => {
      // its machine is gone: nothing says that the connections have ended
      relay.freeze();
      await pair.primary.kill();
      // as long as a monitor of the cluster needs to notice
      await pause(1000);
      pair.standby.promote();
      relay.leadTo(pair.standby.url);
    });
  });

  const server = (): ControlledServer => pair.standby;

  test('continues after the server was restarted', async () => {
    await survive(() => server().restart());
  });

  test('continues after the server was frozen', async () => {
    await survive(async () => {
      server().freeze();
      await pause(4000);
      server().thaw();
    });
  });

  // last, as what a worker had in hand when the database went is its own until its lease ends
  test('delivers each change under one key', async () => {
    expect(events.size).toBe(9);
    await requireDelivered(listener, events);
    reportFaults();
  });

  /** Adds a line to the table that `npm run faults` prints. */
  function reportFaults(): void {
    const sent = [...events.values()].reduce((sum, count) => sum + count, 0);
    const { count, latestNewAt } = listener.arrivals();
    reportFault({
      fault: 'PostgreSQL failed over, then restarted, then frozen',
      database: 'postgres',
      sent,
      arrived: sent,
      lateSeconds: (latestNewAt - began) / 1000,
      repeated: count - sent,
    });
  }
});

/** Makes spaces one after another. */
function startWrites(manager: Pick<ReturnType<typeof createCertManagerClient>, 'createSpace'>) {
  const answered: string[] = [];
  const count = { lastAnsweredSentAt: 0 };
  let isStopped = false;
  const job = (async () => {
    for (let n = 0; !isStopped; n += 1) {
      const sentAt = performance.now();
      await manager.createSpace({ body: { name: `Space ${n}` } }).then(
        ({ body }) => {
          answered.push(body.id);
          count.lastAnsweredSentAt = sentAt;
        },
        () => undefined,
      );
      await pause(50);
    }
  })();
  return {
    answered,
    count,
    stop: () => {
      isStopped = true;
      return job;
    },
  };
}
