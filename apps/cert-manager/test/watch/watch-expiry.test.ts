import type { Fqdn } from '@certloop/contracts';
import { excessMs } from '@certloop/contracts/testing';
import { openDatabase } from '@certloop/db';
import { describeEachDialect } from '@certloop/db/testing';
import { createLogger } from '@certloop/server';
import { LessThanOrEqual } from 'typeorm';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { certificates } from '../../src/certificates/certificates.repository.js';
import { schema } from '../../src/database.js';
import { fqdns } from '../../src/fqdns/fqdns.repository.js';
import { lacksWatch } from '../../src/watch/missing-watch.repository.js';
import { sweepWatch } from '../../src/watch/sweep-watch.service.js';
import { watchModeOf } from '../../src/watch/watch-mode.js';
import { watchedFqdns } from '../../src/watch/watched-fqdns.repository.js';
import { startAppOn, type TestApp } from '../support/app.js';
import { addFqdn, addSpace, auditEntries, pathOf } from '../support/inventory.js';
import { seedUnrenewed } from '../support/large-place.js';
import { clearWatched, startWatched, type WatchedPlace } from '../support/monitor/watched-place.js';
import type { WatchingMonitor } from '../support/monitor/watching-monitor.js';
import {
  certificatesOf,
  explanationOf,
  issuedFqdn,
  issueForDays,
  type RenewalPlace,
  renewedFqdn,
  signWith,
  startRenewing,
  switchRenewal,
} from '../support/renewals.js';
import { fqdnWithCsr } from '../support/signing.js';

const minute = 60_000;
const day = 1440 * minute;

describeEachDialect('the watch of certificates that no one renews', (open) => {
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
    expect(monitor.checks()).toEqual([]);
  });
  afterAll(() => watched.close());

  const newestOf = async (fqdn: Fqdn) => {
    const newest = (await certificatesOf(app, fqdn)).at(-1);
    return { end: Date.parse(String(newest?.expiresAt)), id: String(newest?.id) };
  };
  const put = (fqdn: Fqdn, body: object) =>
    app.request.put(pathOf(fqdn, 'expiry-accepted')).set(app.people.ada.auth).send(body);
  const shown = async ({ id, spaceId }: Fqdn) => {
    const { body } = await app.request.get(`/spaces/${spaceId}/fqdns`).set(app.people.ada.auth).expect(200);
    return (body as Fqdn[]).find((one) => one.id === id);
  };
  const signals = () => monitor.check().pings.map(({ signal }) => signal);
  const lastBody = () => monitor.check().pings.at(-1)?.body;
  const secondsTo = (moment: number) => Math.ceil((moment - app.clock.now().getTime()) / 1000);

  test('expects another certificate a third of the lifetime before the expiry, and says what to do', async () => {
    const fqdn = await issuedFqdn(place);
    await app.watch();
    const { end } = await newestOf(fqdn);
    const { settings } = monitor.check();
    expect(Math.abs(Number(settings['timeout']) - secondsTo(end - 10 * day))).toBeLessThan(60);
    expect(settings).toMatchObject({ grace: 86_400, desc: expect.stringContaining('no one renews it') });
    expect(signals()).toEqual(['success']);
    expect(lastBody()).toMatch(
      /^issued: serial [0-9a-f]+, issuer .*; expires on .*, no one renews it: upload/,
    );
    expect(lastBody()).toContain(new Date(end).toISOString());
    expect(await explanationOf(app, fqdn)).toMatchObject({ watched: 'expiry', outlook: 'switched_off' });
  });

  test('expects it 30 days before the expiry of a long-lived certificate, and later after each new one', async () => {
    await issueForDays(place, 300);
    const fqdn = await issuedFqdn(place);
    await app.watch();
    const { end } = await newestOf(fqdn);
    const first = Number(monitor.check().settings['timeout']);
    expect(Math.abs(first - secondsTo(end - 30 * day))).toBeLessThan(60);
    app.clock.advance(100 * day);
    await signWith(place, fqdn);
    await app.watch();
    expect(signals()).toEqual(['success', 'success']);
    expect(Math.abs(Number(monitor.check().settings['timeout']) - first)).toBeLessThan(60);
  });

  test('fails at once if the time to act has already passed', async () => {
    const fqdn = await issuedFqdn(place);
    const { end } = await newestOf(fqdn);
    await app.watch();
    monitor.forget();
    app.clock.set(new Date(end - 9 * day + minute));
    await app.watch();
    expect(monitor.check().pings).toEqual([
      { signal: 'fail', rid: expect.any(String), body: expect.stringMatching(/^expires on .*no one renews/) },
    ]);
  });

  test('fails at once when the newest certificate is revoked, and ends with a new one', async () => {
    const fqdn = await issuedFqdn(place);
    await app.watch();
    const { id } = await newestOf(fqdn);
    const path = pathOf(fqdn, `certificates/${id}/revoke`);
    await app.request.post(path).set(app.people.ada.auth).send({ reason: 'superseded' }).expect(200);
    await app.watch();
    expect(signals()).toEqual(['success', 'fail']);
    expect(lastBody()).toMatch(/^revoked \(superseded\): .*no one orders a new one/);
    await signWith(place, fqdn);
    await app.watch();
    expect(signals()).toEqual(['success', 'fail', 'success']);
  });

  test('ends 30 days after the expiry', async () => {
    const fqdn = await issuedFqdn(place);
    await app.watch();
    const { end } = await newestOf(fqdn);
    app.clock.set(new Date(end + 30 * day - minute));
    await app.watch();
    expect(monitor.checks()).toHaveLength(1);
    app.clock.advance(day);
    await app.watch();
    expect(monitor.checks()).toEqual([]);
    expect(await explanationOf(app, fqdn)).toMatchObject({ watched: 'no' });
  });

  test('does not begin without a certificate', async () => {
    const { fqdn } = await fqdnWithCsr(app);
    await app.watch();
    expect(monitor.asked).toEqual([]);
    expect(await explanationOf(app, fqdn)).toMatchObject({ watched: 'no' });
  });

  test('has no check while the expiry is accepted, and one afterwards', async () => {
    const fqdn = await issuedFqdn(place);
    await app.watch();
    expect(await shown(fqdn)).not.toHaveProperty('expiryAcceptedUntil');
    const until = new Date(app.clock.now().getTime() + 5 * day).toISOString();
    const { body } = await put(fqdn, { accepted: true, until }).expect(200);
    expect(body).toEqual({ ...fqdn, expiryAcceptedUntil: until });
    expect(await shown(fqdn)).toEqual(body);
    expect((await auditEntries(app, 'fqdn.expiry')).at(-1)).toMatchObject({
      outcome: 'success',
      resourceId: fqdn.id,
      details: { fqdn: fqdn.fqdn, before: { accepted: false }, after: { accepted: true, until } },
    });
    await app.watch();
    expect(monitor.checks()).toEqual([]);
    expect(await explanationOf(app, fqdn)).toMatchObject({ watched: 'accepted' });
    await signWith(place, fqdn);
    await app.watch();
    expect(monitor.checks()).toEqual([]);
    app.clock.advance(5 * day);
    await app.watch();
    expect(signals()).toEqual(['success']);
    expect(await explanationOf(app, fqdn)).toMatchObject({ watched: 'expiry' });
  });

  test('has its check again when the expiry is no longer accepted', async () => {
    const fqdn = await issuedFqdn(place);
    const { end } = await newestOf(fqdn);
    const { body } = await put(fqdn, { accepted: true }).expect(200);
    expect(body.expiryAcceptedUntil).toBe(new Date(end).toISOString());
    await app.watch();
    expect(monitor.checks()).toEqual([]);
    expect((await put(fqdn, { accepted: false }).expect(200)).body).toEqual(fqdn);
    await app.watch();
    expect(signals()).toEqual(['success']);
    await put(fqdn, { accepted: false }).expect(200);
    await app.watch();
    expect(signals()).toEqual(['success']);
  });

  test('removes the acceptance when renewal is switched on', async () => {
    const fqdn = await issuedFqdn(place);
    await put(fqdn, { accepted: true }).expect(200);
    await switchRenewal(app, fqdn, true);
    expect(await shown(fqdn)).toEqual({ ...fqdn, renewalEnabled: true });
    await app.watch();
    expect(signals()).toEqual(['success']);
    expect(lastBody()).toContain('; to be renewed on ');
    expect(await explanationOf(app, fqdn)).toMatchObject({ watched: 'renewal' });
  });

  test.each<[string, object, string]>([
    ['in the past', { accepted: true, until: '2026-01-01T00:00:00Z' }, 'until: must be in the future'],
    ['too far off', { accepted: true, until: '2099-01-01T00:00:00Z' }, 'until: must be at most a year ahead'],
    ['with accepted false', { accepted: false, until: '2099-01-01T00:00:00Z' }, 'until: is only allowed'],
    ['that is none', { accepted: true, until: 'soon' }, 'until'],
    ['without accepted', {}, 'accepted'],
  ])('refuses a moment %s, and changes nothing', async (_, asked, message) => {
    const fqdn = await issuedFqdn(place);
    const { body } = await put(fqdn, asked).expect(400);
    expect(body.message).toContain(message);
    expect(await shown(fqdn)).toEqual(fqdn);
    await app.watch();
  });

  test('rejects an FQDN with renewal on, and one without a certificate unless a time is given', async () => {
    const renewed = await renewedFqdn(place);
    const { body } = await put(renewed, { accepted: true }).expect(400);
    expect(body.message).toBe('accepted: renewal is on for this FQDN; switch it off first');
    const { id: spaceId } = await addSpace(app);
    const bare = await addFqdn(app, spaceId);
    expect((await put(bare, { accepted: true }).expect(400)).body.message).toMatch(/^until: is required/);
    const until = new Date(app.clock.now().getTime() + day).toISOString();
    await put(bare, { accepted: true, until }).expect(200);
    await app.watch();
    expect(monitor.checks()).toHaveLength(1);
  });

  test('leaves the remaining checks to certificates that are renewed', async () => {
    monitor.limit = 2;
    await issuedFqdn(place, 'first.example.org');
    await app.watch();
    for (const name of ['b', 'c', 'd', 'e']) await issuedFqdn(place, `${name}.example.org`);
    for (const name of ['r', 's']) await renewedFqdn(place, `${name}.example.org`);
    const names = () => monitor.checks().map(({ settings }) => String(settings['name']).split('.')[0]);
    for (let count = 0; count < 8; count += 1) {
      await app.watch();
      app.clock.advance(10 * minute);
    }
    expect(names()).toHaveLength(2);
    expect(['r', 's']).toContain(names()[1]);
    monitor.limit = 3;
    for (let count = 0; count < 8; count += 1) {
      await app.watch();
      app.clock.advance(10 * minute);
    }
    expect(names().slice(1).sort()).toEqual(['r', 's']);
    monitor.limit = 100;
    for (let count = 0; count < 8; count += 1) {
      await app.watch();
      app.clock.advance(10 * minute);
    }
    expect(names()).toHaveLength(7);
  });

  test('watches the FQDNs of a space in order when the watch is switched on again', async () => {
    const fqdn = await issuedFqdn(place);
    const watchEnabled = (enabled: boolean) =>
      app.request
        .put(`/spaces/${fqdn.spaceId}/watch-enabled`)
        .set(app.people.ada.auth)
        .send({ watchEnabled: enabled })
        .expect(200);
    await watchEnabled(false);
    await app.watch();
    expect(monitor.checks()).toEqual([]);
    expect(await explanationOf(app, fqdn)).toMatchObject({ watched: 'no' });
    await watchEnabled(true);
    app.clock.advance(1000);
    await app.watch();
    expect(monitor.checks()).toHaveLength(1);
  });

  test('WATCH_EXPIRY=false takes the checks away and makes none', async () => {
    const fqdn = await issuedFqdn(place);
    await app.watch();
    const environment = { ...monitor.environment, WATCH_EXPIRY: 'false' };
    const old = await startAppOn(app.database, { beside: app, environment });
    app.clock.advance(day);
    await old.watch();
    expect(monitor.checks()).toEqual([]);
    await old.watch();
    expect(monitor.checks()).toEqual([]);
    expect(await explanationOf(old, fqdn)).toMatchObject({ watched: 'no' });
    await old.close();
  });

  test('selects the same FQDNs in the database as the rule of modes', async () => {
    const now = app.clock.now();
    const inDays = (days: number) => new Date(now.getTime() + days * day);
    for (const [end, accepted] of [
      [60, undefined],
      [-30, undefined],
      [-31, undefined],
      [60, 60],
      [60, 0],
      [60, -1],
      [-1, 5],
    ] as const) {
      const fqdn = await issuedFqdn(place);
      const expiryAcceptedUntil = accepted === undefined ? null : inDays(accepted);
      await app.database.transaction(async (tx) => {
        await tx.update(certificates, { fqdnId: fqdn.id }, { expiresAt: inDays(end) });
        await tx.update(fqdns, { id: fqdn.id }, { expiryAcceptedUntil });
        await tx.delete(watchedFqdns, { id: fqdn.id });
      });
      const facts = { renewalEnabled: false, expiryAcceptedUntil };
      const mode = watchModeOf(facts, { expiresAt: inDays(end) }, now);
      const only = { first: fqdn.id, last: fqdn.id };
      const isFound = await app.database.read((tx) => lacksWatch(tx, only, 'expiry', now));
      expect([end, accepted, isFound]).toEqual([end, accepted, mode === 'expiry']);
    }
  });
});

describeEachDialect('an upgrade with very many FQDNs that no one renews', (open) => {
  test('takes two calibrated seconds at most, and begins to watch them in slices, the renewed ones first', async () => {
    const place = await startRenewing(open);
    const { database, clock } = place.app;
    // on PostgreSQL the copies take much longer than what is measured
    const count = database.dialect.name === 'sqlite' ? 100_000 : 20_000;
    const fqdn = await issuedFqdn(place);
    await seedUnrenewed(database, fqdn.id, count);
    const renewed = await renewedFqdn(place, 'renewed.example.org');
    const newest = '0024-expiry-watch';
    while (!(await database.pendingMigrations()).includes(newest)) await database.revertLast();
    // what SQLite itself works is among it; on PostgreSQL, what many statements would cost
    const last = schema.migrations.findIndex(({ name }) => name === newest);
    const migrations = schema.migrations.slice(0, last + 1);
    const upgraded = await openDatabase({ url: place.app.databaseUrl, schema: { ...schema, migrations } });
    const measure = async () => {
      while (!(await upgraded.pendingMigrations()).includes(newest)) await upgraded.revertLast();
      const before = process.cpuUsage();
      await upgraded.migrate();
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1000;
    };
    expect(await excessMs(2_000, measure)).toBeUndefined();
    await upgraded.close();
    await database.migrate();
    expect(await database.pendingMigrations()).toEqual([]);

    const logger = createLogger({ service: 'cert-manager', level: 'silent' });
    await sweepWatch({ db: database, clock, logger, watchesExpiry: true });
    const dueAt = (seconds: number) => new Date(clock.now().getTime() + seconds * 1000);
    const countDue = (seconds: number) =>
      database.longRead((tx) => tx.countBy(watchedFqdns, { dueAt: LessThanOrEqual(dueAt(seconds)) }));
    // a slice of 500 every 10 s, after what is renewed
    expect(await countDue(0)).toBeLessThanOrEqual(502);
    expect(await countDue(10)).toBeLessThanOrEqual(1002);
    expect(await countDue(10)).toBeGreaterThan(900);
    expect(await countDue((count / 500 + 1) * 10)).toBe(count + 2);
    const first = await database.read((tx) => tx.findOneBy(watchedFqdns, { id: renewed.id }));
    expect(first?.dueAt).toEqual(clock.now());
    await place.close();
  });
});
