import { describeEachDialect } from '@certloop/db/testing';
import { expect, test } from 'vitest';
import { fqdns } from '../../src/fqdns/fqdns.repository.js';
import { targets } from '../../src/targets/targets.repository.js';
import { addFqdn, addSpace, auditEntries, pathOf } from '../support/inventory.js';
import { addTarget } from '../support/monitor/served-place.js';
import { elsewhere, fqdnOfServer, watchServersOf } from '../support/monitor/watched-servers.js';
import { certificatesOf } from '../support/renewals.js';
import { useProbes } from './probe-targets/probe-place.js';

describeEachDialect('watching servers', (open) => {
  const place = useProbes(open);
  const { names } = place;
  const host = 'www.example.org';
  const watch = async (servers: readonly object[], spaceId?: string) =>
    watchServersOf(place.app, spaceId ?? (await addSpace(place.app)).id, servers);
  const here = (more: object = {}) => ({ host, port: place.server.port, ...more });
  const counts = () =>
    place.app.database.read(async (tx) => [await tx.count(fqdns), await tx.count(targets)]);

  test('adds the FQDN and a target, and stores what is served as its certificate', async () => {
    const { app, server } = place;
    const { full } = await elsewhere(app, host);
    server.reload(full);
    names.set(host, ['127.0.0.1']);
    const { id: spaceId } = await addSpace(app);
    const [found] = await watch([here()], spaceId);
    const notAfter = new Date(app.clock.now().getTime() + 89 * 86_400_000).toISOString();
    expect(found).toMatchObject({
      host,
      port: server.port,
      protocol: 'tls',
      sni: host,
      fqdn: host,
      isNewFqdn: true,
      isNewTarget: true,
      isNewCertificate: true,
      adopt: true,
      class: 'current',
      served: {
        issuer: 'CN=Foreign CA',
        notAfter,
        verified: true,
        dnsNames: [host],
        chain: [{ issuer: 'CN=Foreign CA' }, { subject: 'CN=Foreign CA' }],
      },
      addresses: [{ address: '127.0.0.1', class: 'current', well: true }],
    });
    const fqdn = await fqdnOfServer(app, spaceId, found ?? raise());
    expect(fqdn.status).toMatchObject({ state: 'valid' });
    expect(fqdn.status?.reason).toContain('It is renewed elsewhere');
    const stored = await certificatesOf(app, fqdn);
    expect(stored).toEqual([
      expect.objectContaining({
        id: found?.certificateId,
        source: 'served',
        imported: true,
        expiresAt: notAfter,
      }),
    ]);
    expect((await auditEntries(app, 'certificate.adopted')).at(-1)).toMatchObject({
      resourceId: stored[0]?.id,
      spaceId,
      username: app.people.ada.username,
      details: { fqdn: host, place: `127.0.0.1:${server.port}` },
    });
    const path = pathOf(fqdn, 'targets');
    const { body } = await app.request.get(path).set(app.people.ada.auth).expect(200);
    expect(body).toEqual([expect.objectContaining({ id: found?.targetId, adopt: true, mode: 'probe' })]);

    const [again] = await watch([here()], spaceId);
    const same = { isNewFqdn: false, isNewTarget: false, isNewCertificate: false };
    expect(again).toMatchObject({ ...same, certificateId: found?.certificateId, class: 'current' });
    expect(await certificatesOf(app, fqdn)).toEqual(stored);
    expect(await counts()).toEqual([1, 1]);
  });

  test('twice at once adds one FQDN, one target and one certificate', async () => {
    const { app, server } = place;
    server.reload((await elsewhere(app, host)).full);
    names.set(host, ['127.0.0.1']);
    const { id: spaceId } = await addSpace(app);
    const both = await Promise.all([0, 1].map(() => watch([here(), here()], spaceId)));
    const all = both.flat();
    for (const member of ['isNewFqdn', 'isNewTarget'] as const)
      expect(all.filter((one) => one[member])).toHaveLength(1);
    expect(new Set(all.map(({ certificateId }) => certificateId)).size).toBe(1);
    expect(await counts()).toEqual([1, 1]);
    const fqdn = await fqdnOfServer(app, spaceId, all[0] ?? raise());
    expect(await certificatesOf(app, fqdn)).toHaveLength(1);
  });

  test('judges each server alone, and says how to watch those that are refused', async () => {
    const { app, server } = place;
    server.reload((await elsewhere(app, host)).full);
    names.set(host, ['127.0.0.1']);
    const found = await watch([
      { host: 'bad_name.example.org', port: server.port },
      { host: '127.1' },
      { host: '127.0.0.1', port: server.port },
      { host: '10.1.2.3', port: server.port, fqdn: 'ten.example.org' },
      { host: 'other.example.org', port: 22 },
      { host: '127.0.0.1', port: server.port, fqdn: '*.example.org' },
      here(),
    ]);
    expect(found.map(({ refusal }) => refusal && [refusal.code, refusal.field])).toEqual([
      ['invalid_hostname', 'fqdn'],
      ['invalid_host', 'host'],
      ['fqdn_required', 'fqdn'],
      ['address_not_allowed', 'host'],
      ['port_not_allowed', 'port'],
      ['sni_required', 'sni'],
      undefined,
    ]);
    expect(found[2]?.refusal?.message).toContain('Add the host name that clients use there as fqdn');
    expect(found[6]?.class).toBe('current');
    // nothing is left of the others
    expect(await counts()).toEqual([1, 1]);
  });

  test('accepts 600 servers a minute and space, 1 to 100 in a call', async () => {
    const { app } = place;
    const { id: spaceId } = await addSpace(app);
    const send = (count: number) => {
      const servers = Array.from({ length: count }, () => ({ host: '127.1' }));
      const path = `/spaces/${spaceId}/watched-servers`;
      return app.request.post(path).set(app.people.ada.auth).send({ servers });
    };
    await send(0).expect(400);
    await send(101).expect(400);
    for (const _ of [1, 2, 3, 4, 5, 6]) await send(100).expect(200);
    const { headers } = await send(50).expect(429);
    expect(headers['retry-after']).toBe('5');
    app.clock.advance(5000);
    await send(50).expect(200);
    // another space has its own
    await watch([{ host: '127.1' }]);
  });

  test('uses the target that is there, and not one that is switched off', async () => {
    const { app, server } = place;
    server.reload((await elsewhere(app, '*.example.org')).full);
    const wildcard = await addFqdn(app, (await addSpace(app)).id, '*.example.org');
    const target = { host: '127.0.0.1', port: server.port, sni: host };
    const { id } = await addTarget(app, wildcard, target);
    const asked = { ...target, fqdn: '*.example.org' };
    const [found] = await watch([asked], wildcard.spaceId);
    const expected = { fqdnId: wildcard.id, targetId: id, isNewFqdn: false, isNewTarget: false };
    expect(found).toMatchObject({ ...expected, isNewCertificate: true, adopt: true, class: 'current' });
    await app.request
      .put(pathOf(wildcard, `targets/${id}`))
      .set(app.people.ada.auth)
      .send({ enabled: false })
      .expect(200);
    const [refused] = await watch([asked], wildcard.spaceId);
    expect(refused?.refusal).toMatchObject({ code: 'target_not_probed', field: 'host' });
  });

  test('leaves a certificate that was imported from a tool, and adopts its successor', async () => {
    const { app, server } = place;
    const { full, alone } = await elsewhere(app, host);
    const fqdn = await addFqdn(app, (await addSpace(app)).id, host);
    const body = { pem: alone.cert, source: 'certbot' };
    const path = pathOf(fqdn, 'certificates/import');
    await app.request.post(path).set(app.people.ada.auth).send(body).expect(201);
    server.reload(full);
    names.set(host, ['127.0.0.1']);
    const [found] = await watch([here()], fqdn.spaceId);
    expect(found).toMatchObject({ fqdnId: fqdn.id, isNewCertificate: false, class: 'current', adopt: true });
    const { status } = await fqdnOfServer(app, fqdn.spaceId, found ?? raise());
    expect(status?.reason).toContain('It is renewed elsewhere');
    server.reload((await elsewhere(app, host, { from: 0 })).full);
    await watch([here()], fqdn.spaceId);
    expect((await certificatesOf(app, fqdn)).map(({ source }) => source)).toEqual(['certbot', 'served']);
  });

  test('watches as many servers as targets are allowed', async () => {
    const { app, server } = place;
    server.reload((await elsewhere(app, host)).full);
    const servers = Array.from({ length: 21 }, (_, index) => ({
      host: `127.0.1.${index + 1}`,
      port: server.port,
      fqdn: host,
    }));
    const found = await watch(servers);
    expect(found.slice(0, 20).every(({ failure }) => failure?.failure === 'connection_refused')).toBe(true);
    expect(found[20]?.refusal).toMatchObject({ code: 'too_many_targets' });
    expect(await app.database.read((tx) => tx.count(targets))).toBe(20);
  });
});

function raise(): never {
  throw new Error('nothing was watched');
}
