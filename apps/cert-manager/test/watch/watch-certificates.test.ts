import type { Fqdn } from '@certloop/contracts';
import { describeEachDialect } from '@certloop/db/testing';
import { createLogger } from '@certloop/server';
import { afterAll, afterEach, beforeAll, beforeEach, expect, jest, test } from '@jest/globals';
import { certificates } from '../../src/certificates/certificates.repository.js';
import type { Provider } from '../../src/providers/provider.js';
import { askAdvice } from '../../src/renewals/advice/ask-advice.service.js';
import { watchPings } from '../../src/watch/pings/watch-pings.repository.js';
import { createWatchEvents } from '../../src/watch/watch-events.service.js';
import { watchedFqdns } from '../../src/watch/watched-fqdns.repository.js';
import { startAppOn, type TestApp } from '../support/app.js';
import { addCsr, addFqdn, pathOf } from '../support/inventory.js';
import { clearWatched, startWatched, type WatchedPlace } from '../support/monitor/watched-place.js';
import { startWatchingMonitor, type WatchingMonitor } from '../support/monitor/watching-monitor.js';
import {
  addTestRenewal,
  certificatesOf,
  clearInventory,
  issuedFqdn,
  issueForDays,
  moveToRenewal,
  openEntryOf,
  type RenewalPlace,
  renewedFqdn,
  signWith,
  startRenewing,
  switchRenewal,
} from '../support/renewals.js';
import { fqdnWithCsr, newCsr, providerOf } from '../support/signing.js';

jest.setTimeout(60_000);

const minute = 60_000;
const day = 1440 * minute;

describeEachDialect('the watch of certificates', (open) => {
  let watched: WatchedPlace;
  let monitor: WatchingMonitor;
  let place: RenewalPlace;
  let app: TestApp;
  beforeAll(async () => {
    watched = await startWatched(open);
    ({ monitor, place } = watched);
    app = place.app;
  });
  beforeEach(() => {
    monitor.asked.length = 0;
  });
  afterEach(async () => {
    await clearWatched(watched);
    expect(await app.database.read((tx) => tx.count(watchedFqdns))).toBe(0);
    expect(await app.database.read((tx) => tx.count(watchPings))).toBe(0);
    expect(monitor.checks()).toEqual([]);
  });
  afterAll(() => watched.close());

  const signals = () => monitor.check().pings.map(({ signal }) => signal);
  const lastBody = () => monitor.check().pings.at(-1)?.body;
  const events = () => app.logged().map(({ event }) => event);
  const secondsTo = (text: string) => Math.ceil((Date.parse(text) - app.clock.now().getTime()) / 1000);

  const revokeNewest = async (fqdn: Fqdn, reason: string) => {
    const newest = (await certificatesOf(app, fqdn)).at(-1);
    const path = pathOf(fqdn, `certificates/${newest?.id}/revoke`);
    await app.request.post(path).set(app.people.ada.auth).send({ reason }).expect(200);
    await app.watch();
  };

  test('expects a success within 5 minutes after a revocation that a renewal follows', async () => {
    const fqdn = await renewedFqdn(place);
    await app.watch();
    app.clock.advance(day);
    await revokeNewest(fqdn, 'superseded');
    expect(signals()).toEqual(['success', 'log']);
    expect(lastBody()).toMatch(/^revoked \(superseded\): serial \w+; a new one is ordered at once$/);
    expect(monitor.check().settings).toMatchObject({ timeout: day / 1000, grace: 300 });
    await app.renew();
    await app.watch();
    expect(signals()).toEqual(['success', 'log', 'success']);
    expect(monitor.check().settings).toMatchObject({ grace: 86_400 });
  });

  test('turns a check down at once when a key is compromised and no other CSR is there', async () => {
    const fqdn = await renewedFqdn(place);
    await app.watch();
    await revokeNewest(fqdn, 'keyCompromise');
    expect(signals()).toEqual(['success', 'fail']);
    expect(lastBody()).toContain('revoked (keyCompromise)');
    await addCsr(app, fqdn, await newCsr(fqdn.fqdn));
    await app.renew();
    await app.watch();
    expect(signals()).toEqual(['success', 'fail', 'success']);
  });

  test('begins with a failure for a certificate that is revoked', async () => {
    const fqdn = await issuedFqdn(place);
    await revokeNewest(fqdn, 'superseded');
    monitor.forget();
    await switchRenewal(app, fqdn, true);
    await app.watch();
    expect(signals()).toEqual(['fail']);
    await app.renew();
    await app.watch();
    expect(signals()).toEqual(['fail', 'success']);
  });

  test('makes a check that expects the next ping when the renewal is due', async () => {
    const fqdn = await renewedFqdn(place);
    await app.watch();
    const { scheduledAt } = await openEntryOf(app, fqdn);
    expect(monitor.check().settings).toEqual({
      name: 'www.example.org (space)',
      slug: `certloop-fqdn-${fqdn.id}`,
      tags: 'certloop certificate space-space',
      desc: expect.stringContaining('www.example.org'),
      timeout: secondsTo(scheduledAt),
      grace: 86_400,
      channels: '*',
      unique: ['slug'],
    });
    expect(signals()).toEqual(['success']);
    expect(lastBody()).toMatch(/^watched: serial [0-9a-f]+, issuer .*, valid until .*; to be renewed on /);
    expect(lastBody()).toContain(scheduledAt);
  });

  test('says nothing again that the monitor knows, until a day has passed', async () => {
    await renewedFqdn(place);
    await app.watch();
    monitor.asked.length = 0;
    await app.watch();
    app.clock.advance(day - minute);
    await app.watch();
    expect(monitor.asked).toEqual([]);
    app.clock.advance(minute);
    await app.watch();
    expect(monitor.asked).toEqual(['POST /checks/*']);
  });

  test('assigns all integrations to a check that has none, at the daily look', async () => {
    monitor.channels = '';
    await renewedFqdn(place);
    await app.watch();
    expect(monitor.check().channels).toBe('');
    monitor.channels = 'added-later';
    app.clock.advance(day);
    monitor.asked.length = 0;
    await app.watch();
    expect(monitor.check().channels).toBe('added-later');
    expect(monitor.asked).toEqual(['POST /checks/*', 'POST /checks/*']);
    expect(monitor.check().settings).toMatchObject({ slug: expect.stringContaining('certloop-fqdn-') });
  });

  test('leaves the integrations of a check that has some', async () => {
    monitor.channels = 'chosen';
    await renewedFqdn(place);
    await app.watch();
    monitor.channels = 'chosen,another';
    app.clock.advance(day);
    await app.watch();
    expect(monitor.check().channels).toBe('chosen');
  });

  test('reports issued and renewed certificates, and moves the deadline', async () => {
    const fqdn = await renewedFqdn(place);
    await app.watch();
    await signWith(place, fqdn);
    await app.watch();
    expect(lastBody()).toMatch(/^issued: serial/);
    await moveToRenewal(app, fqdn);
    await app.renew();
    await app.watch();
    expect(signals()).toEqual(['success', 'success', 'success']);
    expect(lastBody()).toMatch(/^renewed: serial/);
    const { scheduledAt } = await openEntryOf(app, fqdn);
    expect(monitor.check().settings['timeout']).toBe(secondsTo(scheduledAt));
  });

  test('reports a failed renewal with its reason, and its success afterwards', async () => {
    const fqdn = await renewedFqdn(place);
    await app.watch();
    await moveToRenewal(app, fqdn);
    place.ca.answer('with a refusal');
    await app.renew();
    await app.watch();
    expect(signals()).toEqual(['success', 'fail']);
    expect(lastBody()).toMatch(/^renewal failed \(try 1\): \S/);
    place.ca.answer('normally');
    await moveToRenewal(app, fqdn);
    await app.renew();
    await app.watch();
    expect(signals()).toEqual(['success', 'fail', 'success']);
  });

  test('only logs what does not threaten the certificate: a refused request, a failed test', async () => {
    const fqdn = await renewedFqdn(place);
    await app.watch();
    place.ca.answer('with a refusal');
    await signWith(place, fqdn);
    await addTestRenewal(app, fqdn);
    await app.renew();
    await app.watch();
    expect(signals()).toEqual(['success', 'log', 'log']);
  });

  test('an FQDN without a certificate has a new check; a refused request turns it down', async () => {
    const { fqdn } = await fqdnWithCsr(app);
    await switchRenewal(app, fqdn, true);
    await app.watch();
    expect(monitor.check().settings).toMatchObject({ timeout: 31_536_000 });
    expect(signals()).toEqual([]);
    place.ca.answer('with a refusal');
    await signWith(place, fqdn);
    await app.watch();
    expect(signals()).toEqual(['fail']);
    place.ca.answer('normally');
    await signWith(place, fqdn);
    await app.watch();
    expect(signals()).toEqual(['fail', 'success']);
    const { scheduledAt } = await openEntryOf(app, fqdn);
    expect(monitor.check().settings['timeout']).toBe(secondsTo(scheduledAt));
  });

  test('a renewal more than a year away is a schedule that comes once, and a nearer one a timeout again', async () => {
    await issueForDays(place, 825);
    const fqdn = await issuedFqdn(place);
    await switchRenewal(app, fqdn, true);
    await app.watch();
    const { scheduledAt } = await openEntryOf(app, fqdn);
    expect(monitor.check().settings).toMatchObject({
      schedule: scheduledAt.slice(0, 19).replace('T', ' '),
      tz: 'UTC',
      grace: 86_400,
    });
    expect(monitor.check().settings).not.toHaveProperty('timeout');
    await switchRenewal(app, fqdn, true, { renewAfterFraction: 0.1 });
    await app.watch();
    expect(monitor.check().settings).toMatchObject({ timeout: expect.any(Number) });
  });

  test('moves the deadline with the share of the lifetime', async () => {
    const fqdn = await renewedFqdn(place);
    await app.watch();
    await switchRenewal(app, fqdn, true, { renewAfterFraction: 0.2 });
    await app.watch();
    const { scheduledAt } = await openEntryOf(app, fqdn);
    expect(monitor.check().settings['timeout']).toBe(secondsTo(scheduledAt));
    expect(signals()).toEqual(['success']);
  });

  test('moves the deadline with the advice of the CA', async () => {
    const fqdn = await renewedFqdn(place);
    await app.watch();
    await switchRenewal(app, fqdn, false);
    const { id: providerId } = await providerOf(app, 'acme');
    const { database: db, clock } = app;
    await db.transaction((tx) => tx.update(certificates, { fqdnId: fqdn.id }, { providerId }));
    await switchRenewal(app, fqdn, true);
    await app.watch();
    const start = new Date(clock.now().getTime() + 3 * day);
    const end = new Date(start.getTime() + minute);
    const provider = {
      adviseRenewal: async () => ({ start, end, explanationUrl: undefined, retryAt: undefined }),
    } as unknown as Provider;
    await askAdvice({
      db,
      clock,
      ...createWatchEvents(clock),
      logger: createLogger({ service: 'cert-manager', level: 'silent' }),
      opener: { open: () => provider, openForSigning: () => provider },
    });
    await app.watch();
    const { scheduledAt } = await openEntryOf(app, fqdn);
    expect(new Date(scheduledAt) >= start && new Date(scheduledAt) <= end).toBe(true);
    expect(monitor.check().settings['timeout']).toBe(secondsTo(scheduledAt));
  });

  test.each<[string, (spaceId: string, id: string) => string]>([
    ['the FQDN', (spaceId, id) => `/spaces/${spaceId}/fqdns/${id}`],
    ['the FQDNs of its space', (spaceId) => `/spaces/${spaceId}/fqdns`],
    ['every FQDN', () => '/fqdns?confirm=true'],
    ['its space', (spaceId) => `/spaces/${spaceId}?deleteFqdns=true`],
  ])('the check goes with %s', async (_, pathOfIt) => {
    const { id, spaceId } = await renewedFqdn(place);
    await app.watch();
    expect(monitor.checks()).toHaveLength(1);
    await app.request.delete(pathOfIt(spaceId, id)).set(app.people.ada.auth).expect(200);
    await app.watch();
    expect(monitor.checks()).toEqual([]);
  });

  test('the check waits for the end when renewal is switched off, and for the renewal when it is on again', async () => {
    const fqdn = await renewedFqdn(place);
    await app.watch();
    await moveToRenewal(app, fqdn);
    place.ca.answer('with a refusal');
    await app.renew();
    await app.watch();
    expect(signals()).toEqual(['success', 'fail']);
    await switchRenewal(app, fqdn, false);
    await app.watch();
    expect(signals()).toEqual(['success', 'fail', 'success']);
    expect(lastBody()).toMatch(/^watched: .*, no one renews it: /);
    await switchRenewal(app, fqdn, true);
    await app.watch();
    expect(signals()).toEqual(['success', 'fail', 'success', 'success']);
    expect(lastBody()).toMatch(/^watched: .*; to be renewed on /);
    await app.renew();
    await app.watch();
    monitor.forget();
    app.clock.advance(day);
    await app.watch();
    expect(monitor.check().pings).toEqual([
      { signal: 'fail', rid: expect.any(String), body: expect.stringMatching(/^renewal failed/) },
    ]);
  });

  test('the switch of a space takes its checks away and brings them back', async () => {
    const fqdn = await renewedFqdn(place);
    const other = await renewedFqdn(place, 'other.example.org');
    await app.watch();
    expect(monitor.checks()).toHaveLength(2);
    const put = (watchEnabled: boolean) =>
      app.request
        .put(`/spaces/${fqdn.spaceId}/watch-enabled`)
        .set(app.people.ada.auth)
        .send({ watchEnabled })
        .expect(200);
    await put(false);
    await app.watch();
    expect(monitor.check().settings['slug']).toBe(`certloop-fqdn-${other.id}`);
    await signWith(place, fqdn);
    await app.watch();
    expect(monitor.checks()).toHaveLength(1);
    await put(true);
    await app.watch();
    expect(monitor.checks()).toHaveLength(2);
  });

  test('an FQDN in an unwatched space has no check', async () => {
    const { body: space } = await app.request
      .post('/spaces')
      .set(app.people.ada.auth)
      .send({ name: 'quiet', watchEnabled: false })
      .expect(201);
    const fqdn = await addFqdn(app, space.id, 'quiet.example.org');
    await addCsr(app, fqdn, await newCsr('quiet.example.org'));
    await switchRenewal(app, fqdn, true);
    await signWith(place, fqdn);
    await app.watch();
    expect(monitor.checks()).toEqual([]);
    expect(monitor.asked.filter((line) => line !== 'GET /checks/')).toEqual([]);
  });

  test('equal names in two spaces have checks of their own', async () => {
    await renewedFqdn(place);
    await renewedFqdn(place);
    await app.watch();
    expect(new Set(monitor.checks().map(({ settings }) => settings['slug'])).size).toBe(2);
  });

  test('pings that a monitor did not take are sent later, in order, and say of when they are', async () => {
    const fqdn = await renewedFqdn(place);
    await app.watch();
    monitor.failing = { path: /./, status: 503 };
    await moveToRenewal(app, fqdn);
    const failedAt = app.clock.now().toISOString();
    place.ca.answer('with a refusal');
    await app.renew();
    await app.watch();
    place.ca.answer('normally');
    await moveToRenewal(app, fqdn);
    await app.renew();
    await app.watch();
    expect(await certificatesOf(app, fqdn)).toHaveLength(2);
    expect(signals()).toEqual(['success']);
    monitor.failing = undefined;
    app.clock.advance(10 * minute);
    await app.watch();
    expect(signals()).toEqual(['success', 'fail', 'success']);
    expect(monitor.check().pings[1]?.body).toContain(`(of ${failedAt}, sent late)`);
    expect(events().filter((event) => String(event).startsWith('watch.monitor'))).toEqual([
      'watch.monitor_away',
      'watch.monitor_back',
    ]);
  });

  test('asks a monitor that is away ever more seldom', async () => {
    await renewedFqdn(place);
    await renewedFqdn(place, 'other.example.org');
    monitor.failing = { path: /./, status: 500 };
    for (let count = 0; count < 60; count += 1) {
      await app.watch();
      app.clock.advance(minute);
    }
    // ten seconds, doubled to five minutes; two checks each time at most
    expect(monitor.asked.length).toBeLessThan(60);
    monitor.failing = undefined;
    app.clock.advance(60 * minute);
    await app.watch();
    expect(monitor.checks()).toHaveLength(2);
  });

  test('a lost answer makes no second check, and no third ping', async () => {
    await renewedFqdn(place);
    monitor.losing = /^POST \/checks\/$/;
    await app.watch();
    expect(monitor.checks()).toHaveLength(1);
    monitor.losing = undefined;
    app.clock.advance(minute);
    await app.watch();
    expect(monitor.checks()).toHaveLength(1);
    expect(signals()).toEqual(['success']);
  });

  test('a ping whose answer was lost is sent again by the same run id', async () => {
    const fqdn = await renewedFqdn(place);
    await app.watch();
    monitor.losing = /^POST \/ping/;
    await signWith(place, fqdn);
    await app.watch();
    monitor.losing = undefined;
    app.clock.advance(minute);
    await app.watch();
    const [, first, second] = monitor.check().pings;
    expect(signals()).toEqual(['success', 'success', 'success']);
    expect(second?.rid).toBe(first?.rid);
  });

  test('deletes a check whose making was not answered before its FQDN went', async () => {
    await renewedFqdn(place);
    monitor.losing = /^POST \/checks\/$/;
    await app.watch();
    monitor.losing = undefined;
    expect(monitor.checks()).toHaveLength(1);
    await clearInventory(app);
    app.clock.advance(10 * minute);
    await app.watch();
    expect(monitor.checks()).toEqual([]);
  });

  test('a check that someone deleted in the monitor is made anew', async () => {
    const fqdn = await renewedFqdn(place);
    await app.watch();
    const { uuid } = monitor.check();
    monitor.forget();
    await signWith(place, fqdn);
    await app.watch();
    expect(monitor.check().uuid).not.toBe(uuid);
    expect(signals()).toEqual(['success']);
    expect(lastBody()).toMatch(/^issued/);
  });

  test('a monitor without room for another check is logged once and asked again', async () => {
    monitor.limit = 1;
    await renewedFqdn(place);
    await app.watch();
    const before = events().length;
    for (const name of ['b', 'c', 'd']) await renewedFqdn(place, `${name}.example.org`);
    for (let count = 0; count < 12; count += 1) {
      await app.watch();
      app.clock.advance(10 * minute);
    }
    const logged = () =>
      events()
        .slice(before)
        .filter((event) => String(event).startsWith('watch.'));
    expect(logged().filter((event) => event === 'watch.no_room')).toEqual(['watch.no_room']);
    expect(monitor.checks()).toHaveLength(1);
    monitor.limit = 10;
    for (let count = 0; count < 6; count += 1) {
      app.clock.advance(10 * minute);
      await app.watch();
    }
    expect(monitor.checks()).toHaveLength(4);
    expect(logged().filter((event) => event === 'watch.room')).toEqual(['watch.room']);
  });

  test.each([401, 403, 404, 500])('goes on renewing when every call is answered with %i', async (status) => {
    const fqdn = await renewedFqdn(place);
    await app.watch();
    monitor.failing = { path: /./, status };
    await moveToRenewal(app, fqdn);
    expect(await app.renew()).toMatchObject({ renewed: 1 });
    await app.watch();
    expect(await certificatesOf(app, fqdn)).toHaveLength(2);
    monitor.failing = undefined;
    app.clock.advance(120 * minute);
    await app.watch();
    expect(lastBody()).toMatch(/^renewed/);
  });

  test('two processes send each ping once', async () => {
    const besides = await startAppOn(app.database, { beside: app, environment: monitor.environment });
    const fqdns = [];
    for (let count = 0; count < 5; count += 1) fqdns.push(await renewedFqdn(place, `n${count}.example.org`));
    await Promise.all([app.watch(), besides.watch()]);
    await app.watch();
    expect(monitor.checks().map(({ pings }) => pings.length)).toEqual([1, 1, 1, 1, 1]);
    await besides.close();
  });

  test('logs neither the key nor the uuid of a check', async () => {
    await renewedFqdn(place);
    await app.watch();
    const { uuid } = monitor.check();
    monitor.failing = { path: /./, status: 500 };
    app.clock.advance(day);
    await app.watch();
    const lines = JSON.stringify(app.logged());
    expect(lines).toContain('watch.monitor_away');
    for (const secret of [uuid, String(monitor.environment['CHECK_MONITOR_API_KEY'])])
      expect(lines).not.toContain(secret);
  });
});

describeEachDialect('certificates from before there was a monitor', (open) => {
  test('are watched when it is named, each once', async () => {
    const monitor = await startWatchingMonitor();
    const place = await startRenewing(open);
    await renewedFqdn(place);
    await fqdnWithCsr(place.app, 'without-certificate.example.org');
    await place.app.watch();
    expect(await place.app.database.read((tx) => tx.count(watchedFqdns))).toBe(0);
    const later = await startAppOn(place.app.database, {
      beside: place.app,
      environment: monitor.environment,
    });
    await later.watch();
    await later.watch();
    expect(monitor.check().pings).toHaveLength(1);
    await later.close();
    await place.close();
    await monitor.close();
  });
});
