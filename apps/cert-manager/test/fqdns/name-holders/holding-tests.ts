import { randomUUID } from 'node:crypto';
import { executeSql } from '@certloop/db';
import { describe, expect, test } from 'vitest';
import { schema } from '../../../src/database.js';
import { nameHolders } from '../../../src/fqdns/holders/name-holders.repository.js';
import { addNameHolders } from '../../../src/migrations/0035-name-holders.js';
import { startAppOn } from '../../support/app.js';
import { grant } from '../../support/factories.js';
import { addCsr, addFqdn, addSpace, pathOf } from '../../support/inventory.js';
import { certificatesOf, moveToRenewal, switchRenewal } from '../../support/renewals.js';
import { newCsr } from '../../support/signing.js';
import { type HoldersPlace, keys } from './holders-place.js';

/** Which space holds a name, and for how long. */
export function testHolding(place: HoldersPlace): void {
  const holderOf = async (name: string) =>
    (await place.app.database.read((tx) => tx.findOneBy(nameHolders, { name })))?.spaceId;
  /** Whether the writer of the other space may have the name. */
  const isFree = async ({ other, writer, held }: Awaited<ReturnType<HoldersPlace['newDomain']>>) => {
    const listed = await place.app.request.get(`/spaces/${other}/fqdns`).set(writer.auth).expect(200);
    const found = listed.body.find((each: { fqdn: string }) => each.fqdn === held.fqdn);
    const { status } = await place.upload(found ?? (await addFqdn(place.app, other, held.fqdn)), writer);
    return status === 201;
  };

  describe('a name is held', () => {
    test('by the space that was issued a certificate first', async () => {
      const domain = await place.newDomain();
      const { held, other } = domain;
      const second = await place.issue(other, held.fqdn);
      expect(second.spaceId).toBe(other);
      expect(await holderOf(held.fqdn)).toBe(held.spaceId);
      expect(await isFree(domain)).toBe(false);
    });

    test('by one of two spaces that have it signed at once, in two processes', async () => {
      const { app, renewing } = place;
      const environment = { DUMMY_CA_URL: renewing.ca.url, ENCRYPTION_KEYS: keys };
      const beside = await startAppOn(app.database, { environment, beside: app });
      const name = `twice-${randomUUID().slice(0, 8)}.test`;
      const spaces = [(await addSpace(app)).id, (await addSpace(app)).id];
      const fqdns = await Promise.all(
        spaces.map(async (id) => {
          const fqdn = await addFqdn(app, id, name);
          await addCsr(app, fqdn, await newCsr(name));
          return fqdn;
        }),
      );
      const replies = await Promise.all(
        fqdns.map((fqdn, index) =>
          (index === 0 ? app : beside).request
            .post(pathOf(fqdn, 'csr/sign'))
            .set(app.people.ada.auth)
            .send({ providerId: renewing.providerId }),
        ),
      );
      expect(replies.map(({ status }) => status)).toEqual([200, 200]);
      const holder = await holderOf(name);
      expect(spaces).toContain(holder);
      await beside.close();
    });

    test('while its certificate is expired or revoked, and no more when its FQDN is deleted', async () => {
      const domain = await place.newDomain();
      const { held } = domain;
      const [certificate] = await certificatesOf(place.app, held);
      await place.app.request
        .post(pathOf(held, `certificates/${certificate?.id}/revoke`))
        .set(place.app.people.ada.auth)
        .send({ reason: 'superseded' });
      place.app.clock.advance(60 * 86_400_000);
      expect(await isFree(domain)).toBe(false);
      await place.app.request
        .delete(`/spaces/${held.spaceId}/fqdns/${held.id}`)
        .set(place.app.people.ada.auth)
        .expect(200);
      expect(await holderOf(held.fqdn)).toBeUndefined();
      expect(await isFree(domain)).toBe(true);
    });

    test('by the next space that is issued a certificate when the FQDN of the first one is deleted', async () => {
      const { held, other } = await place.newDomain();
      const second = await place.issue(other, held.fqdn);
      await place.app.request
        .delete(`/spaces/${held.spaceId}/fqdns/${held.id}`)
        .set(place.app.people.ada.auth)
        .expect(200);
      await place.sign(second, place.app.people.ada).expect(200);
      expect(await holderOf(held.fqdn)).toBe(other);
    });

    test('not by an imported certificate', async () => {
      const { other, writer } = await place.newDomain();
      const { id } = await addSpace(place.app);
      const name = `imported-${randomUUID().slice(0, 8)}.test`;
      expect((await place.importTo(await addFqdn(place.app, id, name), place.app.people.ada)).status).toBe(
        201,
      );
      expect(await holderOf(name)).toBeUndefined();
      expect((await place.upload(await addFqdn(place.app, other, name), writer)).status).toBe(201);
    });
  });

  describe('what was there before the upgrade', () => {
    test('is held by the space with the oldest certificate', async () => {
      const { held, other } = await place.newDomain();
      await place.issue(other, held.fqdn);
      await place.issue(other, `*.${held.fqdn}`);
      await place.issue(other, `single-${randomUUID().slice(0, 8)}`);
      const { database } = place.app;
      // of two certificates of the same millisecond, either may count as the older one
      const rows = async () =>
        (await database.read((tx) => tx.find(nameHolders, { order: { name: 'ASC' } }))).filter(
          ({ name }) => !name.startsWith('twice-'),
        );
      const before = await rows();
      const fromThere = schema.migrations.slice(schema.migrations.indexOf(addNameHolders));
      for (const _ of fromThere) await database.revertLast();
      await database.migrate();
      expect(await rows()).toEqual(before);
    });

    test('stays: its CSRs are signed and its certificates are renewed', async () => {
      const { held, other, writer } = await place.newDomain();
      const fqdn = await place.issue(other, held.fqdn);
      await place.sign(fqdn, writer).expect(400);
      await place.app.database.transaction((tx) =>
        executeSql(tx, 'update csrs set names_judged = null where fqdn_id = $1', [fqdn.id]),
      );
      await place.sign(fqdn, writer).expect(200);
      expect((await place.upload(fqdn, writer)).status).toBe(400);
      await switchRenewal(place.app, fqdn, true);
      await moveToRenewal(place.app, fqdn);
      await place.app.renew();
      expect(await certificatesOf(place.app, fqdn)).toHaveLength(3);
    });
  });

  describe('the space that holds a name', () => {
    const received = async () => {
      while (!(await place.app.sendNotices()));
      const events = place.hook.hooks.splice(0).map(({ event }) => event);
      return events.filter(({ type }) => type === 'name.issued_elsewhere');
    };

    test('gets name.issued_elsewhere once a day when another space is issued a certificate for it', async () => {
      const { domain, held, other, writer } = await place.newDomain();
      await grant(place.app, writer, 'READ', [held.spaceId]);
      await received();
      const fqdn = await addFqdn(place.app, other, domain);
      await place.upload(fqdn, writer, domain, `*.${domain}`);
      await place.sign(fqdn, writer).expect(200);
      await place.sign(fqdn, writer).expect(200);
      const events = await received();
      expect(events).toHaveLength(1);
      expect(events[0]).toMatchObject({
        subject: held.id,
        data: {
          fqdn: held.fqdn,
          fqdnId: held.id,
          spaceId: held.spaceId,
          name: `*.${domain}`,
          serialNumber: expect.any(String),
          message: expect.stringContaining(`Another space was issued a certificate for *.${domain}`),
        },
      });
      expect(JSON.stringify(events)).not.toContain(other);
      expect(JSON.stringify(events)).not.toContain(fqdn.id);
      place.app.clock.advance(86_400_000);
      await place.sign(fqdn, writer).expect(200);
      expect(await received()).toHaveLength(1);
    });

    test('gets none for its own certificates, for imports, and for renewals', async () => {
      const { held, other } = await place.newDomain();
      const fqdn = await place.issue(other, held.fqdn);
      await switchRenewal(place.app, fqdn, true);
      await received();
      await place.sign(held, place.app.people.ada).expect(200);
      await moveToRenewal(place.app, fqdn);
      await place.app.renew();
      expect(await certificatesOf(place.app, fqdn)).toHaveLength(2);
      expect((await place.importTo(fqdn, place.app.people.ada)).status).toBe(201);
      expect(await received()).toEqual([]);
    });
  });
}
