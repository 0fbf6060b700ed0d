import { executeSql } from '@certloop/db';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { countExpiring } from '../../src/certificates/certificate-lists.repository.js';
import { certificates } from '../../src/certificates/certificates.repository.js';
import { schema } from '../../src/database.js';
import { listSpaceExpiry } from '../../src/system/expiry-scrape.repository.js';
import {
  certificatesOf,
  clearInventory,
  type RenewalPlace,
  renewedFqdn,
  signWith,
  startRenewing,
} from '../support/renewals.js';

const day = 86_400_000;

describeEachDialect('a certificate that is replaced', (open) => {
  let place: RenewalPlace;
  beforeAll(async () => {
    place = await startRenewing(open);
  });
  beforeEach(() => clearInventory(place.app));
  afterAll(() => place.close());

  /** When the certificates of an FQDN were replaced, in the order of their storing. */
  function replacements(fqdnId: string) {
    return place.app.database.read(async (tx) => {
      const rows = await tx.find(certificates, { where: { fqdnId }, order: { position: 'ASC' } });
      return rows.map(({ replacedAt }) => replacedAt);
    });
  }

  test('is marked with the time of the next one, which is in use', async () => {
    const fqdn = await renewedFqdn(place);
    expect(await replacements(fqdn.id)).toEqual([null]);
    place.app.clock.advance(day);
    const second = place.app.clock.now();
    await signWith(place, fqdn);
    place.app.clock.advance(day);
    const third = place.app.clock.now();
    await signWith(place, fqdn);
    expect(await replacements(fqdn.id)).toEqual([second, third, null]);
  });

  test('is the one with the later time if the clock was set back', async () => {
    const fqdn = await renewedFqdn(place);
    place.app.clock.advance(-60_000);
    const back = place.app.clock.now();
    await signWith(place, fqdn);
    expect(await replacements(fqdn.id)).toEqual([back, null]);
    const stored = await certificatesOf(place.app, fqdn);
    expect(stored.at(-1)?.createdAt).toBe(back.toISOString());
  });

  test('is not among those that are reported to expire', async () => {
    const { clock, database } = place.app;
    const fqdn = await renewedFqdn(place);
    clock.advance(10 * day);
    await signWith(place, fqdn);
    const countedIn = (days: number) => {
      const now = new Date(clock.now().getTime() + days * day);
      return database.read((tx) => countExpiring(tx, now, new Date(now.getTime() + 5 * day)));
    };
    expect(await countedIn(18)).toEqual({ expired: 0, expiring: 0 });
    expect(await countedIn(21)).toEqual({ expired: 0, expiring: 0 });
    expect(await countedIn(28)).toEqual({ expired: 0, expiring: 1 });
    expect(await countedIn(31)).toEqual({ expired: 1, expiring: 0 });
  });

  test('does not hide other certificates from the metrics, however many there are', async () => {
    const { clock, database } = place.app;
    const fqdn = await renewedFqdn(place);
    clock.advance(day);
    await signWith(place, fqdn);
    // more of them expire before than a scrape looks at on SQLite
    const copied = ['fqdn_id', 'pem', 'issuer', 'serial_number', 'spki_sha256', 'not_before', 'expires_at'];
    const names = [...copied, 'created_at', 'replaced_at'].join(', ');
    const added = `id, position, ${names}`;
    const id = { sqlite: 'lower(hex(randomblob(16)))', postgres: 'gen_random_uuid()' }[database.dialect.name];
    await database.transaction((tx) =>
      executeSql(
        tx,
        `with recursive n(i) as (select 1 union all select i + 1 from n where i < 20001)
         insert into certificates (${added})
         select ${id}, i + 2, ${names} from n cross join certificates
         where fqdn_id = $1 and replaced_at is not null and n.i > 0`,
        [fqdn.id],
      ),
    );
    const [space] = await database.read((tx) => listSpaceExpiry(tx, clock.now()));
    expect(space).toMatchObject({ spaceId: fqdn.spaceId, within30Days: 1, expired: 0 });
  });

  test('is marked in the same way by the migration', async () => {
    const { clock, database } = place.app;
    const fqdns = [await renewedFqdn(place), await renewedFqdn(place)];
    for (let time = 0; time < 2; time += 1) {
      clock.advance(day);
      for (const fqdn of fqdns.slice(time)) await signWith(place, fqdn);
    }
    const marks = async () => {
      const found = [];
      for (const { id } of fqdns) found.push(await replacements(id));
      return found;
    };
    const before = await marks();
    expect(before.map((ofFqdn) => ofFqdn.length)).toEqual([2, 3]);
    const step = schema.migrations.findIndex(({ name }) => name === '0011-certificates-in-use');
    for (const _ of schema.migrations.slice(step)) await database.revertLast();
    await expect(marks()).rejects.toThrow('position');
    await database.migrate();
    expect(await marks()).toEqual(before);
  });
});
