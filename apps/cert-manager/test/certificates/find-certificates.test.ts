import type { CertificateDetail, FoundCertificate } from '@certloop/contracts';
import { executeSql } from '@certloop/db';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { grant } from '../support/factories.js';
import { addFqdn, addSpace, pathOf } from '../support/inventory.js';
import { readPages } from '../support/list-pages.js';
import type { Person } from '../support/people.js';
import {
  certificatesOf,
  issuedFqdn,
  type RenewalPlace,
  signWith,
  startRenewing,
} from '../support/renewals.js';

describeEachDialect('finding certificates', (open) => {
  let place: RenewalPlace;
  let old: CertificateDetail;
  let newest: CertificateDetail;
  let fqdn: Awaited<ReturnType<typeof issuedFqdn>>;
  beforeAll(async () => {
    place = await startRenewing(open);
    fqdn = await issuedFqdn(place);
    place.app.clock.advance(60_000);
    await signWith(place, fqdn);
    const [first, second] = await certificatesOf(place.app, fqdn);
    old = await detailOf(first?.id ?? '');
    newest = await detailOf(second?.id ?? '');
  });
  afterAll(() => place.close());

  const find = (query: string, person: Person = place.app.people.ada) =>
    place.app.request.get(`/certificates?${query}`).set(person.auth);

  async function detailOf(id: string): Promise<CertificateDetail> {
    const { ada } = place.app.people;
    const path = pathOf(fqdn, `certificates/${id}`);
    return (await place.app.request.get(path).set(ada.auth).expect(200)).body;
  }

  async function idsOf(query: string, person?: Person): Promise<readonly string[]> {
    const { body } = await find(query, person).expect(200);
    return (body as FoundCertificate[]).map(({ id }) => id);
  }

  const withColons = (digits: string) => digits.toUpperCase().replace(/(..)(?=.)/g, '$1:');

  test('shows the FQDN and space of the certificate, and that it is replaced', async () => {
    const { body, headers } = await find(`serialNumber=${old.serialNumber}`).expect(200);
    const space = await place.app.request.get(`/spaces/${fqdn.spaceId}`).set(place.app.people.ada.auth);
    expect(body).toEqual([
      {
        id: old.id,
        fqdnId: fqdn.id,
        spaceId: fqdn.spaceId,
        fqdn: fqdn.fqdn,
        spaceName: space.body.name,
        issuer: old.issuer,
        serialNumber: old.serialNumber,
        notBefore: old.notBefore,
        expiresAt: old.expiresAt,
        replacedAt: old.replacedAt,
      },
    ]);
    expect(headers['x-total-count']).toBe('1');
    const { body: found } = await find(`sha256=${newest.sha256}`).expect(200);
    expect(found).toEqual([expect.not.objectContaining({ replacedAt: expect.anything() })]);
  });

  test('accepts a serial number in any spelling', async () => {
    const numbered = await addFqdn(place.app, fqdn.spaceId, 'numbered.example.org');
    const [id] = await copies(place, numbered.id, 1, 'e50a1b');
    for (const text of ['e50a1b', 'E50A1B', 'E5:0A:1B', '00:E5:0A:1B', 'e5 0a 1b', '0xE50A1B']) {
      expect([text, await idsOf(`serialNumber=${encodeURIComponent(text)}`)]).toEqual([text, [id]]);
    }
  });

  test('accepts the fingerprint of a certificate, and of a public key for all its certificates', async () => {
    for (const text of [newest.sha256, withColons(newest.sha256)]) {
      expect(await idsOf(`sha256=${encodeURIComponent(text)}`)).toEqual([newest.id]);
    }
    expect(newest.publicKey.spkiSha256).toBe(old.publicKey.spkiSha256);
    expect(await idsOf(`sha256=${newest.publicKey.spkiSha256}`)).toEqual([newest.id, old.id]);
  });

  test('finds a certificate by its id', async () => {
    for (const id of [old.id, old.id.toUpperCase()]) expect(await idsOf(`id=${id}`)).toEqual([old.id]);
    expect(await idsOf(`id=${old.id}&serialNumber=${newest.serialNumber}`)).toEqual([]);
    expect(await idsOf(`id=${fqdn.id}`)).toEqual([]);
    expect(await idsOf(`id=${old.id}`, place.app.people.cleo)).toEqual([]);
  });

  test('finds certificates that match both, and none if nothing matches', async () => {
    expect(await idsOf(`serialNumber=${old.serialNumber}&sha256=${old.sha256}`)).toEqual([old.id]);
    expect(await idsOf(`serialNumber=${old.serialNumber}&sha256=${newest.sha256}`)).toEqual([]);
    expect(await idsOf('serialNumber=dead')).toEqual([]);
    expect(await idsOf(`sha256=${'0'.repeat(64)}`)).toEqual([]);
  });

  test.each([
    '',
    'limit=5',
    'serialNumber=',
    'serialNumber=www.example.org',
    'serialNumber=0a:1',
    `serialNumber=${'1'.repeat(201)}`,
    'serialNumber=1&serialNumber=2',
    'serialNumber=%00',
    'sha256=',
    `sha256=${'0'.repeat(63)}`,
    `sha256=${'g'.repeat(64)}`,
    'id=',
    'id=1',
    'serialNumber=01&limit=0',
    'serialNumber=01&limit=1001',
    'serialNumber=01&cursor=x',
  ])('refuses ?%s', async (query) => {
    await find(query).expect(400);
  });

  test('names the parameter that is missing or wrong', async () => {
    const { body } = await find('').expect(400);
    expect(body.errors).toEqual([expect.objectContaining({ path: 'query.serialNumber', code: 'required' })]);
    const { body: wrong } = await find('sha256=abc').expect(400);
    expect(wrong.errors).toEqual([expect.objectContaining({ path: 'query.sha256' })]);
  });

  test('finds only certificates that the caller may read', async () => {
    const { ben, cleo } = place.app.people;
    const query = `serialNumber=${newest.serialNumber}`;
    expect(await idsOf(query, cleo)).toEqual([]);
    const other = await addSpace(place.app);
    await grant(place.app, ben, 'READ', [other.id]);
    expect(await idsOf(query, ben)).toEqual([]);
    await grant(place.app, ben, 'READ', [fqdn.spaceId]);
    expect(await idsOf(query, ben)).toEqual([newest.id]);
    await place.app.request.get(`/certificates?${query}`).expect(401);
  });

  test('returns many certificates with one serial number in pages, newest first', async () => {
    const elsewhere = await addFqdn(place.app, (await addSpace(place.app, 'other')).id, 'other.example.org');
    await copies(place, elsewhere.id, 40, 'c0ffee');
    const query = '/certificates?serialNumber=c0ffee';
    const { rows, totals } = await readPages<FoundCertificate>(place.app, `${query}&limit=7`);
    expect(rows).toHaveLength(40);
    expect([...totals]).toEqual(['40']);
    expect(rows).toEqual((await place.app.request.get(query).set(place.app.people.ada.auth)).body);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(40);
    expect(rows.every(({ spaceName }) => spaceName === 'other')).toBe(true);
  });

  test('finds those that an earlier version stored without a fingerprint', async () => {
    const { database } = place.app;
    const elsewhere = await addFqdn(place.app, (await addSpace(place.app, 'many')).id, 'many.example.org');
    await copies(place, elsewhere.id, 1_100, 'c0de');
    const twice = await addFqdn(place.app, elsewhere.spaceId, 'twice.example.org');
    const twins = await copies(place, twice.id, 3, 'a71');
    while ((await database.pendingMigrations()).at(0) !== '0033-find-certificates')
      await database.revertLast();
    await database.transaction(async (tx) => {
      await executeSql(
        tx,
        `update certificates set serial_number = cast(id as text), leaf_sha256 = null,
           pem = (select pem from certificates where id = $1) where fqdn_id = $2`,
        [old.id, elsewhere.id],
      );
      await executeSql(tx, 'update certificates set leaf_sha256 = null where fqdn_id = $1', [fqdn.id]);
    });
    await database.transaction((tx) =>
      executeSql(
        tx,
        `update certificates set leaf_sha256 = null, pem = (select pem from certificates where id = $1)
         where serial_number = 'a71'`,
        [newest.id],
      ),
    );
    await database.migrate();
    // of copies that an FQDN has, the first one
    const found = await idsOf(`sha256=${newest.sha256}`);
    expect([...found].sort()).toEqual([newest.id, [...twins].sort()[0]].sort());
    const { headers } = await find(`sha256=${old.sha256}&limit=1`).expect(200);
    expect(headers['x-total-count']).toBe('1101');
  });
});

/** Copies of a certificate for an FQDN, as a CA stores them that begins to count again and again. */
async function copies({ app }: RenewalPlace, fqdnId: string, count: number, serial: string) {
  const ids = Array.from({ length: count }, () => crypto.randomUUID());
  await app.database.transaction(async (tx) => {
    for (const [position, id] of ids.entries()) {
      await executeSql(
        tx,
        `insert into certificates (id, fqdn_id, pem, issuer, serial_number, spki_sha256, leaf_sha256, not_before,
           expires_at, created_at, position, replaced_at)
         select $1, $2, pem, issuer, $3, $4, $5, not_before, expires_at, created_at, $6, created_at
           from certificates where replaced_at is null limit 1`,
        [id, fqdnId, serial, `key ${id}`, `leaf ${id}`, position + 1],
      );
    }
  });
  return ids;
}
