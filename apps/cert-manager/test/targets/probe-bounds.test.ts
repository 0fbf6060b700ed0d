import { connect, createServer, type Server, type Socket } from 'node:net';
import { insertMany } from '@certloop/db';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { auditLogs } from '../../src/audit/audit.repository.js';
import { targetChanges } from '../../src/targets/probes/target-changes.repository.js';
import { targetStates } from '../../src/targets/probes/target-states.repository.js';
import { type TargetRow, targets } from '../../src/targets/targets.repository.js';
import { startAppOn } from '../support/app.js';
import { grant } from '../support/factories.js';
import { addFqdn, addSpace, pathOf } from '../support/inventory.js';
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
import { clearInventory, type RenewalPlace, startRenewing } from '../support/renewals.js';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

describeEachDialect('targets and their probes', (open) => {
  let place: RenewalPlace;
  let server: TlsServer;
  beforeAll(async () => {
    server = await startTlsServer({});
    place = await startRenewing(open, { environment: { ...probing(server.port), METRICS_OPEN: 'true' } });
  });
  const opened: { close(): Promise<unknown> }[] = [];
  afterEach(async () => {
    for (const one of opened.splice(0)) await one.close();
    await clearInventory(place.app);
  });
  afterAll(async () => {
    await place.close();
    await server.close();
  });

  const targetAt = (fqdn: Parameters<typeof addTarget>[1], more: object = {}) =>
    addTarget(place.app, fqdn, { host: '127.0.0.1', port: server.port, ...more });

  test('are limited to 200 for each space, also with concurrent calls', async () => {
    const { app } = place;
    const { id: spaceId } = await addSpace(app);
    const rows: TargetRow[] = [];
    const now = app.clock.now();
    for (let count = 0; count < 10; count += 1) {
      const fqdn = await addFqdn(app, spaceId, `h${count}.example.org`);
      const target = await addTarget(app, fqdn, { mode: 'report', port: 1 });
      const [row] = await app.database.read((tx) => tx.find(targets, { where: { id: target.id } }));
      if (row === undefined) throw new Error('the target is not stored');
      const id = (port: number) => `00000000-0000-4000-8000-${String(count * 100 + port).padStart(12, '0')}`;
      // 199 of them are there
      for (let port = 2; port <= (count === 9 ? 19 : 20); port += 1)
        rows.push({ ...row, id: id(port), port, createdAt: now });
    }
    await app.database.transaction((tx) => insertMany(tx, targets, rows));
    const last = await addFqdn(app, spaceId, 'last.example.org');
    const ask = (port: number) =>
      app.request.post(pathOf(last, 'targets')).set(app.people.ada.auth).send({ mode: 'report', port });
    const answers = await Promise.all([1, 2, 3].map(ask));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400]);
    expect(answers.find(({ status }) => status === 400)?.body.detail).toContain(
      '200 targets, of 200 at most',
    );
    expect(await app.database.read((tx) => tx.countBy(targets, { spaceId }))).toBe(200);
  });

  test('keep changes for 400 days, the newest 200 of each target', async () => {
    const { app } = place;
    const owned = await ownedFqdn(place);
    server.reload(await newestOf(app, owned));
    const { id: targetId } = await targetAt(owned.fqdn);
    const { id: otherId } = await targetAt(owned.fqdn, { host: '127.0.0.2' });
    const now = app.clock.now().getTime();
    const changeAt = (of: string, index: number, at: number) => ({
      id: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
      targetId: of,
      address: '127.0.0.1',
      at: new Date(at),
      class: 'foreign' as const,
      serialNumber: null,
      leafSha256: null,
    });
    const old = [changeAt(otherId, 1000, now - 400 * day - 1), changeAt(otherId, 1001, now - 400 * day)];
    const many = Array.from({ length: 250 }, (_, index) =>
      changeAt(targetId, index, now - (250 - index) * minute),
    );
    await app.database.transaction((tx) => insertMany(tx, targetChanges, [...old, ...many]));
    await app.probe();
    const changes = await app.database.read((tx) => tx.find(targetChanges));
    const of = (id: string) =>
      changes.filter((change) => change.targetId === id).map(({ at }) => at.getTime());
    expect(of(targetId)).toHaveLength(200);
    expect(Math.min(...of(targetId))).toBe(now - 199 * minute);
    // what was observed now, and what is not yet too old
    expect(of(otherId).sort((a, b) => a - b)).toEqual([now - 400 * day, now]);
  });

  test('on request are counted by space, and are allowed again a minute later', async () => {
    const { app } = place;
    const owned = await ownedFqdn(place);
    const beside = await ownedFqdn(place);
    server.reload(await newestOf(app, owned));
    const pathTo = async ({ fqdn }: typeof owned) =>
      pathOf(fqdn, `targets/${(await targetAt(fqdn)).id}/probe`);
    const [path, other] = [await pathTo(owned), await pathTo(beside)];
    const statuses = async (where: string, count: number) => {
      const found: number[] = [];
      for (let index = 0; index < count; index += 1)
        found.push((await app.request.post(where).set(app.people.ada.auth)).status);
      return found;
    };
    expect(await statuses(path, 7)).toEqual([200, 200, 200, 200, 200, 200, 429]);
    expect(await statuses(other, 1)).toEqual([200]);
    app.clock.advance(minute);
    expect(await statuses(path, 1)).toEqual([200]);
  });

  test('of a process whose lease expired are not stored', async () => {
    const { app } = place;
    const beside = await startAppOn(app.database, {
      beside: app,
      environment: { ...probing(server.port), DUMMY_CA_URL: place.ca.url },
    });
    const owned = await ownedFqdn(place);
    server.reload(await newestOf(app, owned));
    // the first connection is never answered, those after it lead to the server
    const held = await holdFirst(server, '127.0.0.5');
    opened.push(held, beside);
    await targetAt(owned.fqdn, { host: '127.0.0.5' });
    const late = app.probe();
    await held.isHeld;
    app.clock.advance(10 * minute);
    await beside.probe();
    expect(await classesOf(app, owned.fqdn)).toEqual({ '127.0.0.5': 'current' });
    const due = async () => (await app.database.read((tx) => tx.find(targets)))[0];
    const settled = await due();
    held.cut();
    await late;
    expect(await classesOf(app, owned.fqdn)).toEqual({ '127.0.0.5': 'current' });
    expect(await due()).toEqual(settled);
    expect(await app.database.read((tx) => tx.count(targetChanges))).toBe(1);
  });

  test('never reveal bytes that a server sent before TLS', async () => {
    const { app } = place;
    const owned = await ownedFqdn(place);
    const secret = 'internal-build-7731';
    const banner = createServer((socket) =>
      socket
        .on('error', () => undefined)
        .resume()
        .end(`220 ${secret}\r\n500 ${secret}\r\n`),
    );
    await new Promise<void>((done) => banner.listen(server.port, '127.0.0.6', done));
    opened.push({ close: () => new Promise((done) => banner.close(done)) });
    for (const protocol of ['tls', 'smtp', 'imap', 'pop3', 'ldap', 'postgres', 'mysql', 'xmpp', 'ftp'])
      await targetAt(owned.fqdn, { host: '127.0.0.6', protocol });
    await app.probe();
    const [target] = await app.database.read((tx) => tx.find(targets));
    const ada = app.people.ada.auth;
    const byHand = await app.request
      .post(pathOf(owned.fqdn, `targets/${target?.id}/probe`))
      .set(ada)
      .expect(200);
    const shown = [
      byHand.text,
      JSON.stringify(await servedOf(app, owned.fqdn)),
      ...(await Promise.all(
        ['/served', pathOf(owned.fqdn, 'targets'), '/audit-logs', '/metrics'].map(
          async (path) => (await app.request.get(path).set(ada).expect(200)).text,
        ),
      )),
      JSON.stringify(await app.database.read((tx) => tx.find(targetStates))),
      JSON.stringify(await app.database.read((tx) => tx.find(auditLogs))),
    ];
    expect(new Set(Object.values(await classesOf(app, owned.fqdn)))).toEqual(new Set(['unreachable']));
    for (const text of shown) expect(text).not.toContain(secret);
    expect(shown[1]).toContain('"failure":"wrong_protocol"');
  });

  test('are visible only to callers who can read the space', async () => {
    const { app } = place;
    const mine = await ownedFqdn(place);
    const others = await ownedFqdn(place);
    server.reload(await newestOf(app, mine));
    const paths = [];
    for (const { fqdn } of [mine, others]) {
      const { id } = await targetAt(fqdn);
      paths.push({
        seen: [pathOf(fqdn, 'targets'), pathOf(fqdn, 'served')],
        probe: pathOf(fqdn, `targets/${id}/probe`),
      });
    }
    await app.probe();
    const { ben } = app.people;
    await grant(app, ben, 'READ', [mine.fqdn.spaceId]);
    const [own, foreign] = paths;
    const get = (path: string) => app.request.get(path).set(ben.auth);
    for (const path of own?.seen ?? []) await get(path).expect(200);
    await app.request
      .post(own?.probe ?? '')
      .set(ben.auth)
      .expect(403);
    for (const path of foreign?.seen ?? []) await get(path).expect(404);
    await app.request
      .post(foreign?.probe ?? '')
      .set(ben.auth)
      .expect(404);
    const { body, headers } = await get('/served').expect(200);
    expect(body.map(({ fqdnId }: { fqdnId: string }) => fqdnId)).toEqual([mine.fqdn.id]);
    expect(headers['x-total-count'] ?? '1').toBe('1');
    expect((await get(`/served?spaceId=${others.fqdn.spaceId}`).expect(200)).body).toEqual([]);
  });
});

/** A way to the server at another address, whose first connection is held until it is cut. */
async function holdFirst(server: TlsServer, host: string) {
  const sockets = new Set<Socket>();
  let hold: (socket: Socket) => void = () => undefined;
  const isHeld = new Promise<void>((resolve) => {
    hold = () => resolve();
  });
  let first: Socket | undefined;
  const way: Server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    if (first === undefined) {
      first = socket;
      hold(socket);
      return;
    }
    const inner = connect(server.port, '127.0.0.1').on('error', () => socket.destroy());
    sockets.add(inner);
    socket.pipe(inner).pipe(socket);
  });
  await new Promise<void>((done) => way.listen(server.port, host, done));
  return {
    isHeld,
    cut: () => first?.destroy(),
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((done) => way.close(done));
    },
  };
}
