import type { Csr, Fqdn } from '@certloop/contracts';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type TestApp } from '../support/app.js';
import { grant } from '../support/factories.js';
import { addCsr, addFqdn, addSpace, badIds, csrSample, pathOf, unknownId } from '../support/inventory.js';

describeEachDialect('listing CSRs', (open) => {
  let app: TestApp;
  let fqdn: Fqdn;
  let empty: Fqdn;
  let held: Csr[];
  beforeAll(async () => {
    app = await startApp(open);
    const space = await addSpace(app);
    fqdn = await addFqdn(app, space.id);
    empty = await addFqdn(app, space.id, '*.example.com');
    held = [];
    for (const name of ['p256', 'rsa2048', 'ed25519']) held.push(await addCsr(app, fqdn, csrSample(name)));
    await grant(app, app.people.ben, 'READ', [space.id]);
  });
  afterAll(() => app.close());

  const get = (place: Pick<Fqdn, 'spaceId' | 'id'>, query = '', person = app.people.ada) =>
    app.request.get(`${pathOf(place, 'csr')}${query}`).set(person.auth);

  test.each(['', '?latest=false', '?other=1'])('shows all of them, oldest first (%s)', async (query) => {
    const { body } = await get(fqdn, query).expect(200);
    expect(body).toEqual(held);
  });

  test('returns the last one as latest, even if all have the same time', async () => {
    const { body } = await get(fqdn, '?latest=true').expect(200);
    expect(body).toEqual(held.at(-1));
  });

  test('returns the last one as latest, even if it was uploaded before', async () => {
    const other = await addFqdn(app, fqdn.spaceId, 'example.com');
    await addCsr(app, other, csrSample('many-kinds'));
    app.clock.advance(1);
    const second = await addCsr(app, other, csrSample('many-kinds'));
    const { body } = await get(other, '?latest=true').expect(200);
    expect(body).toEqual(second);
  });

  test('returns an empty list without a CSR, and no latest one', async () => {
    const { body } = await get(empty).expect(200);
    expect(body).toEqual([]);
    const { body: problem } = await get(empty, '?latest=true').expect(404);
    expect(problem.code).toBe('csr_not_found');
  });

  test.each(['yes', '1', 'TRUE', '', 'true&latest=true'])('refuses latest=%s', async (value) => {
    await get(fqdn, `?latest=${value}`).expect(400);
  });

  test('returns 404 for an unknown FQDN or space', async () => {
    const other = await addSpace(app);
    for (const query of ['', '?latest=true']) {
      await get({ spaceId: fqdn.spaceId, id: unknownId }, query).expect(404);
      await get({ spaceId: unknownId, id: fqdn.id }, query).expect(404);
      await get({ spaceId: other.id, id: fqdn.id }, query).expect(404);
    }
    for (const id of badIds) await get({ spaceId: fqdn.spaceId, id }).expect(404);
  });

  test('is allowed for everyone who can read the space', async () => {
    const { ben, cleo } = app.people;
    await get(fqdn, '', ben).expect(200);
    await get(fqdn, '?latest=true', ben).expect(200);
    await get(fqdn, '', cleo).expect(404);
    await get(fqdn, '?latest=maybe', cleo).expect(404);
    await app.request.get(pathOf(fqdn, 'csr')).expect(401);
  });

  test('accepts HEAD and a trailing slash, and names the allowed methods', async () => {
    await app.request.head(pathOf(fqdn, 'csr')).set(app.people.ada.auth).expect(200);
    const { body } = await app.request
      .get(`${pathOf(fqdn, 'csr')}/`)
      .set(app.people.ada.auth)
      .expect(200);
    expect(body).toEqual(held);
    const { headers } = await app.request.delete(pathOf(fqdn, 'csr')).set(app.people.ada.auth).expect(405);
    expect(headers['allow']).toBe('POST, GET, HEAD');
  });
});
