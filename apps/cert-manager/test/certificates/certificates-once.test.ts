import { executeSql } from '@certloop/db';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pathOf } from '../support/inventory.js';
import { certificatesOf, issuedFqdn, type RenewalPlace, startRenewing } from '../support/renewals.js';

describeEachDialect('a database in which a certificate is stored twice', (open) => {
  let place: RenewalPlace;
  beforeAll(async () => {
    place = await startRenewing(open);
  });
  afterAll(() => place.close());

  test('is migrated, shows both, and accepts no third one', async () => {
    const { app } = place;
    const fqdn = await issuedFqdn(place);
    while ((await app.database.pendingMigrations()).at(0) !== '0022-certificates-once')
      await app.database.revertLast();
    await app.database.transaction(async (tx) => {
      await executeSql(tx, 'update certificates set replaced_at = created_at', []);
      await executeSql(
        tx,
        `insert into certificates (id, fqdn_id, csr_id, provider_id, upstream_id, pem, issuer, serial_number,
           spki_sha256, not_before, expires_at, created_at, position)
         select $1, fqdn_id, csr_id, provider_id, upstream_id, pem, issuer, serial_number,
           spki_sha256, not_before, expires_at, created_at, 2 from certificates`,
        [crypto.randomUUID()],
      );
    });
    await app.database.migrate();

    const both = await certificatesOf(app, fqdn);
    expect(both).toHaveLength(2);
    expect(both[1]).toEqual({ ...both[0], id: both[1]?.id });
    for (const { id } of both) {
      const path = pathOf(fqdn, `certificates/${id}/refresh`);
      const { body } = await app.request.post(path).set(app.people.ada.auth).expect(200);
      expect(body).toEqual(both.find((one) => one.id === id));
    }
    const { body } = await app.request
      .post(pathOf(fqdn, 'certificates/import'))
      .set(app.people.ada.auth)
      .send({ pem: both[0]?.pem })
      .expect(200);
    const { unverified, ...imported } = body;
    expect(unverified).toBe(true);
    expect(both).toContainEqual(imported);
    expect(await certificatesOf(app, fqdn)).toEqual(both);
  });
});
