import { expect, test } from 'vitest';
import { insertUpChecks } from '../support/factories.js';
import { describeMonitor } from '../support/suite.js';

const unknown = '00000000-0000-4000-8000-000000000000';

describeMonitor('list checks', (stage) => {
  const names = async (query: string) => {
    const { body } = await stage.ada.get(`/checks/${query}`).expect(200);
    return body.checks.map(({ name }: { name: string }) => name).join(' ');
  };

  test('lists the checks of the project in the order of their creation, also after updates', async () => {
    const first = await stage.ada.check({ name: 'a' });
    await stage.ada.check({ name: 'b' });
    await stage.ben.check({ name: 'theirs' });
    await stage.ada.post(`/checks/${first.uuid}`, { desc: 'changed' });
    expect(await names('')).toBe('a b');
  });

  test('returns each check, with each flag and unusual texts, as a request for that check does', async () => {
    const flags = [
      'manual_resume',
      'filter_subject',
      'filter_body',
      'filter_http_body',
      'filter_default_fail',
    ] as const;
    for (const flag of flags) await stage.ada.check({ [flag]: true, name: flag });
    const odd = 'NULL, "a" \\ {b} é 😀\n\t\u0001';
    const full = { name: odd, desc: odd, tags: odd, methods: 'POST', grace: 61, success_kw: odd };
    const made = await stage.ada.check({ ...full, schedule: '*/5 * * * *', tz: 'Europe/Riga' });
    await stage.app.http.post(`/ping/${made.uuid}/start`).expect(200);
    stage.app.clock.advance(90_000);
    await stage.app.http.post(`/ping/${made.uuid}`).expect(200);
    await stage.app.http.post(`/ping/${made.uuid}/start`).expect(200);
    await stage.ada.check({ name: 'null' });
    const { checks } = (await stage.ada.get('/checks/').expect(200)).body;
    expect(checks).toHaveLength(7);
    for (const check of checks) {
      expect((await stage.ada.get(`/checks/${check.uuid}`).expect(200)).body).toEqual(check);
    }
    expect(checks[5]).toMatchObject({ ...full, last_duration: 90, started: true });
  });

  test('lists more checks than one batch of the database contains', async () => {
    await insertUpChecks(stage.app, stage.ada.keys.projectId, 1203);
    const { checks } = (await stage.ada.get('/checks/').expect(200)).body;
    expect(new Set(checks.map(({ uuid }: { uuid: string }) => uuid)).size).toBe(1203);
  });

  test('filters by slug and by tags', async () => {
    await stage.ada.check({ name: 'a', slug: 'one', tags: 'prod db' });
    await stage.ada.check({ name: 'b', slug: 'one', tags: 'prod  web' });
    await stage.ada.check({ name: 'c', slug: 'two', tags: 'production' });
    expect(await names('?slug=one')).toBe('a b');
    expect(await names('?slug=none')).toBe('');
    expect(await names('?slug=%00')).toBe('');
    expect(await names('?slug=')).toBe('a b c');
    expect(await names('?slug=two&slug=one')).toBe('a b');
    expect(await names('?tag=prod')).toBe('a b');
    expect(await names('?tag=prod&tag=db')).toBe('a');
    expect(await names('?tag=Prod')).toBe('');
    expect(await names('?tag=prod%20db')).toBe('');
    expect(await names('?tag=')).toBe('');
    expect(await names('?slug=one&tag=web')).toBe('b');
    expect(await names('?tags=web')).toBe('a b c');
  });

  test('returns no UUID and no address that changes anything to a read-only key', async () => {
    await stage.ada.check({ name: 'a' });
    const { body } = await stage.ada.peek('/checks/').expect(200);
    expect(body.checks[0].unique_key).toMatch(/^[0-9a-f]{40}$/);
    for (const member of ['uuid', 'ping_url', 'update_url', 'pause_url', 'resume_url', 'channels']) {
      expect(body.checks[0]).not.toHaveProperty(member);
    }
  });

  test('returns JSON without a charset, also at addresses with unnecessary percent-encoding', async () => {
    const { body } = await stage.ada
      .get('/%63hecks%2F')
      .expect(200)
      .expect('Content-Type', 'application/json');
    expect(body).toEqual({ checks: [] });
    const { uuid } = await stage.ada.check();
    await stage.ada.get(`/checks/${uuid.replaceAll('-', '%2D')}`).expect(200);
  });

  test('responds with or without the trailing slash, and to HEAD', async () => {
    await stage.ada.get('/checks').expect(200);
    const key = stage.ada.keys.readWriteKey;
    const { text } = await stage.app.http.head('/api/v3/checks/').set('X-Api-Key', key).expect(200);
    expect(text).toBeUndefined();
  });
});

describeMonitor('get a check', (stage) => {
  test('finds it by UUID in any case, and by unique key', async () => {
    const made = await stage.ada.check({ name: 'a' });
    const peeked = await stage.ada.peek(`/checks/${made.uuid.toUpperCase()}/`).expect(200);
    const byKey = await stage.ada.get(`/checks/${peeked.body.unique_key}`).expect(200);
    expect(byKey.body).toEqual(made);
  });

  test('returns different errors for an unknown check and one of another project', async () => {
    const made = await stage.ada.check();
    const uniqueKey = (await stage.ada.peek(`/checks/${made.uuid}`)).body.unique_key;
    await stage.ben.get(`/checks/${made.uuid}`).expect(403, { error: 'the api key is for another project' });
    await stage.ben.get(`/checks/${uniqueKey}`).expect(404, { error: 'check not found' });
    await stage.ben.get(`/checks/${unknown}`).expect(404, { error: 'check not found' });
  });

  test('only some paths can name a check', async () => {
    await stage.ada.get('/checks/nothing').expect(404);
    await stage.ada.get(`/checks/${unknown.replaceAll('-', '')}`).expect(404);
    await stage.app.http.get('/api/v4/checks/').expect(404, { error: 'nothing exists at this path' });
  });

  test('version 1 reports that a job runs', async () => {
    const made = await stage.ada.check();
    await stage.ada.ping(made, '/start');
    const statuses = [];
    for (const version of [1, 2, 3]) {
      const { body } = await stage.ada.get(`/api/v${version}/checks/${made.uuid}`).expect(200);
      statuses.push(body.status);
    }
    expect(statuses).toEqual(['started', 'new', 'new']);
  });
});

describeMonitor('list channels', (stage) => {
  test('a project without integrations has none', async () => {
    await stage.ada.get('/channels/').expect(200, { channels: [] });
  });
});
