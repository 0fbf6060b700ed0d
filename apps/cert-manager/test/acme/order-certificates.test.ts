import type { Certificate } from '@certloop/contracts';
import { executeSql, querySql } from '@certloop/db';
import { describeEachDialect } from '@certloop/db/testing';
import { beforeEach, expect, test } from 'vitest';
import { certificates } from '../../src/certificates/certificates.repository.js';
import { findNewestCertificate } from '../../src/certificates/newest-certificates.repository.js';
import { schema } from '../../src/database.js';
import { startAppOn, type TestApp } from '../support/app.js';
import { addCsr } from '../support/inventory.js';
import { readPages } from '../support/list-pages.js';
import {
  addTestRenewal,
  certificatesOf,
  clearInventory,
  explanationOf,
  openEntryOf,
  renewedFqdn,
  signWith,
  useRenewing,
} from '../support/renewals.js';
import { newCsr } from '../support/signing.js';

const hour = 3_600_000;

describeEachDialect('the order of certificates', (open) => {
  const place = useRenewing(open);
  beforeEach(() => clearInventory(place.app));

  type Fqdn = Awaited<ReturnType<typeof renewedFqdn>>;

  const sign = async (fqdn: Fqdn, app: TestApp = place.app): Promise<string> =>
    (await signWith({ ...place, app }, fqdn)).body.certificate as string;

  const listed = async (fqdn: Fqdn): Promise<string[]> =>
    (await certificatesOf(place.app, fqdn)).map(({ pem }) => pem);

  const inUse = (fqdn: Fqdn): Promise<string[]> =>
    place.app.database.read(async (tx) => {
      const text = 'select pem from certificates where fqdn_id = $1 and replaced_at is null';
      const rows = await querySql(tx, certificates.columns, text, [fqdn.id]);
      return rows.map(({ pem }) => pem);
    });

  test('is the order of storing, also after a clock that was an hour ahead is corrected', async () => {
    const { app } = place;
    app.clock.advance(hour);
    const fqdn = await renewedFqdn(place);
    const [ahead = ''] = await listed(fqdn);
    app.clock.advance(-hour);
    const second = await sign(fqdn);
    expect(await listed(fqdn)).toEqual([ahead, second]);
    app.clock.advance(1);
    const third = await sign(fqdn);
    expect(third).not.toBe(second);
    expect(await listed(fqdn)).toEqual([ahead, second, third]);
    expect(await inUse(fqdn)).toEqual([third]);
    const newestId = (await certificatesOf(app, fqdn)).at(-1)?.id;
    expect((await openEntryOf(app, fqdn)).certificateId).toBe(newestId);
    expect(await explanationOf(app, fqdn)).toMatchObject({ certificate: { id: newestId } });
  });

  test('does not follow a clock that steps back and forth', async () => {
    const fqdn = await renewedFqdn(place);
    const stored = await listed(fqdn);
    for (const step of [hour, -2 * hour, 24 * hour, -30 * hour, 0, 7 * hour]) {
      place.app.clock.advance(step);
      stored.push(await sign(fqdn));
      expect(await inUse(fqdn)).toEqual(stored.slice(-1));
    }
    expect(new Set(stored).size).toBe(7);
    expect(await listed(fqdn)).toEqual(stored);
    const fresh = await place.app.database.read((tx) => findNewestCertificate(tx, fqdn.id));
    expect(fresh?.pem).toBe(stored.at(-1));
  });

  test('is the same for replicas whose clocks differ by two hours', async () => {
    const fqdn = await renewedFqdn(place);
    const stored = await listed(fqdn);
    const other = await startAppOn(place.app.database, {
      environment: { DUMMY_CA_URL: place.ca.url },
      beside: { clock: place.app.clock, people: place.app.people },
    });
    const clocks = { ahead: hour, behind: -hour };
    for (const [app, skew] of [
      [other, clocks.ahead],
      [place.app, clocks.behind],
      [other, clocks.ahead],
      [place.app, clocks.behind],
    ] as const) {
      place.app.clock.advance(skew);
      stored.push(await sign(fqdn, app));
      place.app.clock.advance(1 - skew);
    }
    expect(await listed(fqdn)).toEqual(stored);
    expect(await inUse(fqdn)).toEqual(stored.slice(-1));
    await other.close();
  });

  test('has one newest certificate when renewals store with an earlier time', async () => {
    const { app } = place;
    app.clock.advance(hour);
    const fqdn = await renewedFqdn(place);
    app.clock.advance(-hour);
    for (let time = 0; time < 2; time += 1) {
      await addTestRenewal(app, fqdn);
      await app.renew();
    }
    const stored = await listed(fqdn);
    expect(new Set(stored).size).toBe(3);
    expect(await inUse(fqdn)).toEqual(stored.slice(-1));
  });

  test('has the certificate of the new key last after a change of keys', async () => {
    const { app } = place;
    app.clock.advance(hour);
    const fqdn = await renewedFqdn(place);
    app.clock.advance(-hour);
    await addCsr(app, fqdn, await newCsr(fqdn.fqdn));
    const renewed = await sign(fqdn);
    expect((await listed(fqdn)).at(-1)).toBe(renewed);
    const key = async (pem: string) =>
      (await app.database.read((tx) => tx.findOneByOrFail(certificates, { pem }))).spkiSha256;
    const [before = '', after = ''] = await listed(fqdn);
    expect(await key(after)).not.toBe(await key(before));
  });

  test('continues when the certificate in use was deleted', async () => {
    const fqdn = await renewedFqdn(place);
    const [first = ''] = await listed(fqdn);
    await place.app.database.transaction((tx) =>
      executeSql(tx, 'update certificates set replaced_at = created_at where fqdn_id = $1', [fqdn.id]),
    );
    // a request that was answered once is not answered again
    await addCsr(place.app, fqdn, await newCsr(fqdn.fqdn));
    const second = await sign(fqdn);
    expect(await listed(fqdn)).toEqual([first, second]);
    expect(await inUse(fqdn)).toEqual([second]);
  });

  test('is the same in pages of any length', async () => {
    const fqdn = await renewedFqdn(place);
    for (const step of [hour, -2 * hour, hour, -hour]) {
      place.app.clock.advance(step);
      await sign(fqdn);
    }
    const stored = await listed(fqdn);
    const path = `/spaces/${fqdn.spaceId}/fqdns/${fqdn.id}/certificates?limit=2`;
    const { rows } = await readPages<Certificate>(place.app, path);
    expect(rows.map(({ pem }) => pem)).toEqual(stored);
  });

  test('is computed from times and ids by the migration, with one certificate in use', async () => {
    const { clock, database } = place.app;
    const fqdns = [await renewedFqdn(place), await renewedFqdn(place)];
    for (const fqdn of fqdns) {
      for (let time = 0; time < 3; time += 1) {
        clock.advance(hour);
        await sign(fqdn);
      }
    }
    const all = () => Promise.all(fqdns.map(listed));
    const before = await all();
    const step = schema.migrations.findIndex(({ name }) => name === '0012-order-of-certificates');
    for (const _ of schema.migrations.slice(step)) await database.revertLast();
    // what a race of old may have left
    const [{ id = '' } = {}] = fqdns;
    const text = 'update certificates set replaced_at = null where fqdn_id = $1';
    await database.transaction((tx) => executeSql(tx, text, [id]));
    await database.migrate();
    expect(await all()).toEqual(before);
    for (const [index, fqdn] of fqdns.entries()) {
      expect(await inUse(fqdn)).toEqual(before[index]?.slice(-1));
      const next = await sign(fqdn);
      expect(await listed(fqdn)).toEqual([...(before[index] ?? []), next]);
    }
  });

  test('includes certificates that a process of the previous version stores during an upgrade', async () => {
    const { database } = place.app;
    // SQLite serves one process
    if (database.dialect.name === 'sqlite') return;
    const fqdn = await renewedFqdn(place);
    const [first = ''] = await listed(fqdn);
    await database.transaction(async (tx) => {
      await executeSql(tx, 'update certificates set replaced_at = created_at where fqdn_id = $1', [fqdn.id]);
      const copied = 'fqdn_id, issuer, serial_number, spki_sha256, not_before, expires_at, created_at';
      await executeSql(
        tx,
        `insert into certificates (id, pem, ${copied})
         select gen_random_uuid(), 'old', ${copied} from certificates where fqdn_id = $1`,
        [fqdn.id],
      );
    });
    expect(await listed(fqdn)).toEqual([first, 'old']);
    expect(await inUse(fqdn)).toEqual(['old']);
    const next = await sign(fqdn);
    expect(await listed(fqdn)).toEqual([first, 'old', next]);
  });
});
