import type { Fqdn } from '@certloop/contracts';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { certificates } from '../../src/certificates/certificates.repository.js';
import type { TestApp } from '../support/app.js';
import { foreignCertificate } from '../support/cas/foreign-ca.js';
import { addFqdn, addSpace, pathOf } from '../support/inventory.js';
import { clearWatched, startWatched, type WatchedPlace } from '../support/monitor/watched-place.js';
import type { WatchingMonitor } from '../support/monitor/watching-monitor.js';
import { type RenewalPlace, renewedFqdn, signWith, switchRenewal } from '../support/renewals.js';

const minute = 60_000;
const day = 1440 * minute;

describeEachDialect('the check of an FQDN', (open) => {
  let watched: WatchedPlace;
  let monitor: WatchingMonitor;
  let place: RenewalPlace;
  let app: TestApp;
  beforeAll(async () => {
    watched = await startWatched(open);
    ({ monitor, place } = watched);
    app = place.app;
  });
  afterEach(() => clearWatched(watched));
  afterAll(() => watched.close());

  const signals = () => monitor.check().pings.map(({ signal }) => signal);
  const lastBody = () => monitor.check().pings.at(-1)?.body;
  const inMs = (ms: number) => new Date(app.clock.now().getTime() + ms);
  const stateOf = async ({ id, spaceId }: Fqdn) => {
    const { body } = await app.request
      .get(`/spaces/${spaceId}/fqdns?include=status`)
      .set(app.people.ada.auth);
    return (body as Fqdn[]).find((one) => one.id === id)?.status;
  };
  /** An FQDN with a certificate from elsewhere, without CSR and provider. */
  const importedFqdn = async (lived: number, left: number) => {
    const fqdn = await addFqdn(app, (await addSpace(app)).id, 'www.example.org');
    const dates = { notBefore: inMs(-lived), notAfter: inMs(left) };
    const { leafPem: pem } = await foreignCertificate({ dnsNames: [fqdn.fqdn], ...dates });
    const path = pathOf(fqdn, 'certificates/import');
    await app.request.post(path).set(app.people.ada.auth).send({ pem }).expect(201);
    await app.watch();
    return fqdn;
  };
  /** Seconds from the last ping to the fall of the check. */
  const fallsAfter = () => {
    const { timeout, grace } = monitor.check().settings;
    return Number(timeout) + Number(grace);
  };

  test('stays down for an expired certificate when renewal is switched on and cannot happen', async () => {
    const fqdn = await importedFqdn(80 * day, 10 * day);
    app.clock.advance(11 * day);
    await app.watch();
    expect(signals()).toEqual(['log', 'fail', 'fail']);
    await switchRenewal(app, fqdn, true);
    await app.watch();
    expect(signals()).not.toContain('success');
    expect(lastBody()).toMatch(/^expired on .*No CSR is stored/);
    expect(await stateOf(fqdn)).toMatchObject({ state: 'expired', outlook: 'no_csr' });
    await switchRenewal(app, fqdn, false);
    await app.watch();
    expect(signals()).not.toContain('success');
    expect(lastBody()).toMatch(/^expired on .*no one renews it/);
  });

  test.each([4, 24])('begins with a failure for an import with %i minutes left', async (minutes) => {
    const fqdn = await importedFqdn(90 * day, minutes * minute);
    expect(signals()).toEqual(['log', 'fail']);
    expect(lastBody()).toMatch(/^expires on .*no one renews it/);
    expect(await stateOf(fqdn)).toMatchObject({ state: 'due' });
  });

  test.each([
    ['4 minutes ago, for 8 more', 4, 8],
    ['6 minutes ago, for 14 more', 6, 14],
    ['now, for 24', 0, 24],
  ])('falls before the end of an import that was issued %s minutes', async (_, lived, left) => {
    const fqdn = await importedFqdn(lived * minute, left * minute);
    expect(signals()).toEqual(['success']);
    expect(fallsAfter()).toBeLessThan(left * 60);
    const { attentionAt } = (await stateOf(fqdn)) ?? {};
    expect(fallsAfter()).toBeLessThanOrEqual(
      (Date.parse(`${attentionAt}`) - app.clock.now().getTime()) / 1000 + 1,
    );
  });

  test('fails with its cause a minute before people must act', async () => {
    const fqdn = await importedFqdn(0, 90 * day);
    const fallsAt = Date.parse(`${(await stateOf(fqdn))?.attentionAt}`);
    for (const ms of [5 * minute, minute + 1]) {
      app.clock.set(new Date(fallsAt - ms));
      await app.watch();
    }
    expect(signals()).toEqual(['success']);
    app.clock.set(new Date(fallsAt - minute));
    await app.watch();
    expect(signals()).toEqual(['success', 'fail']);
    expect(lastBody()).toMatch(/^expires on .*no one renews it/);
  });

  test('that was watched again after its targets were at fault is up once they are deleted', async () => {
    const fqdn = await importedFqdn(80 * day, 10 * day);
    const auth = app.people.ada.auth;
    const targets = pathOf(fqdn, 'targets');
    const body = { host: fqdn.fqdn, mode: 'report', graceSeconds: 0 };
    const { id } = (await app.request.post(targets).set(auth).send(body).expect(201)).body;
    const { leafPem: chainPem } = await foreignCertificate({
      dnsNames: [fqdn.fqdn],
      notBefore: inMs(-day),
      notAfter: inMs(day),
    });
    const seen = { address: '192.0.2.1', chainPem, observedAt: app.clock.now().toISOString() };
    await app.request.post(`${targets}/${id}/observations`).set(auth).send(seen).expect(204);
    await app.watch();
    // out of use, so that it has no check
    app.clock.advance(41 * day);
    await app.watch();
    app.clock.advance(day);
    await app.watch();
    const dates = { notBefore: inMs(-day), notAfter: inMs(89 * day) };
    const { leafPem: pem } = await foreignCertificate({ dnsNames: [fqdn.fqdn], ...dates });
    await app.request.post(pathOf(fqdn, 'certificates/import')).set(auth).send({ pem }).expect(201);
    await app.watch();
    expect(signals().at(-1)).toBe('fail');
    await app.request.delete(`${targets}/${id}`).set(auth).expect(200);
    await app.watch();
    expect(await stateOf(fqdn)).toMatchObject({ state: 'valid' });
    expect(signals().at(-1)).toBe('success');
  });

  test('says what is missing when a renewal cannot happen', async () => {
    const fqdn = await importedFqdn(0, 90 * day);
    await switchRenewal(app, fqdn, true);
    await app.watch();
    expect(signals()).toEqual(['success', 'success']);
    expect(lastBody()).toMatch(/^watched: .*No CSR is stored/);
    expect(lastBody()).not.toContain('to be renewed on');
  });

  test('shows no success that waited while it became bad', async () => {
    const fqdn = await importedFqdn(0, 90 * day);
    monitor.failing = { path: /./, status: 503 };
    const dates = { notBefore: inMs(0), notAfter: inMs(60 * day) };
    const { leafPem: pem } = await foreignCertificate({ dnsNames: [fqdn.fqdn], ...dates });
    const path = pathOf(fqdn, 'certificates/import');
    await app.request.post(path).set(app.people.ada.auth).send({ pem }).expect(201);
    await app.watch();
    app.clock.advance(50 * day);
    monitor.failing = undefined;
    await app.watch();
    expect(signals()).toEqual(['success', 'log', 'fail']);
  });

  test('is down after a rejected request, as the manager shows it, until a certificate is stored', async () => {
    const fqdn = await renewedFqdn(place);
    await app.watch();
    app.clock.advance(minute);
    place.ca.answer('with a refusal');
    await signWith(place, fqdn);
    await app.watch();
    expect(signals()).toEqual(['success', 'fail']);
    expect(lastBody()).toMatch(/^request failed: /);
    expect(await stateOf(fqdn)).toMatchObject({ state: 'failing' });
    place.ca.answer('normally');
    await signWith(place, fqdn);
    await app.watch();
    expect(signals()).toEqual(['success', 'fail', 'success']);
  });

  test('is failed again once a day while it is not well, as people may ping it', async () => {
    await importedFqdn(80 * day, 10 * day);
    const before = signals().length;
    app.clock.advance(day - minute);
    await app.watch();
    expect(signals()).toHaveLength(before);
    app.clock.advance(minute);
    await app.watch();
    expect(signals().slice(before)).toEqual(['fail']);
  });

  test('follows what the sweep of states finds', async () => {
    const fqdn = await importedFqdn(0, 90 * day);
    await app.database.transaction((tx) =>
      tx.update(certificates, { fqdnId: fqdn.id }, { expiresAt: inMs(9 * day), notBefore: inMs(-81 * day) }),
    );
    await app.sweepStatuses();
    await app.watch();
    expect(signals()).toEqual(['success', 'fail']);
  });
});
