import { describe, expect, test } from 'vitest';
import { grant, grantEverything } from '../../support/factories.js';
import { addSpace, auditEntries, badIds, unknownId } from '../../support/inventory.js';
import { example, nothing, type PolicyPlace, unlimited } from './policy-place.js';

/** Tests of how a policy is set, shown and refused. */
export function describeSetting(place: PolicyPlace): void {
  describe('when it is set', () => {
    test('has no limits at first, and does not change the response for the space', async () => {
      const space = await addSpace(place.app);
      expect((await place.get(space.id).expect(200)).body).toEqual(unlimited);
      await place.put(space.id, { allowedNames: example }).expect(200);
      const { body: spaces } = await place.app.request
        .get('/spaces')
        .set(place.app.people.ada.auth)
        .expect(200);
      expect(spaces).toContainEqual(space);
    });

    test('is returned in its normal form, and removed by null or absence', async () => {
      const { id } = await addSpace(place.app);
      const allowedNames = {
        ...nothing,
        names: ['WWW.Shop.test.'],
        suffixes: ['MÜNCHEN.example'],
        cidrs: ['2001:DB8::/32'],
      };
      const { body } = await place
        .put(id, { allowedNames, providerIds: [place.dummyCa.toUpperCase(), place.dummyCa] })
        .expect(200);
      const normal = {
        allowedNames: {
          ...nothing,
          names: ['www.shop.test'],
          suffixes: ['xn--mnchen-3ya.example'],
          cidrs: ['2001:db8::/32'],
        },
        providerIds: [place.dummyCa],
      };
      expect(body).toEqual({ ...normal, saved: true, newlyRefused: { count: 0, items: [] } });
      expect((await place.get(id).expect(200)).body).toEqual(normal);
      await place.put(id, { providerIds: null }).expect(200);
      expect((await place.get(id).expect(200)).body).toEqual(unlimited);
    });

    test('leaves an audit entry of before and after', async () => {
      const { id } = await place.spaceWith(example);
      await place.put(id, { allowedNames: null, providerIds: [place.acme] }).expect(200);
      expect((await auditEntries(place.app, 'space.policy')).at(-1)).toMatchObject({
        resourceType: 'space',
        resourceId: id,
        spaceId: id,
        details: {
          before: { allowedNames: example, providerIds: null },
          after: { allowedNames: null, providerIds: [place.acme] },
          newlyRefused: 0,
        },
      });
    });

    test('is deleted with its space', async () => {
      const { id } = await place.spaceWith(example);
      await place.app.request.delete(`/spaces/${id}`).set(place.app.people.ada.auth).expect(200);
      await place.get(id).expect(404);
    });

    test.each<[situation: string, body: object, path: string, message: RegExp]>([
      ['a member that is spelt wrongly', { allowedName: example }, 'allowedName', /not known|unknown/],
      [
        'a misspelled member',
        { allowedNames: { ...example, suffix: [] } },
        'allowedNames.suffix',
        /not known|unknown/,
      ],
      [
        'a member that lacks',
        { allowedNames: { ...example, cidrs: undefined } },
        'allowedNames.cidrs',
        /required/,
      ],
      [
        'a list that is a text',
        { allowedNames: { ...example, names: 'a.test' } },
        'allowedNames.names',
        /array|list/,
      ],
      [
        'a switch that is a text',
        { allowedNames: { ...example, wildcards: 'true' } },
        'allowedNames.wildcards',
        /boolean/,
      ],
      [
        'an invalid name',
        { allowedNames: { ...example, names: ['a.test', '10.0.0.1'] } },
        'allowedNames.names[1]',
        /belong into cidrs/,
      ],
      [
        'a suffix with a dot',
        { allowedNames: { ...example, suffixes: ['.a.test'] } },
        'allowedNames.suffixes[0]',
        /write a\.test/,
      ],
      [
        'an address without prefix',
        { allowedNames: { ...example, cidrs: ['10.0.0.1'] } },
        'allowedNames.cidrs[0]',
        /write 10\.0\.0\.1\/32/,
      ],
      [
        'too many names',
        { allowedNames: { ...example, names: Array.from({ length: 1001 }, () => 'a.test') } },
        'allowedNames.names',
        /at most 1000/,
      ],
      [
        'too many suffixes',
        { allowedNames: { ...example, suffixes: Array.from({ length: 201 }, () => 'a.test') } },
        'allowedNames.suffixes',
        /at most 200/,
      ],
      [
        'too many ranges',
        { allowedNames: { ...example, cidrs: Array.from({ length: 201 }, () => '::/0') } },
        'allowedNames.cidrs',
        /at most 200/,
      ],
      [
        'too many providers',
        { providerIds: Array.from({ length: 101 }, () => unknownId) },
        'providerIds',
        /at most 100/,
      ],
      ['an unknown provider', { providerIds: [unknownId] }, 'providerIds[0]', /GET \/providers/],
      ['an invalid id', { providerIds: ['acme'] }, 'providerIds[0]', /uuid/],
    ])('is refused with %s', async (_, body, field, message) => {
      const { id } = await place.spaceWith(example);
      const answer = await place.put(id, body).expect(400);
      expect(answer.body.errors).toEqual([
        expect.objectContaining({ path: field, message: expect.stringMatching(message) }),
      ]);
      expect((await place.get(id)).body.allowedNames).toEqual(example);
    });

    test('is set by administrators, visible to readers of the space, and hidden from others', async () => {
      const space = await addSpace(place.app);
      const { ben, cleo } = place.app.people;
      await place.get(space.id, ben).expect(404);
      await place.put(space.id, unlimited, '', ben).expect(404);
      await grant(place.app, ben, 'READ', [space.id]);
      await place.get(space.id, ben).expect(200);
      await place.put(space.id, unlimited, '?dryRun=true', ben).expect(403);
      await grant(place.app, ben, 'FULL_ACCESS', [space.id]);
      await grantEverything(place.app, cleo);
      for (const person of [ben, cleo]) await place.put(space.id, unlimited, '', person).expect(403);
      await place.app.request.get(place.path(space.id)).expect(401);
      for (const id of [unknownId, ...badIds]) {
        await place.get(id).expect(404);
        await place.put(id, unlimited).expect(404);
      }
    });
  });
}
