import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addSpace, pathOf } from '../support/inventory.js';
import { type HookReceiver, startHookReceiver } from '../support/monitor/notice-receivers.js';
import {
  addTarget,
  newestOf,
  ownedFqdn,
  probing,
  servedOf,
  startTlsServer,
  type TlsServer,
} from '../support/monitor/served-place.js';
import { elsewhere, watchServersOf } from '../support/monitor/watched-servers.js';
import { certificatesOf, type RenewalPlace, signWith, startRenewing } from '../support/renewals.js';

const hour = 3_600_000;

describeEachDialect('events about served certificates', (open) => {
  let hook: HookReceiver;
  let server: TlsServer;
  let place: RenewalPlace;
  beforeAll(async () => {
    hook = await startHookReceiver();
    server = await startTlsServer({});
    const notices = { NOTICE_WEBHOOK_URL: hook.url, NOTICE_WEBHOOK_SECRET: hook.secret };
    place = await startRenewing(open, { environment: { ...notices, ...probing(server.port) } });
  });
  afterAll(async () => {
    await place.close();
    await server.close();
    await hook.close();
  });

  /** Events of what is served, after a probe. */
  const receivedAfterProbe = async () => {
    await place.app.probe();
    await place.app.sendNotices();
    const events = hook.hooks.splice(0).map(({ event }) => event);
    return events.filter(({ type }) => type.startsWith('served.'));
  };

  test('include served.drifted for a fault once a day, and served.in_service once for each newest certificate', async () => {
    const { app } = place;
    const owned = await ownedFqdn(place);
    const { fqdn } = owned;
    server.reload(await newestOf(app, owned));
    const { id } = await addTarget(app, fqdn, { host: '127.0.0.1', port: server.port, graceSeconds: 3600 });
    const [first] = await certificatesOf(app, fqdn);
    const inService = { type: 'served.in_service', subject: fqdn.id };
    expect(await receivedAfterProbe()).toMatchObject([
      {
        ...inService,
        data: {
          fqdn: fqdn.fqdn,
          spaceId: fqdn.spaceId,
          certificateId: first?.id,
          addresses: 1,
          secondsToInService: 0,
        },
      },
    ]);
    app.clock.advance(7 * hour);
    expect(await receivedAfterProbe()).toEqual([]);

    await signWith(place, fqdn);
    app.clock.advance(hour / 2);
    expect(await receivedAfterProbe()).toEqual([]);
    app.clock.advance(hour / 2);
    const [drifted, ...more] = await receivedAfterProbe();
    expect(more).toEqual([]);
    expect(drifted).toMatchObject({ type: 'served.drifted', subject: fqdn.id });
    const hint = (await servedOf(app, fqdn)).targets[0]?.addresses[0]?.hint;
    expect(drifted?.data['message']).toBe(`${fqdn.fqdn} is not served as it should be. ${hint}`);
    expect(JSON.stringify(drifted)).not.toContain('BEGIN CERTIFICATE');

    // well and at fault again within the day, as a server behind which two take turns
    const earlier = await certificatesOf(app, fqdn);
    server.reload(await newestOf(app, owned));
    app.clock.advance(60_000);
    const probe = () =>
      app.request
        .post(pathOf(fqdn, `targets/${id}/probe`))
        .set(app.people.ada.auth)
        .expect(200);
    await probe();
    expect(await receivedAfterProbe()).toMatchObject([
      { ...inService, data: { certificateId: earlier.at(-1)?.id, secondsToInService: 3660 } },
    ]);
    server.reload({ cert: earlier[0]?.pem ?? '', key: owned.keyPem });
    await probe();
    expect((await servedOf(app, fqdn)).class).toBe('stale');
    expect(await receivedAfterProbe()).toEqual([]);
  });

  test('include certificate.adopted for each certificate that a watched server presents, and no served.in_service', async () => {
    const { app } = place;
    server.reload((await elsewhere(app, 'adopted.example.org')).full);
    const { id: spaceId } = await addSpace(app);
    const here = { host: '127.0.0.1', port: server.port, fqdn: 'adopted.example.org' };
    const [first] = await watchServersOf(app, spaceId, [here]);
    server.reload((await elsewhere(app, 'adopted.example.org', { from: 0 })).full);
    const received = async () => {
      await app.probe();
      await app.sendNotices();
      return hook.hooks.splice(0).flatMap(({ event }) => (event.subject === first?.fqdnId ? [event] : []));
    };
    app.clock.advance(7 * hour);
    const events = await received();
    expect(events.map(({ type }) => type)).toEqual(['certificate.adopted', 'certificate.adopted']);
    expect(events[0]?.data).toMatchObject({
      message: expect.stringMatching(
        /^A server of adopted\.example\.org presents a certificate that was obtained elsewhere/,
      ),
      fqdn: 'adopted.example.org',
      spaceId,
      certificateId: first?.certificateId,
      issuer: 'CN=Foreign CA',
    });
    expect(JSON.stringify(events)).not.toContain('BEGIN CERTIFICATE');
    app.clock.advance(62 * 24 * hour);
    await app.sweepNotices();
    const [expiring] = await received();
    expect(expiring).toMatchObject({ type: 'certificate.expiring' });
    expect(expiring?.data['message']).toContain('and its renewal elsewhere has not brought a newer one');
  });
});
