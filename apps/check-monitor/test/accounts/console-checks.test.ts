import { executeSql } from '@certloop/db';
import { stretchExcess } from '@certloop/server/testing';
import { beforeEach, expect, test } from 'vitest';
import { uniqueKeyOf } from '../../src/checks/check.js';
import { type Browser, newPerson, newProject } from '../support/browser.js';
import { copyCheck } from '../support/copy-check.js';
import { describeMonitor } from '../support/suite.js';

describeMonitor('the checks of a project in the console', (stage) => {
  let owner: Browser;
  let reader: Browser;
  let project: string;

  beforeEach(async () => {
    [owner, reader] = [await newPerson(stage), await newPerson(stage)];
    project = await newProject(owner);
    const member = { email: reader.email, role: 'read-only' };
    await owner.send('post', `/projects/${project}/members`, member).expect(200);
  });

  const at = (rest = '') => `/projects/${project}${rest}`;
  const make = async (body: object) =>
    (await owner.send('post', at('/v3/checks/'), body).expect(201)).body as { uuid: string };
  const ping = ({ uuid }: { uuid: string }, suffix = '') =>
    stage.app.http.get(`/ping/${uuid}${suffix}`).expect(200);
  const list = async (query: string, person = owner) => {
    const { body, headers } = await person.get(at(`/checks?${query}`)).expect(200);
    return {
      checks: body.checks as { name: string }[],
      names: body.checks.map(({ name }: { name: string }) => name) as string[],
      total: headers['x-total-count'],
      link: String(headers['link'] ?? ''),
    };
  };

  test('are found, sorted and paged', async () => {
    const backup = await make({ name: 'Backup', tags: 'prod db', timeout: 60, grace: 60 });
    const archive = await make({ name: 'Archive', tags: 'prod', timeout: 60, grace: 60 });
    await make({ name: 'Reports' });
    await ping(archive);
    stage.app.clock.advance(70_000);
    await ping(backup, '/fail');
    expect(await list('sort=attention')).toMatchObject({
      names: ['Backup', 'Archive', 'Reports'],
      total: '3',
    });
    expect((await list('q=ARCH')).names).toEqual(['Archive']);
    expect((await list('status=grace&status=new&sort=name')).names).toEqual(['Archive', 'Reports']);
    expect((await list('tag=prod&sort=name')).names).toEqual(['Archive', 'Backup']);
    const first = await list('sort=name&limit=2&tag=prod&tag=db&q=b');
    expect(first).toMatchObject({ names: ['Backup'], total: '1', link: '' });
    const page = await list('sort=name&limit=2');
    expect(page.names).toEqual(['Archive', 'Backup']);
    const [, path = ''] = /^<\/api\/account(.*)>; rel="next"$/.exec(page.link) ?? [];
    expect((await owner.get(path).expect(200)).body.checks).toMatchObject([{ name: 'Reports' }]);
  });

  test('are filtered by an assigned integration', async () => {
    await make({ name: 'Backup' });
    const settings = { down: { url: 'https://example.org/down' } };
    const wanted = { kind: 'webhook', name: 'Hook', settings };
    const { id } = (await owner.send('post', at('/channels'), wanted).expect(201)).body;
    await make({ name: 'Reports' });
    expect((await list(`channel=${id}`)).names).toEqual(['Backup']);
    expect((await list('channel=00000000-0000-4000-8000-000000000000')).names).toEqual([]);
  });

  test('include their state if requested', async () => {
    const check = await make({ name: 'Backup', timeout: 60, grace: 60 });
    const plain = (await owner.get(at('/checks')).expect(200)).body.checks[0];
    expect((await list('limit=1')).checks[0]).toEqual(plain);
    expect((await list('include=state')).checks[0]).toEqual({ ...plain, id: check.uuid, kind: 'simple' });
    await ping(check);
    expect((await list('include=state')).checks[0]).toMatchObject({
      expectedAt: '2026-01-01T12:01:00+00:00',
    });
    stage.app.clock.advance(600_000);
    // the alert loop has not come by yet
    const down = { status: 'down', downSince: '2026-01-01T12:02:00+00:00' };
    const expected = { expectedAt: '2026-01-01T12:01:00+00:00' };
    expect((await list('include=state')).checks[0]).toMatchObject({ ...down, ...expected });
    await stage.app.tick();
    stage.app.clock.advance(600_000);
    expect((await list('include=state')).checks[0]).toMatchObject({ ...down, ...expected });
    const seen = (await list('include=state', reader)).checks[0];
    expect(seen).toMatchObject({ ...down, id: uniqueKeyOf(check.uuid) });
    expect(JSON.stringify(seen)).not.toContain(check.uuid);
  });

  test('are rejected with a sentence that names the parameter', async () => {
    for (const [query, name] of [
      ['limit=0', 'limit'],
      ['limit=1001', 'limit'],
      ['sort=speed', 'sort'],
      ['status=broken', 'status'],
      ['cursor=x', 'cursor'],
      ['channel=x', 'channel'],
      ['include=all', 'include'],
    ]) {
      const { body } = await owner.get(at(`/checks?${query}`)).expect(400);
      expect(body.error).toContain(name);
    }
  });

  test('show their states at once after a ping, a pause, and a deletion, and within 3 s elsewhere', async () => {
    const states = async (ids: string) =>
      (await reader.get(at(`/checks/status?ids=${ids}`)).expect(200)).body;
    const [backup, reports] = [await make({ name: 'Backup', timeout: 60, grace: 60 }), await make({})];
    const ids = `${uniqueKeyOf(backup.uuid)},${reports.uuid}`;
    expect(await states(ids)).toMatchObject({
      counts: { new: 2, up: 0, down: 0, grace: 0, paused: 0, started: 0 },
      checks: [{ status: 'new', lastPing: null, recent: '' }, { status: 'new' }],
    });
    await ping(backup, '/start');
    stage.app.clock.advance(1_500);
    await ping(backup);
    await owner.send('post', at(`/v3/checks/${reports.uuid}/pause`)).expect(200);
    const { checks, counts } = await states(ids);
    expect(counts).toMatchObject({ new: 0, up: 1, paused: 1 });
    expect(checks).toContainEqual({
      id: uniqueKeyOf(backup.uuid),
      status: 'up',
      started: false,
      lastPing: '2026-01-01T12:00:01+00:00',
      nextPing: '2026-01-01T12:01:01+00:00',
      lastDuration: 1.5,
      downSince: null,
      recent: 'u',
    });
    await ping(backup, '/fail');
    stage.app.clock.advance(1_000);
    expect((await states(backup.uuid)).checks).toMatchObject([
      { status: 'down', downSince: '2026-01-01T12:00:01+00:00', recent: 'uf' },
    ]);
    await ping(backup);
    stage.app.clock.advance(121_000);
    await stage.app.tick();
    expect((await states(backup.uuid)).checks).toMatchObject([
      { status: 'down', downSince: '2026-01-01T12:02:02+00:00', recent: 'ufum' },
    ]);
    await owner.send('delete', at(`/v3/checks/${reports.uuid}`)).expect(200);
    expect(await states(ids)).toMatchObject({ counts: { paused: 0 }, checks: [{ status: 'down' }] });
    await owner.get(at(`/checks/status?ids=${Array.from({ length: 101 }, () => 'a').join()}`)).expect(400);
  });

  test('show the latest runs of each of many checks in their order', async () => {
    const made = [await make({}), await make({}), await make({})];
    const [long, short, fresh] = made as [{ uuid: string }, { uuid: string }, { uuid: string }];
    // several laps of a ring of 50 pings, of which the last one has four starts, which are not runs
    for (let n = 0; n < 130; n += 1) {
      stage.app.clock.advance(1_000);
      await ping(long, n % 3 === 0 ? '/fail' : '');
      if (n % 10 === 0) await ping(long, '/start');
    }
    await ping(short, '/fail');
    await ping(short);
    const asked = async () => {
      const ids = made.map(({ uuid }) => uuid).join();
      const { checks } = (await reader.get(at(`/checks/status?ids=${ids}`)).expect(200)).body;
      return new Map((checks as { id: string; recent: string }[]).map(({ id, recent }) => [id, recent]));
    };
    const letters = Array.from({ length: 130 }, (_, n) => (n % 3 === 0 ? 'f' : 'u')).join('');
    const expected = new Map([
      [uniqueKeyOf(long.uuid), letters.slice(-46)],
      [uniqueKeyOf(short.uuid), 'fu'],
      [uniqueKeyOf(fresh.uuid), ''],
    ]);
    expect(await asked()).toEqual(expected);
    // those that did not change are not read again
    await ping(fresh);
    expect(await asked()).toEqual(expected.set(uniqueKeyOf(fresh.uuid), 'u'));
  });

  test('lose their history when it is cleared, and are pinged again as new checks', async () => {
    const { uuid } = await make({ name: 'Backup', timeout: 60, grace: 60 });
    for (const suffix of ['', '/fail', '', '/start']) await ping({ uuid }, suffix);
    await stage.app.tick();
    await stage.app.deliver();
    await reader.send('post', at(`/checks/${uuid}/clear`)).expect(403);
    await owner.send('post', at(`/checks/${uniqueKeyOf(uuid)}/clear`)).expect(204);
    const events = async () => (await owner.get(at(`/checks/${uuid}/events`)).expect(200)).body.events;
    expect(await events()).toEqual([]);
    const states = async () =>
      (await owner.get(at(`/checks/status?ids=${uuid}`)).expect(200)).body.checks as object[];
    const fresh = { status: 'new', started: false, lastPing: null, nextPing: null, recent: '' };
    expect(await states()).toMatchObject([fresh]);
    await ping({ uuid });
    await ping({ uuid }, '/fail');
    expect(await states()).toMatchObject([{ status: 'down', recent: 'uf' }]);
    expect((await events()).filter(({ kind }: { kind: string }) => kind === 'ping')).toMatchObject([
      { n: 2, type: 'fail' },
      { n: 1, type: 'success' },
    ]);
    await owner.send('post', at('/checks/00000000-0000-4000-8000-000000000000/clear')).expect(404);
  });

  test('are moved with their history to another project of the user, within its limit', async () => {
    const other = await newPerson(stage);
    const target = await newProject(other);
    const check = await make({ name: 'Backup', timeout: 60, grace: 60 });
    await ping(check);
    const move = (projectId: string, person = owner) =>
      person.send('post', at(`/checks/${check.uuid}/move`), { projectId });
    await move(target).expect(404);
    const member = { email: owner.email, role: 'read-only' };
    await other.send('post', `/projects/${target}/members`, member).expect(200);
    await move(target).expect(403);
    await other.send('post', `/projects/${target}/members`, { ...member, role: 'member' }).expect(200);
    await move(target, reader).expect(403);
    const settings = { down: { url: 'https://example.org/down' } };
    const hook = { kind: 'webhook', name: 'Hook', settings };
    const { id } = (await owner.send('post', `/projects/${target}/channels`, hook).expect(201)).body;
    const limitsOf = async (person: Browser) => (await person.get('/limits').expect(200)).body.checks;
    // both lists are read, so that they have to notice the move
    await list('limit=10');
    await other.get(`/projects/${target}/checks?limit=10`).expect(200);
    expect((await move(target).expect(200)).body).toEqual({ projectId: target, id: check.uuid });
    expect([await limitsOf(owner), await limitsOf(other)]).toEqual([0, 1]);
    expect(await list('limit=10')).toMatchObject({ names: [], total: '0' });
    const { checks } = (await other.get(`/projects/${target}/checks?limit=10`).expect(200)).body;
    expect(checks).toMatchObject([{ name: 'Backup', n_pings: 1, channels: id, status: 'up' }]);
    await ping(check);
    await owner.get(at(`/checks/${check.uuid}`)).expect(404);
    await move(target).expect(404);
  });

  test('of more than 10,000 are served from the cache while all are read again, for at most 30 s', async () => {
    const { uuid } = await make({ name: 'job' });
    await stage.app.database.transaction((tx) => copyCheck(tx, uuid, 10_000, '33333333'));
    const pausedNow = async () =>
      (await owner.get(at('/checks/status?ids=a')).expect(200)).body.counts.paused;
    // as another process does, whose changes this one does not know
    const pause = (share: number) =>
      stage.app.database.transaction((tx) =>
        executeSql(tx, `update check_states set stored_status = 'paused' where check_id % ${share} = 0`),
      );
    expect(await pausedNow()).toBe(0);
    await pause(3);
    stage.app.clock.advance(14_000);
    expect(await pausedNow()).toBe(0);
    stage.app.clock.advance(2_000);
    expect(await pausedNow()).toBe(0);
    await ping({ uuid });
    const { body } = await owner.get(at(`/checks/status?ids=${uuid}`)).expect(200);
    expect(body.checks).toMatchObject([{ id: uuid, status: 'up' }]);
    let third = 0;
    for (let n = 0; n < 1_000 && third === 0; n += 1) third = await pausedNow();
    expect(third).toBeGreaterThan(3_300);
    expect((await owner.get(at(`/checks/status?ids=${uuid}`)).expect(200)).body.checks).toMatchObject([
      { id: uuid, status: 'up' },
    ]);
    await pause(2);
    stage.app.clock.advance(31_000);
    expect(await pausedNow()).toBeGreaterThan(6_600);
  });

  test('are read, sorted and paged by 50,000 without blocking other requests', async () => {
    const count = 50_000;
    // what runs for the first time is compiled first
    const { uuid } = await make({ name: 'job' });
    await list('limit=10');
    await stage.app.database.transaction(async (tx) => {
      await copyCheck(tx, uuid, count - 1);
      await executeSql(tx, "update check_states set stored_status = 'paused' where check_id % 3 = 0");
    });
    stage.app.clock.advance(60_000);
    const listBeside = async (sort: string) => {
      const found = await list(`sort=${sort}&limit=50&include=state`);
      expect(found).toMatchObject({ total: String(count) });
      if (sort !== 'attention') {
        expect(found.names.slice(0, 2)).toEqual(['job', sort === 'name' ? 'job 0' : 'job 7919']);
      }
    };
    for (const sort of ['attention', 'name', 'created']) {
      expect(await stretchExcess(50, () => listBeside(sort))).toBeUndefined();
    }
  });

  test('of 40 projects are counted without blocking other requests', async () => {
    // to count a check as up takes its next run, which is years away
    const scheduled = { name: 'job', schedule: 'Mon *-02-29 03:30', tz: 'Europe/Riga' };
    for (let n = 0; n < 40; n += 1) {
      const other = await stage.app.newProject();
      const { uuid } = await other.check(scheduled);
      const own = 'update projects set owner_id = (select id from users where email = $1) where id = $2';
      await stage.app.database.transaction(async (tx) => {
        await copyCheck(tx, uuid, 999, String(44_444_000 + n));
        await executeSql(tx, own, [owner.email, other.keys.projectId]);
      });
    }
    const pinged = `update check_states set stored_status = 'up', last_ping = $1 where stored_status = 'new'`;
    await stage.app.database.transaction((tx) => executeSql(tx, pinged, [stage.app.accounts.clock.now()]));
    stage.app.clock.advance(60_000);
    const countUp = async () => {
      const { body } = await owner.get('/projects?include=counts').expect(200);
      return (body.projects as { counts: { up: number } }[]).map(({ counts }) => counts.up);
    };
    expect((await countUp()).filter((up) => up === 1000)).toHaveLength(40);
    // these find all checks in the cache
    expect(await stretchExcess(50, countUp)).toBeUndefined();
  });
});
