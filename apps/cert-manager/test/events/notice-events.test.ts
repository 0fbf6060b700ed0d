import type { Fqdn } from '@certloop/contracts';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { insertEvent } from '../../src/events/events.repository.js';
import { startAppOn, type TestApp } from '../support/app.js';
import { pathOf } from '../support/inventory.js';
import { type HookReceiver, startHookReceiver } from '../support/monitor/notice-receivers.js';
import { startWatched, type WatchedPlace } from '../support/monitor/watched-place.js';
import type { WatchingMonitor } from '../support/monitor/watching-monitor.js';
import {
  addTestRenewal,
  certificatesOf,
  clearInventory,
  moveToRenewal,
  openEntryOf,
  type RenewalPlace,
  renewedFqdn,
  signWith,
  switchRenewal,
} from '../support/renewals.js';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

describeEachDialect('events for notices', (open) => {
  let hook: HookReceiver;
  let watched: WatchedPlace;
  let monitor: WatchingMonitor;
  let place: RenewalPlace;
  let app: TestApp;
  let other: TestApp;
  beforeAll(async () => {
    hook = await startHookReceiver();
    const notices = {
      NOTICE_WEBHOOK_URL: hook.url,
      NOTICE_WEBHOOK_SECRET: hook.secret,
      METRICS_OPEN: 'true',
    };
    watched = await startWatched(open, notices);
    ({ monitor, place } = watched);
    app = place.app;
    const beside = { ...notices, ...monitor.environment, DUMMY_CA_URL: place.ca.url };
    other = await startAppOn(app.database, { environment: beside, beside: app });
  });
  beforeEach(() => {
    hook.hooks.length = 0;
  });
  afterEach(async () => {
    place.ca.answer('normally');
    monitor.failing = undefined;
    await clearInventory(app);
  });
  afterAll(async () => {
    await other.close();
    await watched.close();
    await hook.close();
  });

  const receivedOfAll = async () => {
    await app.sendNotices();
    return hook.hooks.splice(0).map(({ event }) => event);
  };
  /** Without the events of certificates that were stored. */
  const received = async () => {
    const events = await receivedOfAll();
    return events.filter(({ type }) => !['certificate.issued', 'certificate.renewed'].includes(type));
  };
  /** Tries the renewal when it is due, as often; moments of the next tries. */
  const failRenewal = async (fqdn: Fqdn, times: number) => {
    for (let count = 0; count < times; count += 1) {
      await moveToRenewal(app, fqdn);
      expect((await app.renew()).failed).toHaveLength(1);
    }
  };

  test('include certificate.issued or certificate.renewed for each stored certificate', async () => {
    const fqdn = await renewedFqdn(place);
    const others = [await renewedFqdn(place, 'a.example.org'), await renewedFqdn(place, 'b.example.org')];
    const issued = await receivedOfAll();
    expect(issued.map(({ subject }) => subject).sort()).toEqual([fqdn, ...others].map(({ id }) => id).sort());
    const event = issued.find(({ subject }) => subject === fqdn.id);
    const [first] = await certificatesOf(app, fqdn);
    const facts = { fqdn: fqdn.fqdn, fqdnId: fqdn.id, spaceId: fqdn.spaceId };
    expect(event).toMatchObject({
      type: 'certificate.issued',
      data: { ...facts, certificateId: first?.id, expiresAt: first?.expiresAt, imported: false },
    });
    expect(JSON.stringify(event)).not.toContain('BEGIN');

    await moveToRenewal(app, fqdn);
    app.clock.advance(2 * day);
    expect((await app.renew()).renewed).toBe(3);
    const renewed = await receivedOfAll();
    expect(renewed.map(({ type }) => type)).toEqual(Array(3).fill('certificate.renewed'));
    const second = (await certificatesOf(app, fqdn)).at(-1);
    expect(renewed.find(({ subject }) => subject === fqdn.id)?.data).toMatchObject({
      ...facts,
      certificateId: second?.id,
      message: `A certificate of ${fqdn.fqdn} was renewed; it is valid until ${second?.expiresAt}. Install it where its private key is.`,
    });
  });

  test('include certificate.revoked with the reason for each certificate that its CA revokes', async () => {
    const fqdn = await renewedFqdn(place);
    await signWith(place, fqdn);
    const [old, newest] = await certificatesOf(app, fqdn);
    await receivedOfAll();
    for (const certificate of [old, newest]) {
      const path = pathOf(fqdn, `certificates/${certificate?.id}/revoke`);
      const asked = app.request.post(path).set(app.people.ada.auth).send({ reason: 'keyCompromise' });
      await asked.expect(200);
      expect(await receivedOfAll()).toMatchObject([
        {
          type: 'certificate.revoked',
          subject: fqdn.id,
          data: { certificateId: certificate?.id, reason: 'keyCompromise', fqdn: fqdn.fqdn },
        },
      ]);
    }
  });

  test('include certificate.failed after four temporary failures, and then once a day', async () => {
    const fqdn = await renewedFqdn(place);
    place.ca.answer('with a fault');
    await failRenewal(fqdn, 3);
    expect(await received()).toEqual([]);
    await failRenewal(fqdn, 1);
    const { scheduledAt, certificateId } = await openEntryOf(app, fqdn);
    const [failed, ...others] = await received();
    expect(others).toEqual([]);
    const data = failed?.data ?? {};
    expect(failed).toMatchObject({ type: 'certificate.failed', subject: fqdn.id });
    expect(data).toMatchObject({
      fqdn: fqdn.fqdn,
      fqdnId: fqdn.id,
      spaceId: fqdn.spaceId,
      certificateId,
      attempt: 4,
    });
    expect(data).toMatchObject({ reason: 'the CA failed: signing failed', nextTryAt: scheduledAt });
    expect(data['message']).toBe(
      `The certificate of ${fqdn.fqdn} could not be renewed (try 4): the CA failed: signing failed. The next try is at ${scheduledAt}; see the explanation of its renewal.`,
    );
    expect(JSON.stringify(failed)).not.toContain('BEGIN');
    const before = app.clock.now().getTime();
    await failRenewal(fqdn, 4);
    const days = Math.ceil((app.clock.now().getTime() - before) / day);
    const more = (await received()).length;
    expect([more >= 1, more <= days + 1]).toEqual([true, true]);
  });

  test('do not include certificate.failed for a test renewal', async () => {
    const fqdn = await renewedFqdn(place);
    place.ca.answer('with a refusal');
    await addTestRenewal(app, fqdn);
    expect((await app.renew()).failed).toHaveLength(1);
    expect(await received()).toEqual([]);
  });

  test('include certificate.expiring once, when the check fails, if it is not renewed', async () => {
    const fqdn = await renewedFqdn(place);
    await switchRenewal(app, fqdn, false);
    // a third of its lifetime is left, and the grace is a day
    app.clock.advance(21 * day - 2 * hour);
    await app.sweepNotices();
    expect(await received()).toEqual([]);
    app.clock.advance(3 * hour);
    await Promise.all([app.sweepNotices(), other.sweepNotices()]);
    await app.sweepNotices();
    const [expiring, ...others] = await received();
    expect(others).toEqual([]);
    expect(expiring).toMatchObject({ type: 'certificate.expiring', subject: fqdn.id });
    expect(expiring?.data).toMatchObject({ fqdn: fqdn.fqdn, renewalEnabled: false });
    expect(expiring?.data['message']).toMatch(/expires on 20.*, and it is not renewed: switch renewal on/);
  });

  test('do not include certificate.expiring while the expiry is accepted', async () => {
    const fqdn = await renewedFqdn(place);
    await switchRenewal(app, fqdn, false);
    const until = new Date(app.clock.now().getTime() + 25 * day).toISOString();
    const path = pathOf(fqdn, 'expiry-accepted');
    await app.request.put(path).set(app.people.ada.auth).send({ accepted: true, until }).expect(200);
    app.clock.advance(21 * day);
    await app.sweepNotices();
    expect(await received()).toEqual([]);
    app.clock.advance(4 * day);
    await app.sweepNotices();
    expect(await received()).toMatchObject([{ type: 'certificate.expiring', subject: fqdn.id }]);
  });

  test('include certificate.expiring when the check fails if the renewal never ran', async () => {
    const fqdn = await renewedFqdn(place);
    const shown = await app.request.get(pathOf(fqdn, '').slice(0, -1)).set(app.people.ada.auth).expect(200);
    const attentionAt = Date.parse(shown.body.status.attentionAt);
    app.clock.set(new Date(attentionAt - 1));
    await app.sweepNotices();
    expect(await received()).toEqual([]);
    app.clock.advance(1);
    await app.sweepNotices();
    expect(await received()).toMatchObject([
      { type: 'certificate.expiring', data: { renewalEnabled: true } },
    ]);
    app.clock.advance(3 * day);
    await app.sweepNotices();
    expect(await received()).toEqual([]);
  });

  test('include monitor.away once after ten minutes without a response, and then monitor.back', async () => {
    const beat = async () => {
      await Promise.all([app.runRenewalJob(), other.runRenewalJob()]);
      app.clock.advance(minute);
    };
    await beat();
    monitor.failing = { path: /ping|checks/, status: 503 };
    for (let count = 0; count < 10; count += 1) await beat();
    expect(await received()).toEqual([]);
    await beat();
    const away = await received();
    expect(away).toMatchObject([{ type: 'monitor.away', subject: 'check-monitor' }]);
    expect(away[0]?.data['message']).toContain('does not answer: start it, or check CHECK_MONITOR_URL.');
    for (let count = 0; count < 20; count += 1) await beat();
    expect(await received()).toEqual([]);
    monitor.failing = undefined;
    await beat();
    await beat();
    expect((await received()).map(({ type }) => type)).toEqual(['monitor.back']);
  });

  test('are reported to a separate check: one ping a minute for the sending of notices', async () => {
    const job = () => {
      const found = monitor
        .checks()
        .find(({ settings }) => settings['slug'] === 'certloop-cert-manager-notices');
      return found?.pings.splice(0) ?? [];
    };
    const run = async (ms: number) => {
      app.clock.advance(ms);
      await app.sendNotices();
      return job().map(({ signal }) => signal);
    };
    await run(minute);
    expect(await run(minute)).toEqual(['start', 'success']);
    expect(await run(minute - 1)).toEqual([]);
    expect(await run(1)).toEqual(['start', 'success']);

    hook.failing = { status: 500 };
    await app.database.transaction(async (tx) => {
      const event = { type: 'certificate.failed', subject: 'www', data: { message: 'news' } } as const;
      await insertEvent(tx, event, { destinations: ['webhook'], now: app.clock.now() });
    });
    expect(await run(59 * minute)).toEqual(['start', 'success']);
    app.clock.advance(2 * minute);
    await app.sendNotices();
    expect(job()).toMatchObject([
      { signal: 'start' },
      { signal: 'fail', body: expect.stringContaining('The oldest notice by webhook has waited since') },
    ]);
    hook.failing = undefined;
    expect(await run(5 * hour)).toEqual(['start', 'success']);
    expect(await received()).toHaveLength(1);
  });

  test('include monitor.away within ten minutes of a rejected key, even if pings are accepted', async () => {
    const beat = async (minutes: number) => {
      for (let count = 0; count < minutes; count += 1) {
        app.clock.advance(minute);
        await Promise.all([app.runRenewalJob(), other.runRenewalJob()]);
      }
    };
    await beat(3);
    monitor.failing = { path: /checks/, status: 401 };
    await beat(10);
    const away = await received();
    expect(away).toMatchObject([{ type: 'monitor.away', data: { reason: 'key_refused' } }]);
    expect(away[0]?.data['message']).toContain('refuses the key: check CHECK_MONITOR_API_KEY.');
    await beat(10);
    expect(await received()).toEqual([]);
    monitor.failing = undefined;
    await beat(2);
    expect((await received()).map(({ type }) => type)).toEqual(['monitor.back']);
  });

  test('include monitor.away once if the monitor has no room; only FQDNs with renewal on fail the run', async () => {
    const pass = async () => {
      app.clock.advance(minute);
      await app.watch();
      await app.runRenewalJob();
    };
    const queue = () => monitor.checks().find(({ settings }) => settings['slug'] === 'certloop-cert-manager');
    // the checks of the tests before go
    await pass();
    await pass();
    monitor.limit = monitor.checks().length;
    const expiring = await renewedFqdn(place);
    await switchRenewal(app, expiring, false);
    await pass();
    await pass();
    const away = await received();
    expect(away).toMatchObject([
      { type: 'monitor.away', data: { reason: 'no_room', renewal: 0, expiry: 1 } },
    ]);
    expect(away[0]?.data['message']).toMatch(
      /no room for the checks of 1 certificates.*Raise its limit of checks/,
    );
    expect(queue()?.pings.at(-1)).toMatchObject({ signal: 'success' });
    const metrics = async () => (await app.request.get('/metrics')).text;
    expect(await metrics()).toMatch(/cert_manager_watch_no_room\{[^}]*mode="expiry"[^}]*\} 1/);
    await renewedFqdn(place, 'other.example.org');
    app.clock.advance(6 * minute);
    await pass();
    expect(await received()).toEqual([]);
    expect(queue()?.pings.at(-1)).toMatchObject({
      signal: 'fail',
      body: expect.stringContaining('1 certificates with renewal on have no check'),
    });
    monitor.limit = Number.POSITIVE_INFINITY;
    app.clock.advance(31 * minute);
    await pass();
    app.clock.advance(31 * minute);
    await pass();
    expect(await received()).toMatchObject([{ type: 'monitor.back', data: { reason: 'no_room' } }]);
    expect(queue()?.pings.at(-1)).toMatchObject({ signal: 'success' });
  });

  test('do not include monitor.away while one process reaches the monitor', async () => {
    await other.runRenewalJob();
    for (let count = 0; count < 15; count += 1) {
      monitor.failing = { path: /ping|checks/, status: 503 };
      await app.runRenewalJob();
      monitor.failing = undefined;
      await other.runRenewalJob();
      app.clock.advance(minute);
    }
    expect(await received()).toEqual([]);
  });
});
