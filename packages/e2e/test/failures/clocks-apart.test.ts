import { schema } from '@certloop/check-monitor/dist/src/database.js';
import { createCertManagerClient, createCheckMonitorClient } from '@certloop/contracts';
import { until } from '@certloop/contracts/testing';
import { type Database, databaseClock, executeSql, openDatabase } from '@certloop/db';
import { describeOnPostgres } from '@certloop/db/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  addFqdn,
  type Clients,
  makeCsr,
  makeSpace,
  type Place,
  patientCalls,
  signCsr,
  uploadCsr,
} from '../../src/main-job.js';
import type { Stack } from '../../src/stack.js';
import { type Replica, startReplica } from '../support/replicas.js';
import { type Cleanup, startTestStack } from '../support/test-stack.js';
import { createHostClock } from './host-clock.js';

/** Clocks agree up to this, in milliseconds. */
const agreeMs = 2000;

// replicas need a database that several processes share
describeOnPostgres('two managers and two monitors whose hosts are 90 s apart', () => {
  const cleanups: Cleanup[] = [];
  let stack: Stack;
  let clients: Clients;
  let monitorDb: Database;
  let databaseMs: () => Promise<number>;
  let ahead: { readonly manager: Replica; readonly monitor: Replica };

  beforeAll(async () => {
    ({ stack, clients } = await startTestStack('postgres', {}, cleanups));
    const url = stack.plan.environments['check-monitor']['CHECK_MONITOR_DATABASE_URL'] ?? '';
    monitorDb = await openDatabase({ url, schema });
    cleanups.push(() => monitorDb.close());
    databaseMs = databaseClock(monitorDb) ?? (() => Promise.reject(new Error('it has no clock')));
    const { environment } = await createHostClock(90_000, cleanups);
    const [manager, monitor] = await Promise.all([
      startReplica(stack, 'cert-manager', environment),
      startReplica(stack, 'check-monitor', environment),
    ]);
    cleanups.push(manager.stop, monitor.stop);
    ahead = { manager, monitor };
  });
  afterAll(async () => {
    for (const cleanup of cleanups.reverse()) await cleanup();
  });

  const newCheck = async (name: string) =>
    (await clients.monitor.createCheck({ body: { name, timeout: 60, grace: 60 } })).body.uuid;
  const pingFrom = async (url: string, path: string) =>
    expect((await fetch(`${url}/ping/${path}`, { method: 'POST' })).status).toBe(200);
  /** The check as if it had been pinged so much earlier. */
  const moveBack = (uuid: string, seconds: number) =>
    monitorDb.transaction((tx) =>
      executeSql(
        tx,
        `update check_states set last_ping = last_ping - $2, alert_after = alert_after - $2, revision = revision + 1
          where check_id = (select id from checks where uuid = $1)`,
        [uuid, seconds * 1_000_000],
      ),
    );

  test('say how far the host is ahead', async () => {
    for (const { url } of [ahead.manager, ahead.monitor]) {
      // a comparison on a busy machine may be a second off, the next one is not
      await until(async () => {
        const { clock } = (await (await fetch(`${url}/health/ready`)).json()) as { clock?: string };
        return clock?.includes("the host's clock is 90 s ahead of the database's");
      });
    }
  });

  test('store pings at the time of the database, and no duration that did not pass', async () => {
    const [first, second] = [stack.plan.urls['check-monitor'], ahead.monitor.url];
    const began = await databaseMs();
    const uuid = await newCheck('Durations');
    for (const [start, end] of [
      [first, second],
      [second, first],
    ] as const) {
      await pingFrom(start, `${uuid}/start`);
      await pingFrom(end, uuid);
    }
    const ended = await databaseMs();
    const { pings } = (await clients.monitor.listPings({ params: { id: uuid } })).body;
    const dates = pings.map(({ date }) => Date.parse(date));
    expect(Math.min(...dates)).toBeGreaterThan(began - agreeMs);
    expect(Math.max(...dates)).toBeLessThan(ended + agreeMs);
    const durations = pings.flatMap(({ duration }) => (duration === undefined ? [] : [duration * 1000]));
    expect(durations).toHaveLength(2);
    expect(Math.min(...durations)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...durations)).toBeLessThan(ended - began + 2 * agreeMs);
  });

  test('mark no check as down before its deadline', async () => {
    const young = await newCheck('Young');
    await pingFrom(stack.plan.urls['check-monitor'], young);
    await moveBack(young, 35);
    await stack.end('check-monitor', 'stop');
    const { readWriteKey: apiKey } = stack.credentials.checkMonitor;
    const second = createCheckMonitorClient({ ...patientCalls, baseUrl: ahead.monitor.url, apiKey });
    // the second round has judged what was due by its clock in the first
    for (const name of ['Overdue', 'Overdue, too']) {
      const { uuid } = (await second.createCheck({ body: { name, timeout: 60, grace: 60 } })).body;
      await pingFrom(ahead.monitor.url, uuid);
      await moveBack(uuid, 600);
      await until(async () => (await second.getCheck({ params: { id: uuid } })).body.status === 'down');
    }
    const { status, last_ping } = (await second.getCheck({ params: { id: young } })).body;
    const isDue = (await databaseMs()) >= Date.parse(last_ping ?? '') + 120_000;
    expect([status, isDue]).not.toEqual(['down', false]);
  });

  test('renew no certificate before its time, each once', async () => {
    const { token } = stack.credentials.certManager;
    const manager = createCertManagerClient({ ...patientCalls, baseUrl: ahead.manager.url, token });
    const { id: spaceId } = await makeSpace(clients, 'Apart');
    const [later, ...due] = await Promise.all(
      ['later', 'due', 'due-too'].map((name) => issue(clients, spaceId, `${name}.example.test`)),
    );
    const plan = async (issued: Issued | undefined, minutesFromNow: number) => {
      if (issued === undefined) throw new Error('nothing was issued');
      const body = { ...issued, minutesFromNow };
      await clients.manager.createTestRenewal({ body });
      return async () => {
        const entries = (await manager.listRenewals({ query: { spaceId } })).body;
        return entries.filter(({ fqdnId, isTest }) => fqdnId === issued.fqdnId && isTest === true);
      };
    };
    const entriesOfLater = await plan(later, 1);
    for (const issued of due) {
      const entries = await plan(issued, 0);
      await Promise.all([manager.triggerRenewals(), clients.manager.triggerRenewals()]);
      await until(async () => (await entries()).every(({ status }) => status === 'completed'));
      expect((await manager.listCertificates({ params: issued })).body).toHaveLength(2);
    }
    const [entry] = await entriesOfLater();
    const isDue = (await databaseMs()) >= Date.parse(entry?.scheduledAt ?? '') - agreeMs;
    expect([entry?.status, isDue]).not.toEqual(['completed', false]);
  });
});

type Issued = Place & { readonly certificateId: string };

async function issue(clients: Clients, spaceId: string, hostname: string): Promise<Issued> {
  const { id: fqdnId } = await addFqdn(clients, spaceId, hostname);
  const place = { spaceId, fqdnId };
  await uploadCsr(clients, place, hostname, await makeCsr(hostname));
  return { ...place, certificateId: (await signCsr(clients, place)).id };
}
