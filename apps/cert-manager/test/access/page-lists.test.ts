import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestApp } from '../support/app.js';
import type { FakeCa } from '../support/cas/fake-ca.js';
import { addGroup, addUser, grant } from '../support/factories.js';
import { addCsr, addFqdn, addSpace, pathOf } from '../support/inventory.js';
import { readPages } from '../support/list-pages.js';
import type { Person } from '../support/people.js';
import { fqdnWithCsr, newCsr, providerOf, startAppWithCa } from '../support/signing.js';

interface Row {
  readonly id: string;
}

describeEachDialect('lists by pages', (open) => {
  let app: TestApp;
  let ca: FakeCa;
  let close: () => Promise<void>;
  const paths: Record<string, string> = {};

  beforeAll(async () => {
    ({ app, ca, close } = await startAppWithCa(open));
    const { ada, ben } = app.people;
    expect(ca.ids).toEqual([]);
    const { space, fqdn } = await fqdnWithCsr(app);
    const { id: providerId } = await providerOf(app, 'dummy-ca');
    for (let count = 0; count < 6; count += 1) {
      // some at the same moment, so that the ids must decide
      if (count % 2 === 0) app.clock.advance(1);
      await addSpace(app, `space ${count}`);
      const other = await addFqdn(app, space.id, `host-${count}.example.org`);
      await addCsr(app, fqdn, await newCsr(fqdn.fqdn));
      const sign = () => app.request.post(pathOf(fqdn, 'csr/sign')).set(ada.auth).send({ providerId });
      await sign().expect(200);
      await addUser(app);
      await addGroup(app, { userIds: [ben.id], spaceIds: [space.id] });
      await addCsr(app, other, await newCsr(other.fqdn));
      await app.request.post(pathOf(other, 'csr/sign')).set(ada.auth).send({ providerId }).expect(200);
      const put = app.request.put(pathOf(other, 'renewal-enabled')).set(ada.auth);
      await put.send({ renewalEnabled: true }).expect(200);
    }
    Object.assign(paths, {
      spaces: '/spaces',
      fqdns: `/spaces/${space.id}/fqdns`,
      csrs: pathOf(fqdn, 'csr'),
      certificates: pathOf(fqdn, 'certificates'),
      users: '/users',
      groups: '/permission-groups',
      providers: '/providers',
      renewals: '/renewal-queue',
      'renewals of a space': `/renewal-queue?status=pending&spaceId=${space.id}`,
    });
  });
  afterAll(() => close());

  const get = (path: string, person: Person = app.people.ada) => app.request.get(path).set(person.auth);
  const withQuery = (path: string, query: string) => `${path}${path.includes('?') ? '&' : '?'}${query}`;

  /** Rows of all pages, one after the other, and how many pages there were. */
  async function readAll(path: string, limit: number, person: Person = app.people.ada) {
    const { pages, rows, totals } = await readPages<Row>(app, withQuery(path, `limit=${limit}`), person);
    for (const page of pages) expect(page.rows.length).toBeLessThanOrEqual(limit);
    expect([...totals]).toEqual([String((await whole(path, person)).length)]);
    return { rows, pages: pages.length };
  }

  const whole = async (path: string, person?: Person) => (await get(path, person).expect(200)).body as Row[];
  const names = [
    'spaces',
    'fqdns',
    'csrs',
    'certificates',
    'users',
    'groups',
    'providers',
    'renewals',
    'renewals of a space',
  ];
  const pathTo = (name: string) => paths[name] ?? '';

  test.each(names)('%s: the whole list without a query, with its length', async (name) => {
    const { body, headers } = await get(pathTo(name)).expect(200);
    expect((body as Row[]).length).toBeGreaterThan(1);
    expect(headers['x-total-count']).toBe(String((body as Row[]).length));
    expect(headers).not.toHaveProperty('link');
  });

  test.each(names.flatMap((name) => [1, 2, 3].map((limit) => [name, limit] as const)))(
    '%s by %i: every row once, in the order of the list',
    async (name, limit) => {
      const all = await whole(pathTo(name));
      const { rows, pages } = await readAll(pathTo(name), limit);
      expect(rows).toEqual(all);
      expect(pages).toBe(Math.ceil(all.length / limit));
    },
  );

  test.each(names)('%s: a page with all rows has no next page', async (name) => {
    const all = await whole(pathTo(name));
    for (const limit of [all.length, 1000]) {
      const { body, headers } = await get(withQuery(pathTo(name), `limit=${limit}`)).expect(200);
      expect(body).toEqual(all);
      expect(headers).not.toHaveProperty('link');
    }
  });

  test.each(names)('%s: rejects an invalid limit and an invalid cursor', async (name) => {
    const valid = Buffer.from('1.3f8c1b1e-6a43-4f0e-9a43-0d8a6c1c5b7e').toString('base64url');
    await get(withQuery(pathTo(name), `cursor=${valid}`)).expect(200);
    const text = (value: string) => Buffer.from(value).toString('base64url');
    const queries = [
      'limit=0',
      'limit=1001',
      'limit=-1',
      'limit=x',
      'limit=',
      'limit=1.5',
      'limit=1&limit=2',
      'cursor=',
      'cursor=x',
      'cursor=%00',
      `cursor=${valid}A`,
      `cursor=${valid}&cursor=${valid}`,
      `cursor=${text('1')}`,
      `cursor=${text('1.not-a-uuid')}`,
      `cursor=${text('99999999999999.3f8c1b1e-6a43-4f0e-9a43-0d8a6c1c5b7e')}`,
      `cursor=${text("1.3f8c1b1e-6a43-4f0e-9a43-0d8a6c1c5b7e'")}`,
    ];
    for (const query of queries) {
      const { status } = await get(withQuery(pathTo(name), query));
      expect([query, status]).toEqual([query, 400]);
    }
  });

  describe.each(['csrs', 'certificates'])('%s, newest first', (name) => {
    test.each([1, 2, 3])('by %i: every row once, in the order of the list', async (limit) => {
      const all = await whole(pathTo(name));
      const { rows } = await readAll(`${pathTo(name)}?order=desc`, limit);
      expect(rows).toEqual(all.toReversed());
    });

    test('returns the whole list without a limit, and the oldest first with order=asc', async () => {
      const all = await whole(pathTo(name));
      expect(await whole(`${pathTo(name)}?order=desc`)).toEqual(all.toReversed());
      expect(await whole(`${pathTo(name)}?order=asc`)).toEqual(all);
    });

    test('continues after a row that was deleted', async () => {
      const gone = Buffer.from('1.3f8c1b1e-6a43-4f0e-9a43-0d8a6c1c5b7e').toString('base64url');
      const all = await whole(pathTo(name));
      const rows = await whole(`${pathTo(name)}?order=desc&limit=2&cursor=${gone}`);
      expect(rows).toEqual(all.toReversed().slice(0, 2));
    });

    test.each(['', 'up', 'DESC', 'desc&order=asc'])('refuses order=%s', async (order) => {
      await get(`${pathTo(name)}?order=${order}`).expect(400);
    });
  });

  test('a page after the end is empty', async () => {
    const cursor = Buffer.from('9999999999999.ffffffff-ffff-4fff-bfff-ffffffffffff').toString('base64url');
    const { body, headers } = await get(`/spaces?cursor=${cursor}`).expect(200);
    expect(body).toEqual([]);
    expect(headers['x-total-count']).toBe(String((await whole('/spaces')).length));
  });

  test('a row that is added between two pages neither moves nor repeats another', async () => {
    const before = await whole('/spaces');
    const { headers } = await get('/spaces?limit=2').expect(200);
    const added = await addSpace(app);
    const next = /^<([^>]+)>/.exec(String(headers['link']))?.[1] ?? '';
    const { body } = await get(next.replace('limit=2&', '')).expect(200);
    expect(body).toEqual([...before.slice(2), added]);
  });

  test('return and count only rows that the caller may see', async () => {
    const { cleo } = app.people;
    const [one, , three] = await whole('/spaces');
    await grant(app, cleo, 'READ', [one?.id ?? '', three?.id ?? '']);
    const { body, headers } = await get('/spaces?limit=1', cleo).expect(200);
    expect(body).toEqual([one]);
    expect(headers['x-total-count']).toBe('2');
    const next = /^<([^>]+)>/.exec(String(headers['link']))?.[1] ?? '';
    expect((await get(next, cleo).expect(200)).body).toEqual([three]);
    const queue = await get('/renewal-queue?limit=1', app.people.ben).expect(200);
    expect(queue.headers['x-total-count']).toBe(
      String((await get('/renewal-queue', app.people.ben)).body.length),
    );
  });

  test('the queue of a caller with several spaces is one list', async () => {
    const { ada, ben } = app.people;
    const { fqdn } = await fqdnWithCsr(app, 'elsewhere.example.org');
    const { id: providerId } = await providerOf(app, 'dummy-ca');
    const sign = app.request.post(pathOf(fqdn, 'csr/sign')).set(ada.auth);
    await sign.send({ providerId }).expect(200);
    const put = app.request.put(pathOf(fqdn, 'renewal-enabled')).set(ada.auth);
    await put.send({ renewalEnabled: true }).expect(200);
    await grant(app, ben, 'READ', [fqdn.spaceId]);
    const all = await whole('/renewal-queue', ben);
    expect(all.length).toBe((await whole('/renewal-queue')).length);
    for (const limit of [1, 2, 5]) {
      expect((await readAll('/renewal-queue?status=pending', limit, ben)).rows).toEqual(all);
    }
  });

  test('latest=true shows the newest CSR on every page', async () => {
    const { body, headers } = await get(`${pathTo('csrs')}?latest=true&limit=1`).expect(200);
    expect(body).toEqual((await whole(pathTo('csrs'))).at(-1));
    expect(headers).not.toHaveProperty('x-total-count');
  });
});
