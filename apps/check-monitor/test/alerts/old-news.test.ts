import { describeEachDialect } from '@certloop/db/testing';
import { expect, test } from 'vitest';
import { openAlertStage } from '../support/alerts.js';

const second = 1000;
const minute = 60 * second;

describeEachDialect('old and numerous messages', (open) => {
  const stage = openAlertStage(open, { digestPerMinute: 5 });
  const { channel, webhook, read, log, fail, answer } = stage;
  const slack = (path = '/chat') => channel('slack', { url: stage.target.url + path });
  const titles = () =>
    stage.target.requests
      .filter(({ path }) => path === '/chat')
      .map(({ body }) => (JSON.parse(body) as { attachments: { title: string }[] }).attachments[0]?.title);

  test('people get one message with all changes, programs get each change in order', async () => {
    const { ada, app, target } = stage;
    const [chat, hook] = [await slack(), await webhook()];
    answer(503);
    const check = await fail();
    await app.deliver();
    app.clock.advance(second);
    await ada.ping(check);
    await app.tick();
    app.clock.advance(second);
    await ada.ping(check, '/fail');
    await app.tick();
    answer(200);
    target.reset();
    app.clock.advance(10 * second);
    await app.deliver();
    expect(titles()).toEqual(['“Backup” is DOWN.']);
    const [message] = target.requests.filter(({ path }) => path === '/chat');
    expect(message?.body).toContain(
      'DOWN at 2026-01-01 12:00:00 UTC; UP at 2026-01-01 12:00:01 UTC; DOWN at 2026-01-01 12:00:02 UTC',
    );
    const hooked = target.requests.filter(({ path }) => path === '/hook').map(({ body }) => body);
    expect(hooked).toEqual(
      ['00', '01', '02'].map((at, n) => `Backup ${n === 1 ? 'up' : 'down'} 2026-01-01T12:00:${at}+00:00`),
    );
    const rows = await log(chat);
    expect(rows).toMatchObject([0, 1, 2].map(() => ({ error: null, carriedBy: rows[2]?.deliveryId })));
    expect((await log(hook)).map(({ carriedBy }) => carriedBy)).toEqual([null, null, null]);
  });

  test('in a burst, people get some messages and a digest, and programs get each message', async () => {
    const { app, target } = stage;
    const [chat, hook] = [await slack(), await webhook()];
    for (let n = 1; n <= 60; n += 1) await fail(`check ${n}`);
    await app.deliver();
    expect(titles()).toEqual([
      ...[1, 2, 3, 4, 5].map((n) => `“check ${n}” is DOWN.`),
      '55 more checks are DOWN',
    ]);
    const digest = target.requests.filter(({ path }) => path === '/chat').at(-1)?.body;
    for (const n of [6, 33, 60]) expect(digest).toContain(`check ${n}: DOWN at 2026-01-01 12:00:00 UTC`);
    expect(target.requests.filter(({ path }) => path === '/hook')).toHaveLength(60);
    expect(
      (await log(hook)).filter(({ error, settledAt }) => error === null && settledAt !== null),
    ).toHaveLength(60);
    const rows = await log(chat);
    expect(new Set(rows.slice(5).map(({ carriedBy }) => carriedBy))).toEqual(new Set([rows[59]?.deliveryId]));
  });

  test('messages after a digest wait for the end of its minute', async () => {
    const { app } = stage;
    await slack();
    for (let n = 1; n <= 8; n += 1) await fail(`check ${n}`);
    await app.deliver();
    expect(titles()).toHaveLength(6);
    for (const n of [9, 10]) await fail(`check ${n}`);
    app.clock.advance(minute - 1);
    await app.deliver();
    expect(titles()).toHaveLength(6);
    app.clock.advance(1);
    await app.deliver();
    expect(titles().slice(6)).toEqual(['“check 9” is DOWN.', '“check 10” is DOWN.']);
  });

  test('a chat with a low rate limit gets the rest of a burst as a digest', async () => {
    const { app, target } = stage;
    const chat = await channel('telegram', { chatId: 7 });
    let taken = 0;
    target.answer((response) => {
      taken += 1;
      const isMuch = taken > 2 && taken <= 3;
      const asked = JSON.stringify({ ok: false, description: 'Too Many', parameters: { retry_after: 90 } });
      return isMuch ? response.writeHead(429).end(asked) : response.end('{}');
    });
    for (let n = 1; n <= 30; n += 1) await fail(`check ${n}`);
    await app.deliver();
    expect(target.requests).toHaveLength(3);
    app.clock.advance(90 * second);
    await app.deliver();
    expect(target.requests).toHaveLength(4);
    expect(target.requests[3]?.body).toContain('28 more checks are DOWN');
    expect((await log(chat)).filter(({ error }) => error !== null)).toEqual([]);
  });

  test('a channel that is switched off is reported once: to the owner, and to three other channels', async () => {
    const { ada, app, mailbox, target } = stage;
    const broken = await slack('/broken');
    await webhook();
    for (const path of ['/one', '/two', '/three', '/four']) await slack(path);
    await channel('email', { address: 'unverified@example.org' }, false);
    target.answer((response, { path }) => response.writeHead(path === '/broken' ? 404 : 200).end());
    const check = await fail('Backup', broken.uuid);
    await app.deliver();
    const paths = target.requests.map(({ path }) => path);
    expect([paths[0], ...paths.slice(1).sort()]).toEqual(['/broken', '/one', '/three', '/two']);
    expect(target.requests[1]?.body).toContain(
      'The Slack integration “slack” of project “Jobs” is switched off',
    );
    expect(mailbox.mails).toHaveLength(1);
    expect(mailbox.mails[0]?.to).toMatchObject({ text: expect.stringMatching(/^person\d+@example\.org$/) });
    expect(mailbox.mails[0]?.text).toContain('Received status code 404');
    const { body } = await ada.get('/channels/?include=state').expect(200);
    expect(body.channels[0]).toMatchObject({ disabled_at: '2026-01-01T12:00:00+00:00' });
    expect(Object.keys(body.channels[1])).toEqual(['id', 'name', 'kind']);
    await ada.ping(check);
    await app.tick();
    await app.deliver();
    expect([target.requests.length, mailbox.mails.length]).toEqual([4, 1]);
  });

  test('a failed notice that switches another channel off causes no further notice', async () => {
    const { app, mailbox } = stage;
    const [first, second] = [await slack('/one'), await slack('/two')];
    answer(404);
    await fail('Backup', first.uuid);
    await app.deliver();
    await app.deliver();
    expect(mailbox.mails).toHaveLength(1);
    for (const chat of [first, second])
      expect(await read(chat)).toMatchObject({ disabledAt: expect.any(Number) });
  });

  test('the notice to the owner waits for the mail server', async () => {
    const { app, mailbox } = stage;
    const broken = await slack('/broken');
    answer(404);
    mailbox.refuse(451, 'later');
    await fail('Backup', broken.uuid);
    await app.deliver();
    expect(mailbox.mails).toEqual([]);
    mailbox.refuse(undefined);
    app.clock.advance(5 * second);
    await app.deliver();
    expect(mailbox.mails).toHaveLength(1);
  });
});
