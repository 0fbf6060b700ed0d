import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addFqdn, makeCsr, makeSpace, signCsr, uploadCsr } from '../../src/main-job.js';
import { type OneProcess, startOneProcess } from '../support/one-process.js';

const second = 1000;
const minute = 60 * second;

/** An FQDN with a certificate, in a space of its own. */
async function certifiedFqdn({ clients }: OneProcess, hostname: string) {
  const { id: spaceId } = await makeSpace(clients, hostname);
  const params = { spaceId, fqdnId: (await addFqdn(clients, spaceId, hostname)).id };
  await uploadCsr(clients, params, hostname, await makeCsr(hostname));
  await signCsr(clients, params);
  return params;
}

async function findCheck({ clients }: OneProcess, slug: string) {
  return (await clients.monitor.listChecks({ query: { slug } })).body.checks[0];
}

/** All checks of the project with this key. */
async function checksOf({ monitorOf }: OneProcess, apiKey: string) {
  return (await monitorOf(apiKey).listChecks({})).body.checks;
}

describeEachDialect('a part that stops', (open) => {
  let place: OneProcess;
  beforeAll(async () => {
    place = await startOneProcess(open);
  });
  afterAll(() => place.close());

  /** The monitor's messages when so much time has passed in which nothing of cert-manager ran. */
  const messagesAfter = async (ms: number) => {
    place.clock.advance(ms);
    await place.tick();
    return place.alerts().map((message) => message.split(':').slice(0, -1).join(':'));
  };

  test.each([
    [
      'the renewal queue',
      'CertLoop cert-manager',
      60,
      (stack: OneProcess) => stack.manager.jobs.run('renewals'),
    ],
    [
      'asking CAs for advice',
      'CertLoop cert-manager: renewal advice',
      300,
      (stack: OneProcess) => stack.manager.jobs.run('renewals.advice'),
    ],
    [
      'the prober',
      'CertLoop cert-manager: served certificates',
      300,
      (stack: OneProcess) => stack.manager.jobs.run('targets'),
    ],
  ])('is announced by the monitor after two and a half periods: %s', async (_, name, period, run) => {
    await run(place);
    const bound = period * 2.5 * second;
    expect(await messagesAfter(bound - second)).not.toContainEqual(
      expect.stringContaining(`${name} is down`),
    );
    place.clock.advance(2 * second);
    await place.tick();
    expect(place.alerts()).toContainEqual(expect.stringMatching(new RegExp(`^${name} is down`)));
    await run(place);
    await place.tick();
    expect(place.alerts()).toContainEqual(expect.stringMatching(new RegExp(`^${name} is up`)));
  });

  test('is announced by the monitor: cert-manager, if it is ready again and again but ends before a run', async () => {
    await place.manager.jobs.run('renewals');
    await place.tick();
    place.alerts();
    for (let minutes = 0; minutes < 3; minutes += 1) {
      place.clock.advance(minute);
      await place.restartManager({});
      await place.tick();
    }
    expect(place.alerts()).toContainEqual(expect.stringMatching(/^CertLoop cert-manager is down/));
    await place.manager.jobs.run('renewals');
    await place.tick();
    expect(place.alerts()).toContainEqual(expect.stringMatching(/^CertLoop cert-manager is up/));
  });

  test('fails the renewal queue: the canary of the monitor', async () => {
    await place.manager.jobs.run('watch.canary');
    await place.manager.jobs.run('renewals');
    await place.tick();
    place.alerts();
    // its next step is due in ten minutes, and fails the queue ten minutes later
    for (const [minutes, count] of [
      [19, 0],
      [2, 1],
    ] as const) {
      place.clock.advance(minutes * minute);
      await place.manager.jobs.run('renewals');
      await place.tick();
      const isDown = /^CertLoop cert-manager is down: .*the canary of the monitor has been due since/;
      expect(place.alerts().filter((message) => isDown.test(message))).toHaveLength(count);
    }
  });

  test('is announced by the monitor within its grace: one renewal', async () => {
    const params = await certifiedFqdn(place, 'renewed.example.test');
    await place.clients.manager.setRenewalEnabled({ params, body: { renewalEnabled: true } });
    await place.manager.jobs.run('watch.sweep');
    await place.manager.jobs.run('watch');
    const { plan } = (await place.clients.manager.explainRenewal({ params })).body;
    const check = await findCheck(place, `certloop-fqdn-${params.fqdnId}`);
    const dueAt = Date.parse(plan?.renewAt ?? '');
    const graceMs = Number(check?.grace) * second;
    expect(graceMs).toBeLessThanOrEqual(24 * 60 * minute);
    // nothing renews it
    place.clock.set(new Date(dueAt + graceMs - 2 * minute));
    await place.tick();
    const isDown = expect.stringMatching(/^renewed\.example\.test .* is down/);
    expect(place.alerts()).not.toContainEqual(isDown);
    place.clock.set(new Date(dueAt + graceMs + 2 * minute));
    await place.tick();
    expect(place.alerts()).toContainEqual(isDown);
  });
});

describeEachDialect('the monitor itself', (open) => {
  let place: OneProcess;
  beforeAll(async () => {
    place = await startOneProcess(open);
  });
  afterAll(() => place.close());

  /** So many minutes of both services, with the monitor's alert loop or without. */
  const pass = async (minutes: number, { isLoopRunning = true } = {}) => {
    for (let count = 0; count < minutes; count += 1) {
      place.clock.advance(minute);
      await place.manager.jobs.run('renewals');
      await place.manager.jobs.run('watch.canary');
      if (isLoopRunning) await place.tick();
    }
  };
  const canary = () => findCheck(place, 'certloop-canary');

  test('is well: the canary goes down and is paused, no one is notified, and addresses elsewhere are called', async () => {
    await pass(5);
    expect(await canary()).toMatchObject({ status: 'down', channels: '', tags: 'certloop-internal' });
    await pass(8);
    expect(await canary()).toMatchObject({ status: 'paused' });
    await pass(60);
    expect(await canary()).toMatchObject({ status: 'paused', n_pings: 2 });
    expect(await place.notices()).toEqual([]);
    expect(place.alerts().filter((message) => message.startsWith('CertLoop canary'))).toEqual([]);
    expect(place.pinged()).toBe(73);
  });

  test('answers but raises no alerts: monitor.blind within 70 minutes, monitor.back when it raises them again', async () => {
    await pass(70, { isLoopRunning: false });
    const events = await place.notices();
    expect(events).toMatchObject([{ type: 'monitor.blind', subject: 'check-monitor' }]);
    expect(events[0]?.data['message']).toContain('it raises no alerts. Restart it');
    await pass(65, { isLoopRunning: false });
    expect(await place.notices()).toEqual([]);
    await pass(75);
    expect(await place.notices()).toMatchObject([{ type: 'monitor.back', data: { reason: 'blind' } }]);
  });

  test('has a canary that people changed: it is ignored, and its settings are restored', async () => {
    const found = await canary();
    const id = found !== undefined && 'uuid' in found ? found.uuid : '';
    await place.clients.monitor.updateCheck({ params: { id }, body: { timeout: 86_400 } });
    await pass(75);
    expect(await place.notices()).toEqual([]);
    expect(await canary()).toMatchObject({ timeout: 60, grace: 60 });
  });

  test('rejects the key: monitor.away within ten minutes, although it accepts pings', async () => {
    await place.replaceKey();
    await pass(10);
    const away = (await place.notices()).filter(({ type }) => type === 'monitor.away');
    expect(away).toMatchObject([{ data: { reason: 'key_refused' } }]);
    expect(away[0]?.data['message']).toContain('check CHECK_MONITOR_API_KEY');
    const { status, monitor } = (await place.clients.manager.getHealth()).body;
    expect({ status, answers: monitor?.answers }).toEqual({ status: 'ok', answers: false });
    // the canary has the same key here
    await pass(85);
    expect((await place.notices()).map(({ type }) => type)).toContain('monitor.blind');
  });
});

describeEachDialect('the canary', (open) => {
  let place: OneProcess;
  beforeAll(async () => {
    place = await startOneProcess(open);
  });
  afterAll(() => place.close());

  const pass = async (minutes: number) => {
    for (let passed = 0; passed < minutes; passed += 1) {
      place.clock.advance(minute);
      await place.manager.jobs.run('watch.canary');
      await place.tick();
    }
  };
  const canary = () => findCheck(place, 'certloop-canary');
  const withoutNotices = { NOTICE_WEBHOOK_URL: undefined, NOTICE_WEBHOOK_SECRET: undefined };

  test('moves to the project of its own key, and deletes the old check', async () => {
    await pass(3);
    expect(await canary()).toBeDefined();
    const key = await place.otherProjectKey();
    await place.restartManager({ CHECK_MONITOR_CANARY_API_KEY: key });
    await pass(75);
    expect(await canary()).toBeUndefined();
    expect(await checksOf(place, key)).toMatchObject([{ slug: 'certloop-canary' }]);
    expect(await place.notices()).toEqual([]);
  });

  test('moves back when the key is removed', async () => {
    await place.restartManager({});
    await pass(75);
    expect(await canary()).toBeDefined();
    expect(await place.notices()).toEqual([]);
  });

  test('is deleted when no one has to be notified, once the monitor accepts the key', async () => {
    await place.restartManager({ ...withoutNotices, CHECK_MONITOR_API_KEY: 'not its key' });
    await pass(1);
    expect(await canary()).toBeDefined();
    await place.restartManager(withoutNotices);
    await pass(1);
    expect(await canary()).toBeUndefined();
  });

  test('is created again with the destination', async () => {
    await place.restartManager({});
    await pass(1);
    expect(await canary()).toMatchObject({ status: 'up' });
  });
});

describeEachDialect('a monitor at its limit of checks', (open) => {
  test('is reported immediately: by one event for a certificate without renewal, by the queue for a renewed one', async () => {
    const place = await startOneProcess(open, { checkLimit: 1 });
    const pass = async () => {
      place.clock.advance(6 * minute);
      await place.manager.jobs.run('watch.sweep');
      await place.manager.jobs.run('watch');
      await place.manager.jobs.run('renewals');
      await place.tick();
    };
    await place.manager.jobs.run('renewals');
    await certifiedFqdn(place, 'expiring.example.test');
    await pass();
    const news = async () => (await place.notices()).filter(({ type }) => type.startsWith('monitor.'));
    expect(await news()).toMatchObject([
      { type: 'monitor.away', data: { reason: 'no_room', renewal: 0, expiry: 1 } },
    ]);
    expect(await findCheck(place, 'certloop-cert-manager')).toMatchObject({ status: 'up' });
    place.alerts();
    const params = await certifiedFqdn(place, 'renewed.example.test');
    await place.clients.manager.setRenewalEnabled({ params, body: { renewalEnabled: true } });
    await pass();
    expect(await news()).toEqual([]);
    expect(place.alerts()).toContainEqual(
      expect.stringMatching(/^CertLoop cert-manager is down: .*1 certificates with renewal on have no check/),
    );
    await place.close();
  });
});
