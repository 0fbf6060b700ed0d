import { expect, test, vi } from 'vitest';
import { siteRoot } from '../support/app.js';
import { insertUpChecks } from '../support/factories.js';
import { describeMonitor } from '../support/suite.js';

describeMonitor('how fresh badges are', (stage) => {
  /** Paths of the JSON of the badges of a tag, of all checks, and of a check. */
  async function pathsOf(check: { badge_url: string }, tag: string) {
    const { badges } = (await stage.ada.get('/badges/').expect(200)).body;
    const path = (url: string) => url.slice(siteRoot.length);
    return {
      tag: path(badges[tag].json3),
      all: path(badges['*'].json3),
      check: path(check.badge_url).replace('/b/2/', '/b/3/').replace('.svg', '.json'),
    };
  }

  const ask = async (path: string) => (await stage.app.http.get(path).expect(200)).body;

  /** How often the database is read while `work` runs. */
  async function readsOf(work: () => Promise<unknown>): Promise<number> {
    const spy = vi.spyOn(stage.app.database, 'read');
    await work();
    const { length } = spy.mock.calls;
    spy.mockRestore();
    return length;
  }

  test.each(['tag', 'all', 'check'] as const)(
    'a badge of kind %s reads its checks at most once a second, for any number of requests',
    async (kind) => {
      const check = await stage.ada.check({ tags: 'prod' });
      await stage.ada.check({ tags: 'prod' });
      const path = (await pathsOf(check, 'prod'))[kind];
      stage.app.clock.advance(1000);
      expect(
        await readsOf(() => Promise.all(Array.from({ length: 20 }, () => ask(path)))),
      ).toBeLessThanOrEqual(kind === 'check' ? 20 : 1);
      expect(await readsOf(() => Promise.all(Array.from({ length: 20 }, () => ask(path))))).toBe(0);
      stage.app.clock.advance(999);
      expect(await readsOf(() => ask(path))).toBe(0);
      stage.app.clock.advance(1);
      expect(await readsOf(() => ask(path))).toBe(1);
      // a clock that was set back
      stage.app.clock.advance(-60_000);
      expect(await readsOf(() => ask(path))).toBe(1);
    },
  );

  test('the next request sees a ping, a pause, an edit, a deletion and a new check of this process', async () => {
    const check = await stage.ada.check({ tags: 'prod', slug: 'job', timeout: 600, grace: 60 });
    const paths = await pathsOf(check, 'prod');
    const expectAll = async (report: object) => {
      expect(await ask(paths.tag)).toEqual(report);
      expect(await ask(paths.all)).toEqual(report);
      expect(await ask(paths.check)).toEqual(report);
    };
    await expectAll({ status: 'up', total: 1, grace: 0, down: 0 });
    await stage.ada.ping(check, '/fail');
    await expectAll({ status: 'down', total: 1, grace: 0, down: 1 });
    await stage.app.http.get(`/ping/${stage.ada.keys.pingKey}/job`).expect(200);
    await expectAll({ status: 'up', total: 1, grace: 0, down: 0 });
    await stage.ada.ping(check, '/fail');
    await stage.ada.post(`/checks/${check.uuid}/pause`).expect(200);
    await expectAll({ status: 'up', total: 1, grace: 0, down: 0 });
    await stage.ada.ping(check, '/fail');
    await stage.ada.post(`/checks/${check.uuid}`, { tags: 'other' }).expect(200);
    expect(await ask(paths.tag)).toMatchObject({ total: 0, status: 'up' });
    expect(await ask(paths.all)).toMatchObject({ total: 1, status: 'down' });
    expect(Object.keys((await stage.ada.get('/badges/')).body.badges)).toEqual(['*', 'other']);
    const another = await stage.ada.check({ tags: 'prod' });
    await stage.app.http.get(`/ping/${stage.ada.keys.pingKey}/made-by-ping?create=1`).expect(201);
    expect(await ask(paths.tag)).toMatchObject({ total: 1 });
    expect(await ask(paths.all)).toMatchObject({ total: 3, down: 1 });
    await stage.ada.delete(`/checks/${another.uuid}`).expect(200);
    expect(await ask(paths.tag)).toMatchObject({ total: 0 });
    await stage.ada.delete(`/checks/${check.uuid}`).expect(200);
    await stage.app.http.get(paths.check).expect(404);
    expect(await ask(paths.all)).toMatchObject({ total: 1, down: 0 });
  });

  test('the next request sees a flip by the alert loop of this process', async () => {
    const check = await stage.ada.check({ tags: 'prod', timeout: 60, grace: 60 });
    await stage.ada.ping(check);
    const paths = await pathsOf(check, 'prod');
    stage.app.clock.advance(119_500);
    expect(await ask(paths.tag)).toMatchObject({ status: 'late' });
    stage.app.clock.advance(600);
    await stage.app.tick();
    expect(await ask(paths.tag)).toMatchObject({ status: 'down' });
    expect(await ask(paths.check)).toMatchObject({ status: 'down' });
  });

  test('a change by another process is seen within a second', async () => {
    const check = await stage.ada.check({ tags: 'prod' });
    const paths = await pathsOf(check, 'prod');
    for (const path of Object.values(paths)) await ask(path);
    const { database } = stage.app;
    await database.transaction((tx) =>
      tx.query(`update check_states set stored_status = 'down', revision = revision + 1
        where check_id = (select id from checks where uuid = '${check.uuid}')`),
    );
    stage.app.clock.advance(1000);
    for (const path of Object.values(paths)) expect(await ask(path)).toMatchObject({ status: 'down' });
  });

  test('a ping of one check reads that check alone', async () => {
    const { projectId } = stage.ada.keys;
    await insertUpChecks(stage.app, projectId, 300);
    const check = await stage.ada.check({ tags: 'prod' });
    const paths = await pathsOf(check, 'prod');
    await stage.ben.check();
    await ask(paths.all);
    await stage.ada.ping(check, '/fail');
    expect(await readsOf(() => ask(paths.all))).toBe(1);
    expect(await ask(paths.all)).toEqual({ status: 'down', total: 301, grace: 0, down: 1 });
  });

  test('a badge of a deleted project returns 404', async () => {
    const check = await stage.ada.check({ tags: 'prod' });
    const paths = await pathsOf(check, 'prod');
    await stage.app.database.transaction((tx) =>
      tx.query(`delete from projects where id = '${stage.ada.keys.projectId}'`),
    );
    stage.app.clock.advance(1000);
    await stage.app.http.get(paths.tag).expect(404);
    await stage.app.http.get(paths.check).expect(404);
  });
});
