import { beforeEach, expect, test } from 'vitest';
import { type Browser, newPerson, newProject } from '../support/browser.js';
import { copyCheck } from '../support/copy-check.js';
import { countPings } from '../support/factories.js';
import { describeMonitor } from '../support/suite.js';

describeMonitor('a change of many checks at once', (stage) => {
  let owner: Browser;
  let project: string;
  let uuids: readonly string[];

  beforeEach(async () => {
    owner = await newPerson(stage);
    project = await newProject(owner);
    uuids = [];
    for (const name of ['Backup', 'Archive', 'Reports']) {
      const body = { name, tags: `all ${name.toLowerCase()}`, timeout: 60, grace: 60 };
      const made = await owner.send('post', at('/v3/checks/'), body).expect(201);
      uuids = [...uuids, made.body.uuid];
    }
  });

  const at = (rest = '') => `/projects/${project}${rest}`;
  const change = (body: object, person = owner) => person.send('post', at('/checks/bulk'), body);
  const changed = async (body: object) => (await change(body).expect(200)).body;
  const list = async (query = 'sort=created&limit=10') =>
    (await owner.get(at(`/checks?${query}`)).expect(200)).body.checks as Record<string, unknown>[];
  const statuses = async () => (await list()).map(({ status }) => status);
  const addHook = async (name: string) => {
    const hook = { kind: 'webhook', name, settings: { down: { url: 'https://example.org/down' } } };
    return (await owner.send('post', at('/channels'), { ...hook, assign: false }).expect(201)).body
      .id as string;
  };

  test('pauses and resumes the named checks, with a result and a silent flip for each', async () => {
    const [backup = '', archive = ''] = uuids;
    await stage.app.http.get(`/ping/${backup}/start`).expect(200);
    await owner.send('post', at(`/v3/checks/${archive}/pause`)).expect(200);
    const unknown = '00000000-0000-4000-8000-000000000000';
    const ids = [backup, archive.toUpperCase(), unknown, 'x', backup];
    expect(await changed({ action: 'pause', ids })).toEqual({
      ...{ matched: 4, changed: 1, unchanged: 1, skipped: 2 },
      results: expect.arrayContaining([
        { id: backup, name: 'Backup', outcome: 'changed' },
        { id: archive, name: 'Archive', outcome: 'unchanged' },
        { id: unknown, name: '', outcome: 'skipped', reason: 'there is no such check in this project' },
        { id: 'x', name: '', outcome: 'skipped', reason: 'there is no such check in this project' },
      ]),
    });
    expect(await statuses()).toEqual(['paused', 'paused', 'new']);
    expect((await list())[0]).toMatchObject({ started: false, next_ping: null });
    const { flips } = (await owner.get(at(`/checks/${backup}/flips`)).expect(200)).body;
    expect(flips).toMatchObject([{ up: 0 }]);
    expect(await changed({ action: 'resume', ids: uuids })).toMatchObject({ changed: 2, unchanged: 1 });
    // a ping reads the state that was written, and not the one that it knows
    await stage.app.http.get(`/ping/${backup}`).expect(200);
    expect(await statuses()).toEqual(['up', 'new', 'new']);
    stage.app.clock.advance(121_000);
    await stage.app.tick();
    expect(await statuses()).toEqual(['down', 'new', 'new']);
  });

  test('changes the tags of matching checks, except if they would become too long', async () => {
    const [, , reports] = uuids;
    const long = { tags: `all ${'x'.repeat(490)}` };
    await owner.send('post', at(`/v3/checks/${reports}`), long).expect(200);
    const filter = { tag: ['all'], status: ['new'] };
    expect(await changed({ action: 'add-tags', tags: ' prod  nightly ', filter })).toMatchObject({
      ...{ matched: 3, changed: 2, skipped: 1 },
      results: [{}, {}, { outcome: 'skipped', reason: 'its tags would have more than 500 characters' }],
    });
    expect((await list('q=nightly&sort=created')).map(({ tags }) => tags)).toEqual([
      'all backup prod nightly',
      'all archive prod nightly',
    ]);
    expect(await changed({ action: 'remove-tags', tags: 'prod', filter: {} })).toMatchObject({
      ...{ matched: 3, changed: 2, unchanged: 1 },
    });
    expect((await list())[0]).toMatchObject({ tags: 'all backup nightly' });
  });

  test('assigns and removes one integration and leaves the others', async () => {
    const [backup = ''] = uuids;
    const [chat, pager] = [await addHook('Chat'), await addHook('Pager')];
    const channels = async () => (await list()).map((check) => String(check['channels']).split(',').sort());
    await changed({ action: 'add-channels', channels: [chat], ids: uuids });
    expect(await changed({ action: 'add-channels', channels: [pager, chat], ids: [backup] })).toMatchObject({
      changed: 1,
    });
    const both = [chat, pager].sort();
    expect(await channels()).toEqual([both, [chat], [chat]]);
    expect(await changed({ action: 'add-channels', channels: [chat], ids: [backup] })).toMatchObject({
      ...{ changed: 0, unchanged: 1 },
    });
    const filter = { channel: pager };
    expect(await changed({ action: 'remove-channels', channels: [chat], filter })).toMatchObject({
      ...{ matched: 1, changed: 1 },
    });
    expect(await channels()).toEqual([[pager], [chat], [chat]]);
  });

  test('deletes checks with their pings, frees the limit, and deletes nothing if more match than expected', async () => {
    const [backup = ''] = uuids;
    await stage.app.http.get(`/ping/${backup}`).expect(200);
    const filter = { q: 'a' };
    const { error } = (await change({ action: 'delete', filter, atMost: 1 }).expect(409)).body;
    expect(error).toMatch(/^3 checks match, more than 1;/);
    expect(await list()).toHaveLength(3);
    const limits = async () => (await owner.get('/limits').expect(200)).body.checks;
    expect(await limits()).toBe(3);
    expect(await changed({ action: 'delete', ids: uuids.slice(0, 2), atMost: 2 })).toMatchObject({
      changed: 2,
    });
    expect(await limits()).toBe(1);
    expect((await list()).map(({ name }) => name)).toEqual(['Reports']);
    expect(await countPings(stage.app.database, backup)).toBe(0);
    await stage.app.http.get(`/ping/${backup}`).expect(404);
    expect(await changed({ action: 'delete', ids: uuids })).toMatchObject({ changed: 1, skipped: 2 });
  });

  test('changes 5000 by a filter, names the first 1000, and continues where it stopped', async () => {
    // the newest one, as its copies get the ids after it
    const [, , reports = ''] = uuids;
    await stage.app.database.transaction((tx) => copyCheck(tx, reports, 5_100));
    stage.app.clock.advance(60_000);
    const pause = { action: 'pause', filter: { tag: ['reports'] } };
    const { results, next, ...counts } = await changed(pause);
    expect(counts).toEqual({ matched: 5_000, changed: 5_000, unchanged: 0, skipped: 0 });
    expect(results).toHaveLength(1_000);
    const { results: _rest, ...others } = await changed({ ...pause, after: next });
    expect(others).toEqual({ matched: 101, changed: 101, unchanged: 0, skipped: 0 });
    expect((await owner.get(at('/checks/status')).expect(200)).body.counts).toMatchObject({
      ...{ paused: 5_101, new: 2 },
    });
  });

  test('loses no concurrent change, and counts each deletion once', async () => {
    const changes = ['prod', 'nightly', 'berlin', 'on-call'].map((tags, n) => {
      // half of them the other way round, which must not end in a deadlock
      const ids = n % 2 === 0 ? uuids : [...uuids].reverse();
      return changed({ action: 'add-tags', tags, ids });
    });
    expect(await Promise.all(changes)).toMatchObject(changes.map(() => ({ changed: 3 })));
    for (const { tags } of await list()) {
      expect(String(tags).split(' ')).toEqual(
        expect.arrayContaining(['all', 'prod', 'nightly', 'berlin', 'on-call']),
      );
    }
    const deletions = await Promise.all(
      [uuids, [...uuids].reverse()].map((ids) => changed({ action: 'delete', ids })),
    );
    expect(deletions.reduce((sum, { changed: count }) => sum + count, 0)).toBe(3);
    expect(await list()).toEqual([]);
  });

  test('requires a member, and changes only checks of their project', async () => {
    const [reader, stranger] = [await newPerson(stage), await newPerson(stage)];
    const member = { email: reader.email, role: 'read-only' };
    await owner.send('post', at('/members'), member).expect(200);
    await change({ action: 'pause', ids: uuids }, reader).expect(403);
    await change({ action: 'pause', ids: uuids }, stranger).expect(404);
    const theirs = await newProject(stranger);
    const elsewhere = stranger.send('post', `/projects/${theirs}/checks/bulk`, {
      action: 'delete',
      ids: uuids,
    });
    expect((await elsewhere.expect(200)).body).toMatchObject({ changed: 0, skipped: 3 });
    expect(await statuses()).toEqual(['new', 'new', 'new']);
  });

  test('is rejected with the name of the invalid member', async () => {
    const ids = uuids;
    for (const [body, name] of [
      [{ action: 'pause' }, 'filter'],
      [{ action: 'pause', ids, filter: {} }, 'ids'],
      [{ action: 'pause', ids: [] }, 'ids'],
      [{ action: 'pause', ids: Array.from({ length: 1_001 }, () => 'a') }, 'ids'],
      [{ action: 'explode', ids }, 'action'],
      [{ action: 'pause', filter: { stat: ['up'] } }, 'stat'],
      [{ action: 'pause', filter: { channel: 'x' } }, 'channels'],
      [{ action: 'pause', ids, tags: 'a' }, 'tags'],
      [{ action: 'add-tags', ids, tags: '  ' }, 'tags'],
      [{ action: 'add-tags', ids, tags: 'a\0' }, 'tags'],
      [{ action: 'add-channels', ids }, 'channels'],
      [{ action: 'delete', ids, channels: ['x'] }, 'channels'],
      [{ action: 'add-channels', ids, channels: ['x'] }, 'channels'],
    ] as const) {
      const answer = await change(body);
      expect({ body, status: answer.status, error: answer.body.error }).toMatchObject({
        status: 400,
        error: expect.stringContaining(name),
      });
    }
  });
});
