import { createCheckMonitorClient } from '@certloop/contracts';
import { until } from '@certloop/contracts/testing';
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
import {
  addWebhook,
  requireDelivered,
  requireStored,
  startListener,
  startPings,
} from '../support/ping-load.js';
import { type Replica, sessionClient, startReplica } from '../support/replicas.js';
import { type Cleanup, startTestStack } from '../support/test-stack.js';

// replicas need a database that several processes share
describeOnPostgres('two managers and two monitors on one PostgreSQL', () => {
  const cleanups: Cleanup[] = [];
  let stack: Stack;
  let clients: Clients;
  let second: { readonly manager: Replica; readonly monitor: Replica };

  beforeAll(async () => {
    const environment = {
      RENEWAL_LEASE_SECONDS: '5',
      CHECK_MONITOR_ALLOW_PRIVATE_TARGETS: 'true',
      CHECK_MONITOR_CHECK_LIMIT: '1000',
      CHECK_MONITOR_PING_LIMIT: '10000',
    };
    ({ stack, clients } = await startTestStack('postgres', environment, cleanups));
    const [manager, monitor] = await Promise.all([
      startReplica(stack, 'cert-manager'),
      startReplica(stack, 'check-monitor'),
    ]);
    cleanups.push(manager.stop, monitor.stop);
    second = { manager, monitor };
  });
  afterAll(async () => {
    for (const cleanup of cleanups.reverse()) await cleanup();
  });

  test('when a monitor is killed under load, no answered ping is lost and no change of status is sent twice', async () => {
    const listener = await startListener();
    cleanups.push(() => listener.close());
    await addWebhook(stack, listener.url);
    const urls = [stack.plan.urls['check-monitor'], second.monitor.url];
    const { readWriteKey: apiKey } = stack.credentials.checkMonitor;
    const survivor = createCheckMonitorClient({ ...patientCalls, baseUrl: second.monitor.url, apiKey });
    const uuids: string[] = [];
    for (let n = 0; n < 8; n += 1) {
      uuids.push((await survivor.createCheck({ body: { name: `Job ${n}`, channels: '*' } })).body.uuid);
    }

    const load = startPings(urls, uuids);
    try {
      await until(async () => load.answered() > 800);
      await stack.end('check-monitor', 'kill');
      const atKill = load.answered();
      await until(async () => load.answered() > atKill + 800);
    } finally {
      await load.stop();
    }
    await requireDelivered(listener, await requireStored(survivor, { uuids, counts: load.counts }));
    await stack.start('check-monitor');
  });

  test('when a manager is killed while both renew, each certificate is renewed once and its sessions continue', async () => {
    const { username, password } = stack.credentials.certManager;
    const login = await clients.manager.login({ body: { username, password } });
    const session = {
      cookie: String(login.headers?.['set-cookie']).split(';', 1)[0] ?? '',
      csrfToken: login.body.csrfToken,
    };
    const elsewhere = sessionClient(second.manager.url, session);
    expect((await elsewhere.getMe()).body.user.username).toBe(username);

    const { id: spaceId } = await makeSpace(clients, 'Replicas');
    const places = await Promise.all(
      Array.from({ length: 40 }, (_, n) => issue(clients, spaceId, `r${n}.example.test`)),
    );
    const [early, late] = [places.slice(0, 20), places.slice(20)];
    const queue = (some: readonly Issued[]) =>
      Promise.all(
        some.map(({ spaceId: space, fqdnId, certificateId }) =>
          elsewhere.createTestRenewal({
            body: { spaceId: space, fqdnId, certificateId, minutesFromNow: 0 },
          }),
        ),
      );
    await queue(early);
    await Promise.all([clients.manager.triggerRenewals(), elsewhere.triggerRenewals(), queue(late)]);
    await stack.end('cert-manager', 'kill');
    expect((await elsewhere.getMe()).body.user.username).toBe(username);
    await elsewhere.triggerRenewals();

    for (const { certificateId: first, ...params } of places) {
      await until(async () => {
        const { body } = await elsewhere.listCertificates({ params });
        return body.length > 1 ? true : undefined;
      });
      const { body } = await elsewhere.listRenewals({ query: { spaceId } });
      const mine = body.filter((entry) => entry.fqdnId === params.fqdnId && entry.isTest === true);
      expect(mine).toMatchObject([{ certificateId: first, status: 'completed' }]);
      expect((await elsewhere.listCertificates({ params })).body).toHaveLength(2);
    }
    await stack.start('cert-manager');
    expect((await sessionClient(stack.plan.urls['cert-manager'], session).getMe()).status).toBe(200);
  });
});

type Issued = Place & { readonly certificateId: string };

async function issue(clients: Clients, spaceId: string, hostname: string): Promise<Issued> {
  const { id: fqdnId } = await addFqdn(clients, spaceId, hostname);
  const place = { spaceId, fqdnId };
  await uploadCsr(clients, place, hostname, await makeCsr(hostname));
  return { ...place, certificateId: (await signCsr(clients, place)).id };
}
