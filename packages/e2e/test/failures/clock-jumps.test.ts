import { schema } from '@certloop/check-monitor/dist/src/database.js';
import { until } from '@certloop/contracts/testing';
import { type Database, databaseClock, executeSql, openDatabase } from '@certloop/db';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  addFqdn,
  type Clients,
  makeCsr,
  makeSpace,
  type Place,
  signCsr,
  uploadCsr,
} from '../../src/main-job.js';
import type { Stack } from '../../src/stack.js';
import { type Cleanup, startTestStack } from '../support/test-stack.js';
import { createHostClock, type HostClock } from './host-clock.js';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

describeEachDialect('services whose host’s clock jumps', (_open, dialect) => {
  const cleanups: Cleanup[] = [];
  let clock: HostClock;
  let stack: Stack;
  let clients: Clients;
  let monitorDb: Database;

  beforeAll(async () => {
    clock = await createHostClock(0, cleanups);
    ({ stack, clients } = await startTestStack(dialect, clock.environment, cleanups));
    const url = stack.plan.environments['check-monitor']['CHECK_MONITOR_DATABASE_URL'] ?? '';
    monitorDb = await openDatabase({ url, schema });
    cleanups.push(() => monitorDb.close());
  });
  afterAll(async () => {
    for (const cleanup of cleanups.reverse()) await cleanup();
  });

  const rightMs = () => databaseClock(monitorDb)?.() ?? Promise.resolve(Date.now());
  const untilReady = (isFit: (clock: string | undefined) => boolean) =>
    until(async () => {
      const bodies = (['cert-manager', 'check-monitor'] as const).map(async (app) => {
        const answer = await fetch(`${stack.plan.urls[app]}/health/ready`);
        return (await answer.json()) as { readonly clock?: string };
      });
      return (await Promise.all(bodies)).every((body) => isFit(body.clock));
    });
  const pinged = async (timeout: number) => {
    const { uuid } = (await clients.monitor.createCheck({ body: { timeout, grace: 60 } })).body;
    await fetch(`${stack.plan.urls['check-monitor']}/ping/${uuid}`, { method: 'POST' });
    return uuid;
  };
  const checkOf = async (id: string) => (await clients.monitor.getCheck({ params: { id } })).body;
  const goesDown = (uuid: string) => until(async () => (await checkOf(uuid)).status === 'down');

  test.each([
    ['200 days ahead', 200 * day],
    ['a day ahead', day],
    ['a day behind', -day],
  ])('%s for a moment: no check goes down, nothing is renewed, and all goes on afterwards', async (_, ms) => {
    const [check, issued] = [await pinged(43_200), await issue(clients)];
    await clock.set(ms);
    await untilReady((sentence) => sentence !== undefined);
    const began = await rightMs();
    const during = Date.parse((await checkOf(await pinged(43_200))).last_ping ?? '');
    expect([during > began - 2000, during < (await rightMs()) + 2000]).toEqual([true, true]);
    await clock.set(0);
    await untilReady((sentence) => sentence === undefined);

    const overdue = await pinged(60);
    const earlier = 'last_ping = last_ping - $2, alert_after = alert_after - $2, revision = revision + 1';
    const text = `update check_states set ${earlier} where check_id = (select id from checks where uuid = $1)`;
    await monitorDb.transaction((tx) => executeSql(tx, text, [overdue, 600_000_000]));
    await goesDown(overdue);
    expect((await checkOf(check)).status).toBe('up');
    const certificates = async () => (await clients.manager.listCertificates({ params: issued })).body;
    expect(await certificates()).toHaveLength(1);
    await clients.manager.createTestRenewal({ body: { ...issued, minutesFromNow: 0 } });
    await until(async () => (await certificates()).length === 2);
  });

  // the clock of the database cannot be moved here
  const testIf = dialect === 'sqlite' ? test : test.skip;
  testIf(
    'after a suspend of an hour, both go on within five minutes, and what is overdue goes down',
    async () => {
      const [frequent, daily] = [await pinged(60), await pinged(86_400)];
      await clock.set(hour);
      await untilReady((sentence) => sentence !== undefined);
      expect((await checkOf(frequent)).last_ping).not.toBeNull();
      await clock.set(hour, 5 * minute);
      await untilReady((sentence) => sentence === undefined);
      await goesDown(frequent);
      expect((await checkOf(daily)).status).toBe('up');
    },
  );
});

type Issued = Place & { readonly certificateId: string };

/** A certificate of 90 days that is renewed automatically. */
async function issue(clients: Clients): Promise<Issued> {
  const hostname = `n${Date.now()}.example.test`;
  const { id: spaceId } = await makeSpace(clients, hostname);
  const { id: fqdnId } = await addFqdn(clients, spaceId, hostname);
  const place = { spaceId, fqdnId };
  await uploadCsr(clients, place, hostname, await makeCsr(hostname));
  const { id: certificateId } = await signCsr(clients, place);
  await clients.manager.setRenewalEnabled({ params: place, body: { renewalEnabled: true } });
  return { ...place, certificateId };
}
