import type { Fqdn, FqdnChangeResult } from '@certloop/contracts';
import { describeEachDialect } from '@certloop/db/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import { type SuiteApp, startApp } from '../support/app.js';
import { addFqdn, addSpace, auditEntries, pathOf } from '../support/inventory.js';

describeEachDialect('owner and tags of an FQDN', (open) => {
  let app: SuiteApp;
  beforeAll(async () => {
    app = await startApp(open);
  });

  const put = (fqdn: Fqdn, body: object) =>
    app.request.put(pathOf(fqdn, '')).set(app.people.ada.auth).send(body);
  const label = async (fqdn: Fqdn, body: object): Promise<Fqdn> => (await put(fqdn, body).expect(200)).body;
  const find = async (query: object): Promise<string[]> => {
    const { body } = await app.request.get('/fqdns').query(query).set(app.people.ada.auth).expect(200);
    return (body as Fqdn[]).map(({ fqdn }) => fqdn).sort();
  };
  const bulk = (body: object) =>
    app.request
      .post('/fqdns/bulk')
      .set(app.people.ada.auth)
      .send({ dryRun: false, ...body });
  const change = async (body: object): Promise<FqdnChangeResult> => (await bulk(body).expect(200)).body;

  test('are absent until they are set, are stored with a new FQDN, and are removed', async () => {
    const { id: spaceId } = await addSpace(app);
    expect(await addFqdn(app, spaceId, 'plain.example')).not.toHaveProperty('owner');
    const path = `/spaces/${spaceId}/fqdns`;
    const labels = { owner: ' Team Shop ', tags: ['Shop', 'prod', 'shop', 'cost/42:eu-1.x_y'] };
    const added = await app.request
      .post(path)
      .set(app.people.ada.auth)
      .send({ fqdn: 'new.example', ...labels })
      .expect(201);
    const stored = { owner: 'Team Shop', tags: ['cost/42:eu-1.x_y', 'prod', 'shop'] };
    expect(added.body).toMatchObject(stored);
    const { body: listed } = await app.request.get(path).set(app.people.ada.auth).expect(200);
    expect((listed as Fqdn[]).map(({ owner, tags }) => ({ owner, tags }))).toEqual([{}, stored]);

    expect(await label(added.body, { tags: [] })).toMatchObject({ owner: 'Team Shop' });
    const bare = await label(added.body, { owner: null });
    expect(bare).not.toHaveProperty('owner');
    expect(bare).not.toHaveProperty('tags');
    const entries = (await auditEntries(app, 'fqdn.update')).filter(
      ({ resourceId }) => resourceId === added.body.id,
    );
    const texts = { description: '', providerId: null };
    const changes = entries.map(({ details: { fqdn, before, after } }) => ({ fqdn, before, after }));
    expect(changes).toHaveLength(2);
    expect(changes).toEqual(
      expect.arrayContaining([
        {
          fqdn: 'new.example',
          before: { ...texts, ...stored },
          after: { ...texts, owner: 'Team Shop' },
        },
        { fqdn: 'new.example', before: { ...texts, owner: 'Team Shop' }, after: texts },
      ]),
    );
    // what changes nothing writes no entry
    await label(added.body, { owner: null, tags: [] });
    expect(await auditEntries(app, 'fqdn.update')).toHaveLength(2);
  });

  test.each([
    ['owner', { owner: '' }],
    ['owner', { owner: 'x'.repeat(201) }],
    ['owner', { owner: 'two\nlines' }],
    ['tags[0]', { tags: ['two words'] }],
    ['tags[1]', { tags: ['a', ''] }],
    ['tags[0]', { tags: ['x'.repeat(51)] }],
    ['tags[0]', { tags: ['-a'] }],
    ['tags', { tags: Array.from({ length: 21 }, (_, index) => `t${index}`) }],
    ['tags', { tags: 'prod' }],
  ])('are rejected with the field %s for %j', async (field, body) => {
    const { id: spaceId } = await addSpace(app);
    const fqdn = await addFqdn(app, spaceId, 'bad.example');
    const { body: problem } = await put(fqdn, body).expect(400);
    expect(problem.errors[0].path).toBe(field);
  });

  describe('searched', () => {
    let spaceId: string;
    beforeAll(async () => {
      ({ id: spaceId } = await addSpace(app));
      const labels: Readonly<Record<string, object>> = {
        'a.example': { owner: 'Ada Lovelace', tags: ['prod', 'shop'] },
        'b.example': { owner: 'ada', tags: ['prod-eu'] },
        'c.example': { tags: ['100._x', 'shop'] },
        'shop.example': {},
      };
      for (const [name, body] of Object.entries(labels)) await label(await addFqdn(app, spaceId, name), body);
    });

    test.each([
      [{ q: 'shop' }, ['a.example', 'c.example', 'shop.example']],
      [{ q: 'ADA' }, ['a.example', 'b.example']],
      [{ q: '#prod' }, ['a.example', 'b.example']],
      [{ q: '@ada' }, ['a.example', 'b.example']],
      [{ tag: 'prod' }, ['a.example']],
      [{ tag: 'Shop' }, ['a.example', 'c.example']],
      [{ tag: '100._x' }, ['c.example']],
      [{ tag: '100.ax' }, []],
      [{ owner: 'ada' }, ['b.example']],
      [{ owner: 'ADA LOVELACE', tag: 'shop' }, ['a.example']],
      [{ owner: 'ada', tag: 'shop' }, []],
    ])('by %j', async (query, names) => {
      expect(await find({ ...query, spaceId })).toEqual(names);
      // sorted by another column, the list is read in another way
      expect(await find({ ...query, spaceId, sort: 'fqdn' })).toEqual(names);
    });
  });

  test('are changed for many FQDNs at once', async () => {
    const { id: spaceId } = await addSpace(app);
    const names = ['one.example', 'two.example', 'full.example'];
    const fqdns: Fqdn[] = [];
    for (const name of names) fqdns.push(await addFqdn(app, spaceId, name));
    const [one, two, full] = fqdns as [Fqdn, Fqdn, Fqdn];
    const many = Array.from({ length: 20 }, (_, index) => `t${String(index).padStart(2, '0')}`);
    await label(one, { tags: ['old'] });
    await label(full, { tags: many });
    const filter = { spaceId };
    const skipped = [
      { id: full.id, fqdn: full.fqdn, reason: 'it would have 21 tags; an FQDN has at most 20' },
    ];
    const add = { filter, action: 'add-tags', tags: ['prod', 'old'] };
    expect(await change({ filter, action: 'add-tags', tags: ['x'], dryRun: true })).toMatchObject({
      changed: 2,
      skipped,
    });
    expect(await change({ ...add, tags: ['prod'] })).toMatchObject({ changed: 2, skipped });
    expect(await change({ ...add, ids: [one.id], filter: undefined })).toMatchObject({ unchanged: 1 });
    expect(await change({ filter, action: 'set-owner', owner: 'Ada' })).toMatchObject({ changed: 3 });
    expect(await find({ spaceId, owner: 'ada', tag: 'prod' })).toEqual(['one.example', 'two.example']);
    expect(await change({ filter, action: 'remove-tags', tags: ['prod', 'absent'] })).toMatchObject({
      changed: 2,
      unchanged: 1,
    });
    expect(await find({ spaceId, tag: 'old' })).toEqual(['one.example']);
    expect(await change({ filter, action: 'set-owner', owner: null })).toMatchObject({ changed: 3 });
    expect(await find({ spaceId, owner: 'ada' })).toEqual([]);
    const audited = (await auditEntries(app, 'fqdn.update')).filter(
      ({ resourceId }) => resourceId === two.id,
    );
    expect(audited.map(({ details: { fqdn, before, after } }) => ({ fqdn, before, after }))).toEqual(
      expect.arrayContaining([
        { fqdn: 'two.example', before: {}, after: { tags: ['prod'] } },
        { fqdn: 'two.example', before: { tags: ['prod'] }, after: { owner: 'Ada', tags: ['prod'] } },
      ]),
    );
  });

  test.each([
    ['owner', { action: 'set-owner' }, 'is required with set-owner; null stands for none'],
    ['tags', { action: 'add-tags' }, 'is required with add-tags'],
    ['tags', { action: 'set-owner', owner: null, tags: ['a'] }, 'belongs to add-tags and remove-tags only'],
    ['owner', { action: 'renewal-on', owner: 'ada' }, 'belongs to set-owner only'],
  ])('name what is wrong with %s in a change of many', async (path, body, message) => {
    const { body: problem } = await bulk({ filter: {}, ...body }).expect(400);
    expect(problem.errors).toMatchObject([{ path, message: expect.stringContaining(message) }]);
  });
});
