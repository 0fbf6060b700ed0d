import { createHash, X509Certificate } from 'node:crypto';
import type { Fqdn, FqdnStatus, ImportSource, Inventory, RenewalOwner } from '@certloop/contracts';
import { executeSql } from '@certloop/db';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ChainedCa, createChainedCa } from '../support/cas/chained-ca.js';
import { foreignPem } from '../support/cas/foreign-ca.js';
import { grant } from '../support/factories.js';
import { addFqdn, addSpace, pathOf } from '../support/inventory.js';
import type { Person } from '../support/people.js';
import { issuedFqdn, type RenewalPlace, renewedFqdn, startRenewing } from '../support/renewals.js';

describeEachDialect('the inventory', (open) => {
  let place: RenewalPlace;
  let ca: ChainedCa;
  let spaceId: string;
  let names: Readonly<Record<'ours' | 'off' | 'certbot' | 'served' | 'file' | 'unfinished', Fqdn>>;
  beforeAll(async () => {
    place = await startRenewing(open);
    ca = await createChainedCa(place.app.clock.now(), [{ name: 'Between', endsIn: 5 }]);
    spaceId = (await addSpace(place.app, 'team')).id;
    const chained = async (name: string) => `${await ca.leafFor(name)}${ca.intermediates.join('')}`;
    names = {
      ours: await renewedFqdn(place, 'ours.example.org'),
      off: await issuedFqdn(place, 'off.example.org'),
      certbot: await imported('certbot.example.org', await chained('certbot.example.org'), 'certbot'),
      served: await imported('served.example.org', await chained('served.example.org')),
      file: await imported('file.example.org', await foreignPem('file.example.org', place.app.clock.now())),
      unfinished: await addFqdn(place.app, spaceId, 'unfinished.example.org'),
    };
    await adopt(names.served);
    await grant(place.app, place.app.people.ben, 'READ', [spaceId]);
  });
  afterAll(() => place.close());

  const imported = async (name: string, pem: string, source?: ImportSource) => {
    const fqdn = await addFqdn(place.app, spaceId, name);
    const send = place.app.request
      .post(pathOf(fqdn, 'certificates/import'))
      .set(place.app.people.ada.auth)
      .send({ pem, ...(source !== undefined && { source }) });
    await send.expect(201);
    return fqdn;
  };
  /** As an FQDN is whose server is watched. */
  const adopt = async (fqdn: Fqdn) => {
    await place.app.request
      .post(pathOf(fqdn, 'targets'))
      .set(place.app.people.ada.auth)
      .send({ host: fqdn.fqdn, port: 465, protocol: 'smtp', mode: 'report' })
      .expect(201);
    await place.app.database.transaction(async (tx) => {
      await executeSql(tx, 'update targets set adopt = true where fqdn_id = $1', [fqdn.id]);
      await executeSql(tx, "update certificates set source = 'served' where fqdn_id = $1", [fqdn.id]);
    });
  };
  const get = async (path: string, person: Person = place.app.people.ada) =>
    (await place.app.request.get(path).set(person.auth).expect(200)).body;
  const inventory = async (query = '', person?: Person): Promise<Inventory> =>
    get(`/inventory${query}`, person);
  const csv = async (query = '', person: Person = place.app.people.ada) =>
    (await place.app.request.get(`/inventory.csv${query}`).set(person.auth).expect(200)).text;
  const listed = async (query: string, person?: Person): Promise<string[]> =>
    (await get(`/fqdns?${query}`, person)).map(({ fqdn }: Fqdn) => fqdn.split('.')[0]);
  const statusOf = async (fqdn: Fqdn): Promise<FqdnStatus> =>
    (await get(`/spaces/${fqdn.spaceId}/fqdns/${fqdn.id}`)).status;
  const sha256Of = (pem: string) => createHash('sha256').update(new X509Certificate(pem).raw).digest('hex');

  test('says of each name who renews it, how whole its chain is, and how its servers come to TLS', async () => {
    expect(await statusOf(names.ours)).toMatchObject({
      renewedBy: 'certloop',
      certificate: { chain: 'complete' },
    });
    expect(await statusOf(names.certbot)).toMatchObject({
      renewedBy: 'acme_client',
      certificate: { source: 'certbot', chain: 'complete' },
    });
    expect(await statusOf(names.served)).toMatchObject({
      renewedBy: 'elsewhere',
      protocols: ['smtp'],
      certificate: { source: 'served', chain: 'complete' },
    });
    const file = await statusOf(names.file);
    expect(file).toMatchObject({ renewedBy: 'none', certificate: { chain: 'incomplete' } });
    expect(file).not.toHaveProperty('protocols');
    expect((await statusOf(names.off)).renewedBy).toBe('none');
    expect((await statusOf(names.unfinished)).renewedBy).toBe('none');
  });

  test('counts names by issuer, intermediate, key and owner of the renewal', async () => {
    const { ben } = place.app.people;
    const [between = ''] = ca.intermediates;
    expect(await inventory('', ben)).toEqual({
      names: 4,
      unfinished: 1,
      issuers: [
        { issuer: 'CN=Between', names: 2 },
        { issuer: 'CN=Foreign CA', names: 1 },
      ],
      authorities: [
        {
          sha256: sha256Of(between),
          subject: 'CN=Between',
          expiresAt: new Date(new X509Certificate(between).validTo).toISOString(),
          names: 2,
        },
      ],
      keys: [{ key: 'ECDSA P-256', names: 3 }],
      renewedBy: [
        { renewedBy: 'none', names: 2 },
        { renewedBy: 'acme_client', names: 1 },
        { renewedBy: 'elsewhere', names: 1 },
      ],
      computedAt: place.app.clock.now().toISOString(),
    });
    expect((await inventory()).names).toBe(6);
    expect((await inventory(`?spaceId=${names.ours.spaceId}`)).names).toBe(1);
    expect((await inventory(`?spaceId=${names.ours.spaceId}`, ben)).names).toBe(0);
  });

  test('each count is the number of names that the list shows for it', async () => {
    const { ben } = place.app.people;
    const { issuers, authorities, keys, renewedBy } = await inventory('', ben);
    const filters = [
      ...issuers.map(({ issuer, names: count }) => ['issuer', issuer, count] as const),
      ...authorities.map(({ sha256, names: count }) => ['authority', sha256, count] as const),
      ...keys.map(({ key, names: count }) => ['key', key, count] as const),
      ...renewedBy.map((one) => ['renewedBy', one.renewedBy, one.names] as const),
    ];
    for (const [name, value, count] of filters) {
      const query = `${name}=${encodeURIComponent(value)}`;
      expect([name, value, (await listed(query, ben)).length]).toEqual([name, value, count]);
    }
    const byOwner = (owner: RenewalOwner) => listed(`renewedBy=${owner}&sort=fqdn`);
    expect(await byOwner('certloop')).toEqual(['ours']);
    expect(await byOwner('acme_client')).toEqual(['certbot']);
    expect(await byOwner('elsewhere')).toEqual(['served']);
    expect(await byOwner('none')).toEqual(['file', 'off', 'unfinished']);
    expect(await listed('issuer=CN%3DBetween&sort=createdAt')).toEqual(['certbot', 'served']);
  });

  test('names whose targets are gone are renewed by nothing that is known', async () => {
    const fqdn = await imported(
      'gone.example.org',
      await foreignPem('gone.example.org', place.app.clock.now()),
    );
    await adopt(fqdn);
    expect((await statusOf(fqdn)).renewedBy).toBe('elsewhere');
    const [target] = await get(pathOf(fqdn, 'targets'));
    await place.app.request
      .delete(pathOf(fqdn, `targets/${target.id}`))
      .set(place.app.people.ada.auth)
      .expect(200);
    expect((await statusOf(fqdn)).renewedBy).toBe('none');
    await place.app.request
      .delete(`/spaces/${fqdn.spaceId}/fqdns/${fqdn.id}`)
      .set(place.app.people.ada.auth)
      .expect(200);
  });

  test('is exported with a line for each name that may be read, harmless for spreadsheets', async () => {
    await place.app.request
      .put(`/spaces/${spaceId}/fqdns/${names.file.id}`)
      .set(place.app.people.ada.auth)
      .send({ description: '=cmd|calc' })
      .expect(200);
    const lines = (await csv('', place.app.people.ben)).split('\r\n');
    const [between = ''] = ca.intermediates;
    const end = new Date(new X509Certificate(between).validTo).toISOString();
    expect(lines).toHaveLength(6);
    expect(lines[0]).toBe(
      'name,space,description,renewed by,issuer,serial number,key,valid from,expires,chain,intermediate,intermediate expires,source,id',
    );
    expect(lines[1]).toMatch(
      new RegExp(
        `^certbot.example.org,team,,acme_client,CN=Between,[0-9a-f]+,ECDSA P-256,.*,complete,CN=Between,${end},certbot,${names.certbot.id}$`,
      ),
    );
    expect(lines[2]).toMatch(/^file.example.org,team,"'=cmd\|calc",none,CN=Foreign CA,.*,incomplete,,,,/);
    expect(lines[4]).toBe(`unfinished.example.org,team,,none,,,,,,,,,,${names.unfinished.id}`);
    expect((await csv()).split('\r\n')).toHaveLength(8);
    expect((await csv(`?spaceId=${names.ours.spaceId}`)).split('\r\n')).toHaveLength(3);
  });

  test('counts what an earlier version stored once its keys have been read', async () => {
    const before = await inventory('', place.app.people.ben);
    await place.app.database.transaction((tx) =>
      executeSql(tx, 'update certificates set key_kind = null, authority_sha256 = null'),
    );
    const unread = await inventory('', place.app.people.ben);
    expect(unread).toMatchObject({ issuers: before.issuers, authorities: [], keys: [] });
    expect((await statusOf(names.file)).certificate).not.toHaveProperty('chain');
    await place.app.readChainEnds();
    expect(await inventory('', place.app.people.ben)).toEqual(before);
  });
});
