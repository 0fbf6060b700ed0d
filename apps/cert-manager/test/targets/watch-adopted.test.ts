import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { addSpace, pathOf } from '../support/inventory.js';
import { probing, startTlsServer, type TlsServer } from '../support/monitor/served-place.js';
import { clearWatched, startWatched, type WatchedPlace } from '../support/monitor/watched-place.js';
import { elsewhere, fqdnOfServer, watchServersOf } from '../support/monitor/watched-servers.js';
import type { WatchingMonitor } from '../support/monitor/watching-monitor.js';
import { certificatesOf, explanationOf, type RenewalPlace } from '../support/renewals.js';

const host = 'www.example.org';
const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

describeEachDialect('the check of a watched server', (open) => {
  let watched: WatchedPlace;
  let monitor: WatchingMonitor;
  let server: TlsServer;
  let place: RenewalPlace;
  beforeAll(async () => {
    server = await startTlsServer({});
    watched = await startWatched(open, probing(server.port));
    ({ monitor, place } = watched);
  });
  afterEach(async () => {
    await clearWatched(watched);
  });
  afterAll(async () => {
    await watched.close();
    await server.close();
  });

  const checks = () =>
    monitor.checks().filter(({ settings }) => String(settings['slug']).startsWith('certloop-fqdn-'));
  const check = () => {
    const [only, ...more] = checks();
    if (only === undefined || more.length > 0) throw new Error(`${checks().length} checks instead of one`);
    return only;
  };
  const pings = () => check().pings.map(({ signal, body }) => [signal, body] as const);
  const signals = () => pings().map(([signal]) => signal);
  const step = async (ms: number) => {
    place.app.clock.advance(ms);
    await place.app.probe();
    await place.app.watch();
  };
  const watch = async (address: string) => {
    const { app } = place;
    const { id: spaceId } = await addSpace(app);
    const [result] = await watchServersOf(app, spaceId, [{ host: address, port: server.port, fqdn: host }]);
    if (result === undefined) throw new Error('nothing was watched');
    await app.watch();
    return { result, fqdn: await fqdnOfServer(app, spaceId, result) };
  };

  test('moves its date when the certificate is renewed elsewhere, and goes down when that stops', async () => {
    const { app } = place;
    server.reload((await elsewhere(app, host, { from: 0 })).full);
    const { fqdn } = await watch('127.0.0.1');
    expect(pings()).toEqual([
      [
        'success',
        expect.stringMatching(/^adopted: .*; it is renewed elsewhere, and what its server presents next/),
      ],
    ]);
    const timeout = () => Number(check().settings['timeout']);
    expect(timeout()).toBe((60 * day) / 1000);
    app.clock.advance(59 * day);
    server.reload((await elsewhere(app, host, { from: 0 })).full);
    await step(7 * hour);
    expect(signals()).toEqual(['success', 'success']);
    expect(timeout()).toBe((60 * day - 7 * hour) / 1000);
    // a month before its end, and the grace of a day
    await step(60 * day - 7 * hour);
    expect(signals()).toEqual(['success', 'success']);
    await step(day);
    const [, second] = await certificatesOf(app, fqdn);
    expect(pings().at(-1)).toEqual([
      'fail',
      `expires on ${second?.expiresAt}; its renewal elsewhere has not brought a newer one: renew it there, or upload a CSR and have it signed here`,
    ]);
    expect(await explanationOf(app, fqdn)).toMatchObject({ watched: 'expiry', outlook: 'no_csr' });
    const status = (await fqdnOfServer(app, fqdn.spaceId, { fqdnId: fqdn.id } as never)).status;
    expect(status).toMatchObject({ state: 'due' });
    expect(status?.reason).toContain('Its renewal elsewhere has not brought a newer one: renew it there');
    server.reload((await elsewhere(app, host, { from: 0 })).full);
    await step(7 * hour);
    expect(signals()).toEqual(['success', 'success', 'fail', 'success']);
  });

  test('goes down after three probes if its server has never been reached', async () => {
    const { app } = place;
    const { result, fqdn } = await watch('127.0.0.9');
    expect(result).toMatchObject({
      class: 'unreachable',
      failure: {
        stage: 'refused',
        failure: 'connection_refused',
        hint: expect.stringContaining('the connection was refused'),
      },
    });
    expect(result).not.toHaveProperty('served');
    expect(signals()).toEqual([]);
    expect(await explanationOf(app, fqdn)).toMatchObject({ watched: 'expiry', outlook: 'no_certificate' });
    const reason = (await fqdnOfServer(app, fqdn.spaceId, result)).status?.reason;
    expect(reason).toMatch(/^There is no certificate yet\. Its server has not presented a valid one yet/);
    await step(minute);
    expect(signals()).toEqual([]);
    await step(4 * minute);
    expect(pings()).toEqual([['fail', expect.stringContaining('127.0.0.9:')]]);
    const status = (await fqdnOfServer(app, fqdn.spaceId, result)).status;
    expect(status).toMatchObject({ state: 'unfinished', attentionAt: expect.any(String) });
    expect(status?.reason).toContain('the connection was refused');
    // the check is deleted and created with the watch of the space
    const switched = (watchEnabled: boolean) =>
      app.request
        .put(`/spaces/${fqdn.spaceId}/watch-enabled`)
        .set(app.people.ada.auth)
        .send({ watchEnabled })
        .expect(200);
    await switched(false);
    await app.watch();
    expect(checks()).toEqual([]);
    await switched(true);
    app.clock.advance(1000);
    await app.watch();
    expect(signals()).toEqual(['fail']);
    const other = await startTlsServer((await elsewhere(app, host)).full, '127.0.0.9', server.port);
    await step(25 * minute);
    expect(signals()).toEqual(['fail', 'log', 'success']);
    expect((await fqdnOfServer(app, fqdn.spaceId, result)).status).toMatchObject({ state: 'valid' });
    await other.close();
  });

  test('goes down at once if the first certificate has expired, and is deleted with the target', async () => {
    const { app } = place;
    server.reload((await elsewhere(app, host, { from: -100 })).full);
    const { result, fqdn } = await watch('127.0.0.1');
    expect(result).toMatchObject({ class: 'expired', isNewCertificate: false, served: { verified: true } });
    expect(pings()).toEqual([['fail', expect.stringContaining('which expired on')]]);
    const path = pathOf(fqdn, `targets/${result.targetId}`);
    await app.request.delete(path).set(app.people.ada.auth).expect(200);
    await app.watch();
    expect(checks()).toEqual([]);
  });
});
