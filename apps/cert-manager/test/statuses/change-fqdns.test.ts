import type { Fqdn, FqdnChangeResult, OwnFqdn } from '@certloop/contracts';
import { describeEachDialect } from '@certloop/db/testing';
import { describe, expect, test } from 'vitest';
import { actOnUpdate } from '../support/act-on-update.js';
import { addToken, grant } from '../support/factories.js';
import { addFqdn, addSpace, auditEntries, pathOf, unknownId } from '../support/inventory.js';
import { seedListed } from '../support/large-place.js';
import type { Person } from '../support/people.js';
import { entriesOf, issuedFqdn, switchRenewal, useRenewing } from '../support/renewals.js';
import { createProvider } from '../support/signing.js';

describeEachDialect('changing many FQDNs', (open) => {
  const place = useRenewing(open);

  const send = (body: object, person: Person = place.app.people.ada) =>
    place.app.request.post('/fqdns/bulk').set(person.auth).send(body);
  const change = async (body: object, person?: Person): Promise<FqdnChangeResult> =>
    (await send({ dryRun: false, ...body }, person).expect(200)).body;
  const show = async (fqdn: Fqdn): Promise<OwnFqdn> =>
    (await place.app.request.get(pathOf(fqdn, '')).set(place.app.people.ada.auth).expect(200)).body;
  const spaceWith = async (...names: string[]) => {
    const { id: spaceId } = await addSpace(place.app);
    const fqdns: Fqdn[] = [];
    for (const name of names) fqdns.push(await addFqdn(place.app, spaceId, name));
    return { spaceId, fqdns, ids: fqdns.map(({ id }) => id) };
  };
  const auditOf = async (action: 'fqdn.renewal' | 'fqdn.update', ids: readonly string[]) =>
    (await auditEntries(place.app, action)).filter(({ resourceId }) => ids.includes(resourceId));

  describe('the renewal', () => {
    test('is switched on, with an entry in the audit log and in the queue for each', async () => {
      const fqdn = await issuedFqdn(place, 'planned.example.org');
      const unsigned = await addFqdn(place.app, fqdn.spaceId, 'unsigned.example.org');
      const already = await addFqdn(place.app, fqdn.spaceId, 'already.example.org');
      await switchRenewal(place.app, already, true);
      const filter = { spaceId: fqdn.spaceId };
      const asked = { filter, action: 'renewal-on' };
      const expected = { matched: 3, changed: 2, unchanged: 1, skipped: [] };
      expect(await change({ ...asked, dryRun: true })).toEqual(expected);
      expect((await show(fqdn)).renewalEnabled).toBe(false);
      expect(await auditOf('fqdn.renewal', [fqdn.id, unsigned.id])).toEqual([]);

      expect(await change(asked)).toEqual(expected);
      expect(await show(fqdn)).toMatchObject({ renewalEnabled: true, status: { outlook: 'scheduled' } });
      expect(await show(unsigned)).toMatchObject({ renewalEnabled: true, status: { state: 'unfinished' } });
      expect(await entriesOf(place.app, fqdn)).toMatchObject([{ status: 'pending' }]);
      const entries = await auditOf('fqdn.renewal', [fqdn.id, unsigned.id]);
      expect(entries.map(({ details }) => details)).toEqual(
        expect.arrayContaining([
          expect.objectContaining({
            fqdn: fqdn.fqdn,
            before: { renewalEnabled: false },
            after: { renewalEnabled: true },
          }),
        ]),
      );
      expect(entries).toHaveLength(2);
      // the same call again finds nothing to do
      expect(await change(asked)).toEqual({ ...expected, changed: 0, unchanged: 3 });
      expect(await change({ ...asked, action: 'renewal-off' })).toMatchObject({ changed: 3 });
      expect(await show(fqdn)).toMatchObject({
        renewalEnabled: false,
        status: { outlook: 'switched_off' },
      });
      expect(await entriesOf(place.app, fqdn)).toEqual([]);
    });

    test('is selected by a filter that the changed FQDNs no longer match', async () => {
      const { spaceId } = await spaceWith('one.example.org', 'two.example.org', 'other.example.net');
      const filter = { spaceId, renewal: 'off', q: 'example.org' };
      expect(await change({ filter, action: 'renewal-on' })).toMatchObject({ matched: 2, changed: 2 });
      expect(await change({ filter, action: 'renewal-on' })).toMatchObject({ matched: 0, changed: 0 });
    });
  });

  describe('the provider', () => {
    test('is set, and removed', async () => {
      const { ids, fqdns } = await spaceWith('a.example.org', 'b.example.org');
      const [first] = fqdns as [Fqdn];
      const { providerId } = place;
      expect(await change({ ids, action: 'set-provider', providerId })).toEqual({
        matched: 2,
        changed: 2,
        unchanged: 0,
        skipped: [],
      });
      expect((await show(first)).providerId).toBe(providerId);
      expect(await change({ ids, action: 'set-provider', providerId: null })).toMatchObject({ changed: 2 });
      expect((await show(first)).providerId).toBeUndefined();
      expect((await auditOf('fqdn.update', ids)).map(({ details }) => details)).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ fqdn: first.fqdn, before: { providerId: null }, after: { providerId } }),
          expect.objectContaining({ fqdn: first.fqdn, before: { providerId }, after: { providerId: null } }),
        ]),
      );
    });

    test('is skipped with the reason if the policy of a space forbids it', async () => {
      const { ids: open, fqdns } = await spaceWith('open.example.org');
      const { spaceId, ids, fqdns: closed } = await spaceWith('closed.example.org');
      const { id: other } = await createProvider(place.app, {
        kind: 'dummy-ca',
        name: 'another-ca',
        displayName: 'Another CA',
        config: { baseUrl: place.ca.url },
      });
      await place.app.request
        .put(`/spaces/${spaceId}/issuance-policy`)
        .set(place.app.people.ada.auth)
        .send({ providerIds: [place.providerId] })
        .expect(200);
      const asked = { ids: [...ids, ...open], action: 'set-provider', providerId: other };
      const skipped = [
        { id: ids[0], fqdn: 'closed.example.org', reason: expect.stringContaining('another-ca') },
      ];
      for (const dryRun of [true, false]) {
        expect(await change({ ...asked, dryRun })).toEqual({ matched: 2, changed: 1, unchanged: 0, skipped });
      }
      expect((await show(fqdns[0] as Fqdn)).providerId).toBe(other);
      expect((await show(closed[0] as Fqdn)).providerId).toBeUndefined();
    });
  });

  describe('a caller', () => {
    test('changes only FQDNs that they may write, and learns nothing about unreadable ones', async () => {
      const { app } = place;
      const written = await spaceWith('written.example.org');
      const read = await spaceWith('read.example.org');
      const hidden = await spaceWith('hidden.example.org');
      const person = app.people.ben;
      await grant(app, person, 'READ_WRITE', [written.spaceId]);
      await grant(app, person, 'READ', [read.spaceId]);
      const ben = { ...person, auth: (await lasting(person)).auth };
      const ids = [...written.ids, ...read.ids, ...hidden.ids, unknownId];
      const nothing = 'there is no such FQDN, or you may not see it';
      expect(await change({ ids, action: 'renewal-on' }, ben)).toEqual({
        matched: 4,
        changed: 1,
        unchanged: 0,
        skipped: expect.arrayContaining([
          { id: hidden.ids[0], reason: nothing },
          { id: unknownId, reason: nothing },
          { id: read.ids[0], fqdn: 'read.example.org', reason: 'this needs READ_WRITE on the space' },
        ]),
      });
      expect((await show(read.fqdns[0] as Fqdn)).renewalEnabled).toBe(false);
      expect((await show(hidden.fqdns[0] as Fqdn)).renewalEnabled).toBe(false);
      expect(await change({ filter: {}, action: 'renewal-off' }, ben)).toMatchObject({
        matched: 2,
        changed: 1,
      });
      const reader = await lasting(person, 'READ');
      expect(await change({ ids: written.ids, action: 'renewal-on' }, reader)).toMatchObject({
        changed: 0,
        skipped: [{ id: written.ids[0] }],
      });
    });

    const lasting = async (person: Person, scope?: 'READ'): Promise<Person> => {
      const expiresAt = new Date('2100-01-01T00:00:00Z');
      const token = await addToken(place.app, person.id, { expiresAt, ...(scope && { scope }) });
      return { ...person, auth: { Authorization: `Bearer ${token}` } };
    };
  });

  test.each([
    ['neither ids nor filter', {}, 'filter'],
    ['both', { ids: [unknownId], filter: {} }, 'ids'],
    ['no id', { ids: [] }, 'ids'],
    ['a misspelt condition', { filter: { stat: 'failing' } }, 'filter'],
    ['set-provider without a provider', { ids: [unknownId], action: 'set-provider' }, 'providerId'],
    [
      'a provider that there is not',
      { filter: {}, action: 'set-provider', providerId: unknownId },
      'providerId',
    ],
    ['a provider for another action', { ids: [unknownId], providerId: null }, 'providerId'],
    ['no word on the dry run', { ids: [unknownId], dryRun: undefined }, 'dryRun'],
  ])('rejects %s', async (_what, body, path) => {
    const sent = await send({ action: 'renewal-on', dryRun: false, ...body }).expect(400);
    expect(sent.body.errors[0].path).toContain(path);
  });

  describe('of more than one transaction', () => {
    test('keeps complete transactions if it fails midway; repeating the call completes it', async () => {
      const { app } = place;
      const { database } = app;
      const { spaceId, fqdns } = await spaceWith('many.example.org');
      await seedListed(database, (fqdns[0] as Fqdn).id, 220);
      const asked = { filter: { spaceId, q: 'host-' }, action: 'renewal-on' };
      const undo = await actOnUpdate(database, 'host-150.example.test', {
        sqlite: "select raise(abort, 'stopped here')",
        postgres: "raise exception 'stopped here'",
      });
      await send({ ...asked, dryRun: false }).expect(500);
      const switched = async () => {
        const query = { spaceId, renewal: 'on', limit: 1 };
        const { headers } = await app.request.get('/fqdns').query(query).set(app.people.ada.auth).expect(200);
        return Number(headers['x-total-count']);
      };
      const audited = async () =>
        (await auditEntries(app, 'fqdn.renewal')).filter((entry) => entry.spaceId === spaceId).length;
      expect([await switched(), await audited()]).toEqual([100, 100]);
      await undo();
      expect(await change(asked)).toEqual({ matched: 220, changed: 120, unchanged: 100, skipped: [] });
      expect([await switched(), await audited()]).toEqual([220, 220]);
    });

    test('is rejected for more than 5000, and succeeds with a narrower filter', async () => {
      const { spaceId, fqdns } = await spaceWith('most.example.org');
      await place.app.database.transaction((tx) => tx.query("delete from fqdns where fqdn like 'host-%'"));
      await seedListed(place.app.database, (fqdns[0] as Fqdn).id, 5_000);
      const asked = { action: 'renewal-on', dryRun: true };
      const { body } = await send({ ...asked, filter: { spaceId } }).expect(409);
      expect(body).toMatchObject({ code: 'too_many', detail: expect.stringContaining('5001 FQDNs match') });
      expect(await change({ ...asked, filter: { spaceId, q: 'host-' } })).toMatchObject({ changed: 5_000 });
    });
  });
});
