import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { WatchedServer } from '@certloop/contracts';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { beginLife, deathOf } from '../support/dying-process.js';
import { addSpace } from '../support/inventory.js';
import {
  addTarget,
  newestOf,
  ownedFqdn,
  probing,
  servedOf,
  startTlsServer,
  type TlsServer,
} from '../support/monitor/served-place.js';
import { elsewhere, fqdnOfServer, watchServersOf } from '../support/monitor/watched-servers.js';
import { certificatesOf, type SuitePlace, startRenewing } from '../support/renewals.js';

const minute = 60_000;

describeEachDialect('a process that is killed while it probes', (open) => {
  let place: SuitePlace;
  let server: TlsServer;
  /** Takes connections for the TLS server; says nothing on them while it is silent. */
  let front: Server;
  let isSilent = true;
  const sockets: Socket[] = [];
  let environment: Record<string, string>;
  let port: number;

  beforeAll(async () => {
    server = await startTlsServer({});
    front = createServer((socket) => {
      sockets.push(socket.on('error', () => undefined));
      if (isSilent) return;
      const behind = connect(server.port, '127.0.0.1');
      behind.on('error', () => socket.destroy());
      socket.pipe(behind).pipe(socket);
    }).listen(0, '127.0.0.1');
    await once(front, 'listening');
    port = (front.address() as AddressInfo).port;
    environment = probing(port);
    place = await startRenewing(open, { environment });
  });
  afterAll(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((done) => front.close(done));
    await server.close();
    await place.close();
  });

  test('leaves its targets to the next process after the lease expires: each is probed once', async () => {
    const { app } = place;
    const owned = await ownedFqdn(place);
    server.reload(await newestOf(app, owned));
    for (const host of ['a.example.org', 'b.example.org', 'c.example.org'])
      await addTarget(app, owned.fqdn, { host, addresses: ['127.0.0.1'], port });
    const child = beginLife({
      databaseUrl: app.databaseUrl,
      environment,
      now: app.clock.now(),
      work: 'probes',
    });
    const death = deathOf(child);
    while (sockets.length === 0 && child.exitCode === null) await wait(5);
    child.kill('SIGKILL');
    expect(await death).toBe('SIGKILL');
    isSilent = false;

    app.clock.advance(10 * minute - 1);
    await app.probe();
    // the process may be alive
    expect(server.taken()).toBe(0);
    app.clock.advance(1);
    await app.probe();
    expect(server.taken()).toBe(3);
    const { class: shown, targets } = await servedOf(app, owned.fqdn);
    expect(shown).toBe('current');
    expect(targets.map(({ addresses }) => addresses.map((one) => one.class))).toEqual([
      ['current'],
      ['current'],
      ['current'],
    ]);
  });

  test('that it was asked to watch, leaves FQDN and target, and the next call completes it', async () => {
    const { app } = place;
    server.reload((await elsewhere(app, 'killed.example.org')).full);
    isSilent = true;
    const { id: spaceId } = await addSpace(app);
    const asked = { host: '127.0.0.1', port, fqdn: 'killed.example.org' };
    const before = sockets.length;
    const { databaseUrl, clock, people } = app;
    const path = `/spaces/${spaceId}/watched-servers`;
    const work = { path, auth: people.ada.auth, body: { servers: [asked] } };
    const child = beginLife({ databaseUrl, environment, now: clock.now(), work });
    const death = deathOf(child);
    while (sockets.length === before && child.exitCode === null) await wait(5);
    child.kill('SIGKILL');
    expect(await death).toBe('SIGKILL');
    isSilent = false;
    const [found] = await watchServersOf(app, spaceId, [asked]);
    const added = { isNewFqdn: false, isNewTarget: false, isNewCertificate: true };
    expect(found).toMatchObject({ ...added, class: 'current', adopt: true });
    const fqdn = await fqdnOfServer(app, spaceId, found as WatchedServer);
    expect(await certificatesOf(app, fqdn)).toHaveLength(1);
  });
});
