import { expect, test } from 'vitest';
import { siteRoot } from '../support/app.js';
import { describeMonitor } from '../support/suite.js';

const neverCached = 'max-age=0, no-cache, no-store, must-revalidate, private';

describeMonitor('badges', (stage) => {
  /** Path of an address of this service. */
  const pathOf = (url: string) => url.slice(siteRoot.length);
  const badgesOf = async () => (await stage.ada.get('/badges/').expect(200)).body.badges;
  const fetchBadge = (url: string) => stage.app.http.get(pathOf(url));

  test('a project without checks has addresses for all checks', async () => {
    const badges = await badgesOf();
    expect(Object.keys(badges)).toEqual(['*']);
    expect(Object.keys(badges['*']).sort()).toEqual(['json', 'json3', 'shields', 'shields3', 'svg', 'svg3']);
    await fetchBadge(badges['*'].json).expect(200, { status: 'up', total: 0, grace: 0, down: 0 });
  });

  test('every tag of the project has addresses, and no other', async () => {
    await stage.ada.check({ tags: 'prod  db' });
    await stage.ada.check({ tags: 'prod __proto__' });
    await stage.ben.check({ tags: 'secret' });
    const { text } = await stage.ada.get('/badges/').expect(200);
    expect(Object.keys(JSON.parse(text).badges)).toEqual(['*', '__proto__', 'db', 'prod']);
  });

  test('a read-only key lists the same addresses, in every version', async () => {
    const badges = await badgesOf();
    for (const version of ['v1', 'v2', 'v3']) {
      await stage.ada.peek(`/api/${version}/badges/`).expect(200, { badges });
    }
  });

  test.each([
    ['a word', 'prod'],
    ['reserved characters', 'a&b/c?d#e'],
    ['letters beyond ASCII', 'été'],
    ['dots', 'foo.bar.svg'],
    ['percent signs', '100%'],
  ])('the badge of a tag with %s shows its checks', async (_situation, tag) => {
    await stage.ada.check({ tags: `${tag} other` });
    await stage.ada.check({ tags: 'other' });
    const { json3, shields3 } = (await badgesOf())[tag];
    await fetchBadge(json3).expect(200, { status: 'up', total: 1, grace: 0, down: 0 });
    await fetchBadge(shields3).expect(200, {
      schemaVersion: 1,
      label: tag,
      message: 'up',
      color: 'success',
    });
  });

  test('a late check is up in two states and late in three', async () => {
    const check = await stage.ada.check({ tags: 'prod', timeout: 600, grace: 120 });
    await stage.ada.ping(check);
    stage.app.clock.advance(600_000);
    const { json, json3, shields3, svg3 } = (await badgesOf())['prod'];
    await fetchBadge(json).expect(200, { status: 'up', total: 1, grace: 1, down: 0 });
    await fetchBadge(json3).expect(200, { status: 'late', total: 1, grace: 1, down: 0 });
    expect((await fetchBadge(shields3)).body).toMatchObject({ message: 'late', color: 'important' });
    expect((await fetchBadge(svg3)).body.toString()).toContain('>late</text>');
  });

  test('the badge of all checks is down if one check is down', async () => {
    const check = await stage.ada.check();
    await stage.ada.check();
    await stage.ada.ping(check, '/fail');
    const { json, shields, svg } = (await badgesOf())['*'];
    await fetchBadge(json).expect(200, { status: 'down', total: 2, grace: 0, down: 1 });
    await fetchBadge(shields).expect(200, {
      schemaVersion: 1,
      label: 'Monitor',
      message: 'down',
      color: 'critical',
    });
    const { body, headers } = await fetchBadge(svg).expect(200);
    expect(headers['content-type']).toMatch(/^image\/svg\+xml/);
    expect(body.toString()).toContain('>Monitor</text>');
    expect(body.toString()).toContain('#e05d44');
  });

  test('every check has a badge', async () => {
    const check = await stage.ada.check({ name: 'Backup <1>' });
    await stage.ada.ping(check, '/fail');
    const svg = await fetchBadge(check.badge_url).expect(200);
    expect(svg.body.toString()).toContain('Backup &lt;1&gt;');
    const path = pathOf(check.badge_url);
    await stage.app.http
      .get(path.replace('.svg', '.json'))
      .expect(200, { status: 'down', total: 1, grace: 0, down: 1 });
  });

  test('the address of the badge of a check selects two or three states', async () => {
    const check = await stage.ada.check({ timeout: 60, grace: 60 });
    await stage.ada.ping(check);
    stage.app.clock.advance(60_000);
    const path = pathOf(check.badge_url).replace('.svg', '.json');
    const statusOf = async (states: string) =>
      (await stage.app.http.get(path.replace('/b/2/', `/b/${states}/`)).expect(200)).body.status;
    expect(await Promise.all(['2', '3', '03', '4', '0'].map(statusOf))).toEqual([
      'up',
      'late',
      'late',
      'up',
      'up',
    ]);
  });

  test.each([
    ['a slug in place of a name', { slug: 'backup' }, 'backup'],
    ['without name and slug', {}, 'unnamed'],
  ])('a check with %s does not show its UUID', async (_situation, settings, label) => {
    const check = await stage.ada.check(settings);
    const { body, text } = await stage.app.http.get(pathOf(check.badge_url).replace('.svg', '.shields'));
    expect(body.label).toBe(label);
    expect(text).not.toContain(check.uuid);
  });

  test('a tag without checks is up', async () => {
    const check = await stage.ada.check({ tags: 'old' });
    const { json } = (await badgesOf())['old'];
    await stage.ada.post(`/checks/${check.uuid}`, { tags: '' }).expect(200);
    await fetchBadge(json).expect(200, { status: 'up', total: 0, grace: 0, down: 0 });
  });

  test('upper-case UUIDs and a trailing slash return the same badge', async () => {
    const check = await stage.ada.check();
    await stage.app.http.get(`/b/2/${pathOf(check.badge_url).slice(5, 41).toUpperCase()}.json`).expect(200);
    await stage.app.http.get(`${pathOf(check.badge_url)}/`).expect(200);
  });

  test('is served to every origin and not cached', async () => {
    const { svg } = (await badgesOf())['*'];
    const { headers } = await fetchBadge(svg).expect(200);
    expect(headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, OPTIONS',
      'access-control-max-age': '600',
      'cache-control': neverCached,
      expires: 'Thu, 01 Jan 2026 12:00:00 GMT',
    });
  });

  test('HEAD responds like GET, OPTIONS is a preflight, and other methods are rejected', async () => {
    const path = pathOf((await badgesOf())['*'].svg);
    const head = await stage.app.http.head(path).expect(200);
    expect(head.headers['content-type']).toMatch(/^image\/svg\+xml/);
    await stage.app.http.options(path).expect(204);
    const refused = await stage.app.http.post(path).expect(405);
    expect([refused.headers['allow'], refused.text]).toEqual(['GET, HEAD, OPTIONS', '']);
  });

  test.each([
    ['another signature', (path: string) => path.replace(/\/[\w-]{8}-2/, '/AAAAAAAA-2')],
    ['another project', (path: string) => path.replace(/\/badge\/[^/]+/, '/badge/no-such-project')],
    ['another tag', (path: string) => path.replace('prod', 'prof')],
    ['a format that there is not', (path: string) => path.replace('.svg', '.png')],
    ['no format', (path: string) => path.replace('.svg', '')],
    ['a tag that is not quoted', (path: string) => path.replace('prod', 'a%26b')],
  ])('%s returns 404 without a body', async (_situation, change) => {
    await stage.ada.check({ tags: 'prod' });
    const path = pathOf((await badgesOf())['prod'].svg);
    await stage.app.http.get(path).expect(200);
    const { text, headers } = await stage.app.http.get(change(path)).expect(404);
    expect([text, headers['cache-control']]).toEqual(['', neverCached]);
  });

  test('the UUID of a check is not the address of a badge', async () => {
    const { uuid } = await stage.ada.check();
    await stage.app.http.get(`/b/2/${uuid}.svg`).expect(404, '');
    await stage.app.http.get('/b/2/no-uuid.svg').expect(404, '');
    await stage.app.http.get(`/b/two/${uuid}.svg`).expect(404, '');
  });
});
