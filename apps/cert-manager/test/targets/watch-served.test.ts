import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { watchedFqdns } from '../../src/watch/watched-fqdns.repository.js';
import {
  addTarget,
  newestOf,
  ownedFqdn,
  probing,
  startTlsServer,
  type TlsServer,
} from '../support/monitor/served-place.js';
import { clearWatched, startWatched, type WatchedPlace } from '../support/monitor/watched-place.js';
import type { WatchingMonitor } from '../support/monitor/watching-monitor.js';
import { certificatesOf, moveToRenewal, type RenewalPlace, switchRenewal } from '../support/renewals.js';

const hour = 3_600_000;
const day = 24 * hour;

describeEachDialect('the watch of served certificates', (open) => {
  let watched: WatchedPlace;
  let monitor: WatchingMonitor;
  let server: TlsServer;
  let place: RenewalPlace;
  beforeAll(async () => {
    server = await startTlsServer({});
    watched = await startWatched(open, { ...probing(server.port), METRICS_OPEN: 'true' });
    ({ monitor, place } = watched);
  });
  afterEach(async () => {
    await clearWatched(watched);
  });
  afterAll(async () => {
    await watched.close();
    await server.close();
  });

  const fqdnCheck = (id = '') =>
    monitor.checks().find(({ settings }) => String(settings['slug']).startsWith(`certloop-fqdn-${id}`));
  const signals = (id = '') => fqdnCheck(id)?.pings.map(({ signal }) => signal);
  const lastBody = () => fqdnCheck()?.pings.at(-1)?.body;
  /** FQDNs of a space that the metrics count as not served as they should be. */
  const drifted = async (spaceId: string) => {
    const scrape = async () => (await place.app.request.get('/metrics').expect(200)).text;
    let text = await scrape();
    // a reading that takes more than 2 s on a busy machine comes with the next scrape
    for (let tries = 1; !text.includes('cert_manager_served_addresses{') && tries < 5; tries += 1)
      text = await scrape();
    expect(text).toContain('# TYPE cert_manager_served_drifted gauge');
    const pattern = new RegExp(
      `^cert_manager_served_drifted\\{space_id="${spaceId}",space="[^"]+"\\} (\\d+)$`,
      'm',
    );
    return pattern.exec(text)?.[1];
  };

  /** An FQDN that is renewed and whose server serves its certificate. */
  const served = async (more: object = {}) => {
    const { app } = place;
    const owned = await ownedFqdn(place);
    await switchRenewal(app, owned.fqdn, true);
    server.reload(await newestOf(app, owned));
    const target = await addTarget(app, owned.fqdn, { host: '127.0.0.1', port: server.port, ...more });
    await app.probe();
    await app.watch();
    expect(signals()).toEqual(['success']);
    return { ...owned, target };
  };
  const probeAndWatch = async () => {
    await place.app.probe();
    await place.app.watch();
  };

  test('marks the check as down when the server is not reloaded within the grace, and as up after a reload', async () => {
    const { app } = place;
    const owned = await served();
    const [first] = await certificatesOf(app, owned.fqdn);
    await moveToRenewal(app, owned.fqdn);
    await app.renew();
    await app.watch();
    const deadline = Number(fqdnCheck()?.settings['timeout']);
    for (const ms of [60_000, 4 * 60_000, 25 * 60_000, day - 30 * 60_000 - 1]) {
      app.clock.advance(ms);
      await probeAndWatch();
    }
    expect(signals()).toEqual(['success', 'success']);
    expect(await drifted(owned.fqdn.spaceId)).toBeUndefined();
    app.clock.advance(1);
    await probeAndWatch();
    expect(signals()).toEqual(['success', 'success', 'fail']);
    expect(await drifted(owned.fqdn.spaceId)).toBe('1');
    const [, second] = await certificatesOf(app, owned.fqdn);
    expect(lastBody()).toMatch(
      /^127\.0\.0\.1:\d+ still serves certificate \w+, which ends on [\d-]+; \w+ was issued on [\d-]+: install it and reload the server\.$/,
    );
    expect(lastBody()).toContain(first?.expiresAt.slice(0, 10));
    expect(lastBody()).toContain(second?.createdAt.slice(0, 10));
    // the deadline stays that of the renewal, a day nearer
    expect(Number(fqdnCheck()?.settings['timeout'])).toBe(deadline - day / 1000);
    // it is said once
    app.clock.advance(7 * hour);
    await probeAndWatch();
    expect(signals()).toEqual(['success', 'success', 'fail']);
    server.reload(await newestOf(app, owned));
    app.clock.advance(7 * hour);
    await probeAndWatch();
    expect(signals()).toEqual(['success', 'success', 'fail', 'success']);
    expect(lastBody()).toBe('all targets serve what they should again');
    expect(await drifted(owned.fqdn.spaceId)).toBeUndefined();
  });

  test('sends no success while the renewal or the server has a fault', async () => {
    const { app } = place;
    const owned = await served({ graceSeconds: 0 });
    const foreign = await ownedFqdn(place);
    server.reload(await newestOf(app, foreign));
    app.clock.advance(7 * hour);
    await probeAndWatch();
    expect(signals()).toEqual(['success', 'fail']);
    // a renewal that goes well
    await moveToRenewal(app, owned.fqdn);
    await app.renew();
    await app.watch();
    expect(signals()).toEqual(['success', 'fail', 'log']);
    // one that fails, while the server is mended
    await moveToRenewal(app, owned.fqdn);
    place.ca.answer('with a fault');
    await app.renew();
    await app.watch();
    expect(signals()?.slice(3)).toEqual(['fail']);
    server.reload(await newestOf(app, owned));
    app.clock.advance(60_000);
    await app.request
      .post(`/spaces/${owned.fqdn.spaceId}/fqdns/${owned.fqdn.id}/targets/${owned.target.id}/probe`)
      .set(app.people.ada.auth)
      .expect(200);
    await app.watch();
    expect(signals()?.slice(3)).toEqual(['fail', 'fail']);
    place.ca.answer('normally');
    app.clock.advance(hour);
    await app.renew();
    await app.watch();
    expect(signals()?.slice(3)).toEqual(['fail', 'fail', 'success']);
  });

  test('does not postpone the alert of an overdue renewal', async () => {
    const { app } = place;
    const owned = await served({ graceSeconds: 0 });
    const foreign = await ownedFqdn(place);
    server.reload(await newestOf(app, foreign));
    app.clock.advance(7 * hour);
    await probeAndWatch();
    expect(signals()).toEqual(['success', 'fail']);
    await moveToRenewal(app, owned.fqdn);
    server.reload(await newestOf(app, owned));
    app.clock.advance(1000);
    await probeAndWatch();
    expect(signals()).toEqual(['success', 'fail', 'success']);
    // the check falls a day after the renewal was due, as if the server had never been at fault
    const { timeout, grace } = fqdnCheck()?.settings ?? {};
    expect([timeout, Number(timeout) + Number(grace)]).toEqual([60, day / 1000 - 1]);
  });

  test('drops the fault of a deleted target, and reports a fault that is older than the check', async () => {
    const { app } = place;
    const owned = await served({ graceSeconds: 0 });
    const foreign = await ownedFqdn(place);
    server.reload(await newestOf(app, foreign));
    app.clock.advance(7 * hour);
    await probeAndWatch();
    const [row] = await app.database.read((tx) => tx.find(watchedFqdns, { where: { id: owned.fqdn.id } }));
    expect(row?.servedFault).toContain('is not ours');
    const path = `/spaces/${owned.fqdn.spaceId}/fqdns/${owned.fqdn.id}/targets/${owned.target.id}`;
    await app.request.put(path).set(app.people.ada.auth).send({ enabled: false }).expect(200);
    await app.watch();
    expect(signals(owned.fqdn.id)).toEqual(['success', 'fail', 'success']);
    // the watch begins again while the target is at fault
    await switchRenewal(app, owned.fqdn, false);
    const acceptance = `/spaces/${owned.fqdn.spaceId}/fqdns/${owned.fqdn.id}/expiry-accepted`;
    await app.request.put(acceptance).set(app.people.ada.auth).send({ accepted: true }).expect(200);
    await app.watch();
    await app.request.put(path).set(app.people.ada.auth).send({ enabled: true }).expect(200);
    await app.probe();
    await switchRenewal(app, owned.fqdn, true);
    await app.watch();
    app.clock.advance(7 * hour);
    await probeAndWatch();
    expect(signals(owned.fqdn.id)?.at(-1)).toBe('fail');
    await app.request.delete(path).set(app.people.ada.auth).expect(200);
    await app.watch();
    expect(signals(owned.fqdn.id)?.at(-1)).toBe('success');
  });

  test('reports each run of the prober to a separate check', async () => {
    await served();
    const job = monitor.checks().find(({ settings }) => settings['slug'] === 'certloop-cert-manager-served');
    expect(job?.pings.map(({ signal }) => signal)).toEqual(expect.arrayContaining(['start', 'success']));
    expect(job?.settings).toMatchObject({ name: 'CertLoop cert-manager: served certificates' });
  });
});
