import { createServer } from 'node:net';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { targetChanges } from '../../src/targets/probes/target-states.repository.js';
import { targets } from '../../src/targets/targets.repository.js';
import { startAppOn } from '../support/app.js';
import { foreignCertificate } from '../support/cas/foreign-ca.js';
import { addFqdn, addSpace, auditEntries, pathOf } from '../support/inventory.js';
import {
  addTarget,
  classesOf,
  newestOf,
  ownedFqdn,
  probing,
  servedOf,
  startTlsServer,
  type TlsServer,
} from '../support/monitor/served-place.js';
import {
  certificatesOf,
  clearInventory,
  type RenewalPlace,
  signWith,
  startRenewing,
} from '../support/renewals.js';

jest.setTimeout(60_000);

const minute = 60_000;
const hour = 60 * minute;

describeEachDialect('probes of targets', (open) => {
  let place: RenewalPlace;
  let server: TlsServer;
  const others: { close(): Promise<void> }[] = [];
  /** Addresses of names, by name. */
  const names = new Map<string, readonly string[]>();
  let afterLookUp: () => void = () => undefined;
  const resolve = async (host: string) => {
    const addresses = names.get(host);
    if (addresses === undefined) throw Object.assign(new Error('unknown'), { code: 'ENOTFOUND' });
    afterLookUp();
    return addresses;
  };

  beforeAll(async () => {
    server = await startTlsServer({});
    place = await startRenewing(open, {
      environment: { ...probing(server.port), METRICS_OPEN: 'true' },
      resolve,
    });
  });
  afterEach(async () => {
    await clearInventory(place.app);
    names.clear();
    for (const other of others.splice(0)) await other.close();
  });
  afterAll(async () => {
    await server.close();
    await place.close();
  });

  const listen = async (options: Parameters<typeof startTlsServer>[0], host: string) => {
    const other = await startTlsServer(options, host, server.port);
    others.push(other);
    return other;
  };
  const targetAt = (fqdn: Parameters<typeof addTarget>[1], more: object = {}) =>
    addTarget(place.app, fqdn, { host: '127.0.0.1', port: server.port, ...more });
  const changes = () => place.app.database.read((tx) => tx.find(targetChanges));

  test('show the newest as current, an earlier one as previous and then as stale, and the reload', async () => {
    const { app } = place;
    const owned = await ownedFqdn(place);
    const { fqdn } = owned;
    server.reload(await newestOf(app, owned));
    await targetAt(fqdn, { graceSeconds: 3600 });
    await app.probe();
    const [first] = await certificatesOf(app, fqdn);
    const before = await servedOf(app, fqdn);
    expect(before).toMatchObject({
      class: 'current',
      partial: false,
      expected: { certificateId: first?.id },
    });
    expect(before.targets[0]?.addresses).toEqual([
      expect.objectContaining({
        address: '127.0.0.1',
        class: 'current',
        well: true,
        observer: 'manager',
        served: expect.objectContaining({
          serialNumber: before.expected?.serialNumber,
          fingerprint: before.expected?.fingerprint,
        }),
      }),
    ]);
    await signWith(place, fqdn);
    // nothing is due before a minute has passed
    const taken = server.taken();
    app.clock.advance(59_000);
    await app.probe();
    expect(server.taken()).toBe(taken);
    app.clock.advance(1000);
    await app.probe();
    expect(await servedOf(app, fqdn)).toMatchObject({ class: 'previous' });
    app.clock.advance(hour);
    await app.probe();
    const stale = await servedOf(app, fqdn);
    expect(stale).toMatchObject({ class: 'stale' });
    const address = stale.targets[0]?.addresses[0];
    expect(address?.hint).toBe(
      `127.0.0.1:${server.port} still serves certificate ${before.expected?.serialNumber}, which ends on ${first?.expiresAt.slice(0, 10)}; ` +
        `${stale.expected?.serialNumber} was issued on ${stale.expected?.storedAt.slice(0, 10)}: install it and reload the server.`,
    );
    expect(address?.failsAt).toBe(new Date(Date.parse(stale.expected?.storedAt ?? '') + hour).toISOString());
    server.reload(await newestOf(app, owned));
    app.clock.advance(7 * hour);
    await app.probe();
    expect(await servedOf(app, fqdn)).toMatchObject({ class: 'current' });
    // only changes are recorded
    expect((await changes()).map((change) => change.class).sort()).toEqual(
      ['current', 'previous', 'stale', 'current'].sort(),
    );
  });

  test('come 1, 5 and 30 minutes after a certificate is stored, and then every so often', async () => {
    const { app } = place;
    const owned = await ownedFqdn(place);
    server.reload(await newestOf(app, owned));
    await targetAt(owned.fqdn, { everySeconds: 36_000 });
    const stored = app.clock.now().getTime();
    const due = async () => {
      const [target] = await app.database.read((tx) => tx.find(targets));
      return ((target?.dueAt.getTime() ?? 0) - stored) / minute;
    };
    const seen: number[] = [];
    for (let count = 0; count < 4; count += 1) {
      await app.probe();
      seen.push(await due());
      app.clock.set(new Date(stored + (seen.at(-1) ?? 0) * minute));
    }
    expect(seen.slice(0, 3)).toEqual([1, 5, 30]);
    expect(seen[3]).toBeGreaterThanOrEqual(30 + 540);
    expect(seen[3]).toBeLessThanOrEqual(30 + 660);
  });

  test('judge each address of a name, and forget those that it no longer has', async () => {
    const { app } = place;
    const owned = await ownedFqdn(place);
    const { fqdn } = owned;
    const newest = await newestOf(app, owned);
    server.reload(newest);
    const foreign = await ownedFqdn(place);
    await listen(await newestOf(app, foreign), '127.0.0.2');
    names.set('lb.example.org', ['127.0.0.1', '127.0.0.2', '127.0.0.3', '10.1.2.3']);
    await targetAt(fqdn, { host: 'lb.example.org' });
    await app.probe();
    expect(await classesOf(app, fqdn)).toEqual({
      '127.0.0.1': 'current',
      '127.0.0.2': 'foreign',
      '127.0.0.3': 'unreachable',
      '10.1.2.3': 'unreachable',
    });
    const served = await servedOf(app, fqdn);
    expect(served).toMatchObject({ class: 'foreign', partial: true });
    const private10 = served.targets[0]?.addresses.find(({ address }) => address === '10.1.2.3');
    expect(private10).toMatchObject({ stage: 'not_allowed', failure: 'address_not_allowed' });
    names.set('lb.example.org', ['127.0.0.1']);
    app.clock.advance(7 * hour);
    await app.probe();
    expect(await classesOf(app, fqdn)).toEqual({ '127.0.0.1': 'current' });
    // a name that has gone leaves what was seen
    names.clear();
    app.clock.advance(7 * hour);
    await app.probe();
    expect(await classesOf(app, fqdn)).toEqual({ '127.0.0.1': 'current', '': 'unreachable' });
  });

  test('connect to the address that was judged, also when the name changes between look-up and connect', async () => {
    const { app } = place;
    const owned = await ownedFqdn(place);
    server.reload(await newestOf(app, owned));
    const trap = await listen(await newestOf(app, owned), '127.0.0.9');
    await targetAt(owned.fqdn, { host: 'rebinding.example.org' });
    names.set('rebinding.example.org', ['127.0.0.1']);
    // whatever it would answer from now on is not asked for
    afterLookUp = () => names.set('rebinding.example.org', ['169.254.169.254', '127.0.0.9']);
    await app.probe();
    afterLookUp = () => undefined;
    expect(await classesOf(app, owned.fqdn)).toEqual({ '127.0.0.1': 'current' });
    names.set('rebinding.example.org', ['169.254.169.254']);
    app.clock.advance(7 * hour);
    await app.probe();
    const { targets: shown } = await servedOf(app, owned.fqdn);
    expect(shown[0]?.addresses).toEqual([
      expect.objectContaining({ address: '169.254.169.254', failure: 'address_not_allowed' }),
    ]);
    expect(trap.taken()).toBe(0);
  });

  test('fail an unreachable address after three in a row', async () => {
    const { app } = place;
    const { fqdn } = await ownedFqdn(place);
    await addTarget(app, fqdn, { host: '127.0.0.8', port: server.port, graceSeconds: 0 });
    const seen: (string | undefined)[] = [];
    for (let count = 0; count < 3; count += 1) {
      await app.probe();
      const address = (await servedOf(app, fqdn)).targets[0]?.addresses[0];
      expect(address).toMatchObject({
        class: 'unreachable',
        stage: 'refused',
        failure: 'connection_refused',
      });
      seen.push(address?.failsAt);
      app.clock.advance(7 * hour);
    }
    expect(seen.map((moment) => moment !== undefined)).toEqual([false, false, true]);
  });

  test('ask for our kind of key where another is served first', async () => {
    const { app } = place;
    const owned = await ownedFqdn(place);
    const wanted = {
      dnsNames: ['www.example.org'],
      notBefore: app.clock.now(),
      notAfter: new Date('2026-05-01'),
    };
    const rsa = await foreignCertificate({ ...wanted, keyKind: 'RSA-2048' });
    const mine = await newestOf(app, owned);
    const both = await listen(
      {
        cert: [rsa.leafPem, mine.cert],
        key: [rsa.keyPem, mine.key],
        ciphers: rsaFirst,
        maxVersion: 'TLSv1.2',
        honorCipherOrder: true,
      },
      '127.0.0.4',
    );
    await targetAt(owned.fqdn, { host: '127.0.0.4' });
    await app.probe();
    expect(await classesOf(app, owned.fqdn)).toEqual({ '127.0.0.4': 'current' });
    expect(both.taken()).toBe(2);
  });

  test('see an expired certificate, and one that does not cover the name', async () => {
    const { app } = place;
    const owned = await ownedFqdn(place);
    server.reload(await newestOf(app, owned));
    await targetAt(owned.fqdn);
    await app.probe();
    expect(await classesOf(app, owned.fqdn)).toEqual({ '127.0.0.1': 'current' });
    app.clock.advance(31 * 24 * hour);
    await app.probe();
    expect(await classesOf(app, owned.fqdn)).toEqual({ '127.0.0.1': 'expired' });
    const other = await ownedFqdn(place, 'other.example.org');
    server.reload(await newestOf(app, other));
    app.clock.advance(7 * hour);
    await app.probe();
    expect(await classesOf(app, owned.fqdn)).toEqual({ '127.0.0.1': 'name_mismatch' });
  });

  describe('by several processes', () => {
    test('look at a target once, and again when the process that did has died', async () => {
      const { app } = place;
      const beside = await startAppOn(app.database, {
        beside: app,
        environment: { ...probing(server.port), DUMMY_CA_URL: place.ca.url },
      });
      const owned = await ownedFqdn(place);
      server.reload(await newestOf(app, owned));
      for (const host of ['127.0.0.1', 'a.example.org', 'b.example.org'])
        await addTarget(app, owned.fqdn, { host, addresses: ['127.0.0.1'], port: server.port });
      const taken = server.taken();
      await Promise.all([app.probe(), beside.probe(), app.probe(), beside.probe()]);
      expect(server.taken() - taken).toBe(3);
      // a process took them and died
      const leaseToken = '3f8c1b1e-6a43-4f0e-9a43-0d8a6c1c5b7e';
      const until = new Date(app.clock.now().getTime() + 10 * minute);
      await app.database.transaction((tx) =>
        tx.update(targets, { enabled: true }, { leaseToken, dueAt: until }),
      );
      app.clock.advance(10 * minute - 1);
      await beside.probe();
      expect(server.taken() - taken).toBe(3);
      app.clock.advance(1);
      await beside.probe();
      expect(server.taken() - taken).toBe(6);
      await beside.close();
    });
  });

  describe('by hand', () => {
    test('show at once what is served, leave an entry, and are 6 a minute for a space', async () => {
      const { app } = place;
      const owned = await ownedFqdn(place);
      server.reload(await newestOf(app, owned));
      const { id } = await targetAt(owned.fqdn);
      const probe = () =>
        app.request.post(pathOf(owned.fqdn, `targets/${id}/probe`)).set(app.people.ada.auth);
      const { body } = await probe().expect(200);
      expect(body).toEqual(await servedOf(app, owned.fqdn));
      expect(body.class).toBe('current');
      expect((await auditEntries(app, 'target.probe')).at(-1)).toMatchObject({ resourceId: id });
      for (let count = 0; count < 5; count += 1) await probe().expect(200);
      const refused = await probe().expect(429);
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    });

    test('end after 20 s at a server that never speaks, and say so', async () => {
      const { app } = place;
      const silent = createServer((socket) => void socket.on('error', () => undefined).resume());
      await new Promise<void>((done) => silent.listen(server.port, '127.0.0.7', done));
      others.push({ close: () => new Promise((done) => silent.close(() => done())) });
      const { fqdn } = await ownedFqdn(place);
      const { id } = await targetAt(fqdn, { host: '127.0.0.7' });
      const path = pathOf(fqdn, `targets/${id}/probe`);
      const { body } = await app.request.post(path).set(app.people.ada.auth).expect(200);
      expect(body.targets[0].addresses[0]).toMatchObject({ class: 'unreachable', stage: 'timeout' });
    });
  });

  describe('that others report', () => {
    test('are judged like those of the service, the newest moment first', async () => {
      const { app } = place;
      const owned = await ownedFqdn(place);
      const { id } = await targetAt(owned.fqdn, { mode: 'report', host: '10.0.0.7' });
      const report = (body: object) =>
        app.request
          .post(pathOf(owned.fqdn, `targets/${id}/observations`))
          .set(app.people.ada.auth)
          .send(body);
      const { cert } = await newestOf(app, owned);
      const at = (seconds: number) => new Date(app.clock.now().getTime() + seconds * 1000).toISOString();
      await report({ address: '10.0.0.7', chainPem: cert, observedAt: at(0) }).expect(204);
      expect(await classesOf(app, owned.fqdn)).toEqual({ '10.0.0.7': 'current' });
      const failure = { stage: 'connect', fault: 'no_route' };
      await report({ address: '10.0.0.7', failure, observedAt: at(-60) }).expect(204);
      expect(await classesOf(app, owned.fqdn)).toEqual({ '10.0.0.7': 'current' });
      await report({ address: '10.0.0.7', failure, observedAt: at(60) }).expect(204);
      expect(await classesOf(app, owned.fqdn)).toEqual({ '10.0.0.7': 'unreachable' });
      const taken = server.taken();
      await app.probe();
      expect(server.taken()).toBe(taken);
      for (const body of [
        { address: '10.0.0.7', observedAt: at(0) },
        { address: '10.0.0.7', chainPem: cert, failure, observedAt: at(0) },
        { address: '10.7', chainPem: cert, observedAt: at(0) },
        { chainPem: cert, observedAt: at(0) },
        { address: '10.0.0.7', chainPem: cert.repeat(11), observedAt: at(0) },
        { address: '10.0.0.7', chainPem: 'no pem', observedAt: at(0) },
        { address: '10.0.0.7', chainPem: cert.replace('MII', 'MIJ'), observedAt: at(0) },
        { address: '10.0.0.7', chainPem: cert, observedAt: at(600) },
        { address: '10.0.0.7', chainPem: cert, observedAt: 'today' },
      ])
        await report(body).expect(400);
    });
  });

  test('are listed over all spaces that the caller may read, by class and by pages', async () => {
    const { app } = place;
    const owned = await ownedFqdn(place);
    server.reload(await newestOf(app, owned));
    await targetAt(owned.fqdn);
    const foreign = await ownedFqdn(place);
    await targetAt(foreign.fqdn);
    await app.probe();
    const space = await addSpace(app);
    await addTarget(app, await addFqdn(app, space.id), { mode: 'report' });
    const list = async (query: string, person = app.people.ada) =>
      app.request.get(`/served${query}`).set(person.auth).expect(200);
    const { body: all } = await list('');
    expect(all.map((one: { class?: string }) => one.class)).toEqual(['current', 'foreign', undefined]);
    expect(all[1].hint).toContain(`127.0.0.1:${server.port} serves certificate`);
    const { body: bad } = await list('?class=foreign');
    expect(bad).toEqual([all[1]]);
    const { body: one } = await list(`?spaceId=${owned.fqdn.spaceId}`);
    expect(one).toEqual([all[0]]);
    const page = await list('?limit=2');
    expect(page.body).toEqual(all.slice(0, 2));
    expect(page.headers['x-total-count']).toBe('3');
    const [, next] = /<([^>]*)>; rel="next"/.exec(page.headers['link'] ?? '') ?? [];
    const { body: rest } = await app.request
      .get(next ?? '')
      .set(app.people.ada.auth)
      .expect(200);
    expect(rest).toEqual(all.slice(2));
    expect((await list('', app.people.cleo)).body).toEqual([]);
    await app.request.get('/served?class=odd').set(app.people.ada.auth).expect(400);
  });

  test('are counted by class, with the time until a certificate was in service', async () => {
    const { app } = place;
    const owned = await ownedFqdn(place);
    await targetAt(owned.fqdn);
    server.reload(await newestOf(app, owned));
    app.clock.advance(120_000);
    await app.probe();
    const scrape = async () => (await app.request.get('/metrics').expect(200)).text;
    let text = await scrape();
    // a reading that takes more than 2 s on a busy machine comes with the next scrape
    for (let tries = 1; !text.includes('cert_manager_served_addresses{') && tries < 5; tries += 1)
      text = await scrape();
    expect(text).toContain('cert_manager_served_addresses{class="current"} 1');
    const count = Number(/time_to_in_service_seconds_count (\d+)/.exec(text)?.[1]);
    expect(text).toMatch(/time_to_in_service_seconds_bucket\{le="300"\} \d+/);
    // the same certificate comes into service once
    app.clock.advance(7 * hour);
    await app.probe();
    expect(await scrape()).toContain(`time_to_in_service_seconds_count ${count}`);
  });
});

// RSA comes first, unless the client has it not
const rsaFirst = 'ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES128-GCM-SHA256';
