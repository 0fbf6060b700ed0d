import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { createChannel } from '../../src/channels/create-channel.service.js';
import { uniqueKeyOf } from '../../src/checks/check.js';
import { cloakedLink } from '../../src/integrations/links/cloaked-link.js';
import { testChannel } from '../../src/notifications/test-channel.service.js';
import { began, type Holder, openTestApp, siteRoot, type TestApp } from '../support/app.js';
import { type Recorder, startRecorder } from '../support/recorder.js';

const secret = 'a secret for tests only';
const formerSecret = 'the secret before it';

describeEachDialect('the page behind the link of a message', (open) => {
  let app: TestApp;
  let target: Recorder;
  let ada: Holder;

  beforeAll(async () => {
    target = await startRecorder();
    app = await openTestApp(open, { formerSecret });
  });
  beforeEach(async () => {
    app.clock.set(began);
    ada = await app.newProject();
  });
  afterEach(() => target.reset());
  afterAll(async () => {
    await app.close();
    await target.close();
  });

  const pathOf = (link: string) => link.slice(siteRoot.length);
  const linkTo = ({ uuid }: { uuid: string }, signedBy = secret) =>
    pathOf(cloakedLink({ siteRoot, secret: signedBy }, { uuid, uniqueKey: uniqueKeyOf(uuid) }));
  const get = (path: string) => app.http.get(path);
  const slack = () =>
    createChannel(app.accounts, {
      projectId: ada.keys.projectId,
      kind: 'slack',
      name: 'Ops',
      isVerified: true,
      settings: { url: target.url },
    });
  const linkInMessage = (): string => JSON.parse(target.requests[0]?.body ?? '').attachments[0].title_link;

  test('is opened by the link of an alert', async () => {
    await slack();
    const check = await ada.check({ name: 'Backup', timeout: 60, grace: 60, channels: '*' });
    await ada.ping(check);
    app.clock.advance(121_000);
    await app.tick();
    await app.deliver();
    const { text } = await get(pathOf(linkInMessage()))
      .expect(200)
      .expect('Content-Type', /^text\/html/);
    expect(text).toContain('<h1>Backup</h1>');
    expect(text).toContain('<p class="status down">Down</p>');
    expect(text).toContain('<td>2026-01-01 12:00:00 UTC</td><td>Success</td>');
    expect(text).toContain('As of 2026-01-01 12:02:01 UTC.');
  });

  test('is opened by the link of a test message, and says that it was a test', async () => {
    const uuid = await slack();
    await testChannel({ ...app.accounts, notifier: app.notifier }, { projectId: ada.keys.projectId, uuid });
    const { text } = await get(pathOf(linkInMessage())).expect(200);
    expect(text).toContain('<h1>The test message arrived</h1>');
  });

  test.each<[string, object, string, string]>([
    ['started, never ended', {}, '/start', 'New'],
    ['failed', {}, '/fail', 'Down'],
    ['paused', {}, '', 'Paused'],
    ['succeeded, with a schedule', { schedule: '0 0 * * *', tz: 'Europe/Riga' }, '/0', 'Up'],
  ])('shows the status of a check: %s', async (_situation, settings, suffix, word) => {
    const check = await ada.check({ name: 'Backup', ...settings });
    if (suffix === '') await ada.post(`/checks/${check.uuid}/pause`).expect(200);
    else await ada.ping(check, suffix);
    const { text } = await get(linkTo(check)).expect(200);
    expect(text).toContain(`>${word}</p>`);
    const isScheduled = 'tz' in settings;
    expect(text).toContain(isScheduled ? '14:00:00 UTC+02:00 (Europe/Riga)' : '12:00:00 UTC');
  });

  test('shows the latest 20 pings by time and kind, without bodies, addresses and UUID', async () => {
    const check = await ada.check({ name: 'Backup' });
    for (let count = 0; count < 22; count += 1) {
      app.clock.advance(1000);
      await app.http.post(`/ping/${check.uuid}/7`).set('User-Agent', 'the-agent').send('the body');
    }
    const { text } = await get(linkTo(check)).expect(200);
    expect(text.match(/<td>Exit status 7<\/td>/g)).toHaveLength(20);
    expect(text).toContain('12:00:22 UTC');
    expect(text).not.toContain('12:00:02 UTC');
    for (const hidden of ['the body', 'the-agent', '127.0.0.1', check.uuid])
      expect(text).not.toContain(hidden);
  });

  test('shows no more pings than the account may keep', async () => {
    const eve = await app.newProject({ pingLimit: 2 });
    const check = await eve.check();
    for (let count = 0; count < 5; count += 1) await eve.ping(check);
    const { text } = await get(linkTo(check)).expect(200);
    expect(text.match(/<td>Success<\/td>/g)).toHaveLength(2);
  });

  test('shows names as text, for any content', async () => {
    const check = await ada.check({ name: '<script>alert(1)</script>"&' });
    const { text, headers } = await get(linkTo(check)).expect(200);
    expect(text).toContain('<h1>&lt;script&gt;alert(1)&lt;/script&gt;&quot;&amp;</h1>');
    expect(text).not.toContain('<script');
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; style-src 'sha256-[A-Za-z0-9+/]{43}='; form-action 'none'; base-uri 'none'; frame-ancestors 'none'$/,
    );
  });

  test('is neither stored, nor indexed, nor sent on as a referrer', async () => {
    const check = await ada.check();
    for (const path of [linkTo(check), linkTo(check).replace(/.$/, '~')]) {
      const { headers } = await get(path);
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'x-robots-tag': 'noindex',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
      });
    }
  });

  test('returns the same 404 for every wrong link', async () => {
    const [check, other] = [await ada.check(), await ada.check()];
    const right = linkTo(check);
    const [path = '', signature = ''] = right.split('?s=');
    const links = [
      path,
      `${path}?s=`,
      `${path}?s=${signature.slice(1)}`,
      `${path}?s=${signature}&s=${signature}`,
      `${path}?s=${linkTo(other).split('?s=')[1]}`,
      `/cloaked/${check.uuid}/?s=${signature}`,
      `/cloaked/${'0'.repeat(40)}/?s=${signature}`,
      `${path.toUpperCase().replace('CLOAKED', 'cloaked')}?s=${signature}`,
    ];
    const answers = await Promise.all(links.map((link) => get(link)));
    expect(answers.map(({ status }) => status)).toEqual(links.map(() => 404));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers[0]?.text).toContain('This link is not valid');
    await get(right).expect(200);
  });

  test('is still opened by a link that was signed under the former secret', async () => {
    const check = await ada.check();
    await get(linkTo(check, formerSecret)).expect(200);
    await get(linkTo(check, 'a stranger’s secret')).expect(404);
  });

  test('is deleted with its check', async () => {
    const check = await ada.check();
    await ada.delete(`/checks/${check.uuid}`).expect(200);
    await get(linkTo(check)).expect(404);
  });

  test('accepts only GET and HEAD', async () => {
    const check = await ada.check();
    await app.http.head(linkTo(check)).expect(200);
    await app.http.post(linkTo(check)).expect(405).expect('Allow', 'GET, HEAD');
  });
});

describeEachDialect('a link with an impossible signature', (open) => {
  test('is rejected without the database, unlike other links', async () => {
    const app = await openTestApp(open);
    await app.database.close();
    const path = `/cloaked/${'0'.repeat(40)}/`;
    await app.http.get(path).expect(404);
    await app.http.get(`${path}?s=short`).expect(404);
    const { status } = await app.http.get(`${path}?s=${'A'.repeat(22)}`);
    expect(status).toBeGreaterThanOrEqual(500);
    await app.close();
  });
});
