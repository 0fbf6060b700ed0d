import { createServer } from 'node:net';
import { describe, expect, test } from 'vitest';
import { targets } from '../../../src/targets/targets.repository.js';
import { startAppOn } from '../../support/app.js';
import { addFqdn, addSpace, auditEntries, pathOf } from '../../support/inventory.js';
import {
  addTarget,
  classesOf,
  newestOf,
  ownedFqdn,
  probing,
  servedOf,
} from '../../support/monitor/served-place.js';
import { hour, minute, type ProbePlace } from './probe-place.js';

/** Tests of who probes: processes, people and agents; and of how the results are listed. */
export function describeObservations(place: ProbePlace): void {
  const { others, targetAt } = place;

  describe('by several processes', () => {
    test('probe a target once, and again if the probing process has died', async () => {
      const { app } = place;
      const beside = await startAppOn(app.database, {
        beside: app,
        environment: { ...probing(place.server.port), DUMMY_CA_URL: place.ca.url },
      });
      const owned = await ownedFqdn(place);
      place.server.reload(await newestOf(app, owned));
      for (const host of ['127.0.0.1', 'a.example.org', 'b.example.org'])
        await addTarget(app, owned.fqdn, { host, addresses: ['127.0.0.1'], port: place.server.port });
      const taken = place.server.taken();
      await Promise.all([app.probe(), beside.probe(), app.probe(), beside.probe()]);
      expect(place.server.taken() - taken).toBe(3);
      // a process took them and died
      const leaseToken = '3f8c1b1e-6a43-4f0e-9a43-0d8a6c1c5b7e';
      const until = new Date(app.clock.now().getTime() + 10 * minute);
      await app.database.transaction((tx) =>
        tx.update(targets, { enabled: true }, { leaseToken, dueAt: until }),
      );
      app.clock.advance(10 * minute - 1);
      await beside.probe();
      expect(place.server.taken() - taken).toBe(3);
      app.clock.advance(1);
      await beside.probe();
      expect(place.server.taken() - taken).toBe(6);
      await beside.close();
    });
  });

  describe('on request', () => {
    test('return the served certificate, write an audit entry, and are limited to 6 a minute for a space', async () => {
      const { app } = place;
      const owned = await ownedFqdn(place);
      place.server.reload(await newestOf(app, owned));
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

    test('time out after 20 s at a silent server, and say so', async () => {
      const { app } = place;
      const silent = createServer((socket) => void socket.on('error', () => undefined).resume());
      await new Promise<void>((done) => silent.listen(place.server.port, '127.0.0.7', done));
      others.push({ close: () => new Promise((done) => silent.close(() => done())) });
      const { fqdn } = await ownedFqdn(place);
      const { id } = await targetAt(fqdn, { host: '127.0.0.7' });
      const path = pathOf(fqdn, `targets/${id}/probe`);
      const { body } = await app.request.post(path).set(app.people.ada.auth).expect(200);
      expect(body.targets[0].addresses[0]).toMatchObject({ class: 'unreachable', stage: 'timeout' });
    });
  });

  describe('that others report', () => {
    test('are judged like those of the service, newest first', async () => {
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
      const taken = place.server.taken();
      await app.probe();
      expect(place.server.taken()).toBe(taken);
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
    place.server.reload(await newestOf(app, owned));
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
    expect(all[1].hint).toContain(`127.0.0.1:${place.server.port} serves certificate`);
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
    place.server.reload(await newestOf(app, owned));
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
}
