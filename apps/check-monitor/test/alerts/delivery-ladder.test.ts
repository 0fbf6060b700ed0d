import { until } from '@certloop/contracts/testing';
import { describeEachDialect } from '@certloop/db/testing';
import { expect, test } from 'vitest';
import { editChannel } from '../../src/channels/manage-channels.service.js';
import { openAlertStage } from '../support/alerts.js';
import { began } from '../support/app.js';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

describeEachDialect('the retry schedule of deliveries', (open) => {
  const stage = openAlertStage(open);
  const { channel, webhook, read, log, fail, answer } = stage;
  const bodies = () => stage.target.requests.map(({ body }) => body);
  const secondsOf = (from: number, instant: number | null | undefined) => ((instant ?? from) - from) / 1e6;

  test('retries after 5 s, 30 s, four times 2 min, 10 and 30 min, then each hour, until the target is back', async () => {
    const { app, target } = stage;
    const hook = await webhook();
    answer(503);
    await fail();
    const times: number[] = [];
    const from = app.accounts.clock.now();
    for (let count = 1; count <= 11; count += 1) {
      await app.deliver();
      expect(target.requests).toHaveLength(count);
      const [open] = await log(hook);
      expect(open).toMatchObject({ tries: count, settledAt: null, error: 'Received status code 503' });
      const wait = (open?.dueAt ?? 0) / 1000 - app.clock.now().getTime();
      times.push(wait / second);
      app.clock.advance(wait - 1);
      await app.deliver();
      expect(target.requests).toHaveLength(count);
      app.clock.advance(1);
    }
    expect(times).toEqual([5, 30, 120, 120, 120, 120, 600, 1800, 3600, 3600, 3600]);
    expect(await read(hook)).toMatchObject({ failingSince: from, lastError: 'Received status code 503' });
    answer(200);
    await app.deliver();
    expect(await log(hook)).toMatchObject([{ error: null, settledAt: app.accounts.clock.now() }]);
    expect(await read(hook)).toMatchObject({ failingSince: null, lastError: null });
    expect(new Set(target.requests.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    expect(bodies().at(-1)).toBe('Backup down 2026-01-01T12:00:00+00:00');
  });

  test.each([401, 403, 404, 410, 422])(
    'calls a target that returns %i twice more within minutes',
    async (status) => {
      const { app, mailbox, target } = stage;
      const hook = await webhook();
      answer(status);
      await fail();
      const error = `Received status code ${status}`;
      for (const [count, seconds] of [
        [1, 30],
        [2, 120],
      ] as const) {
        await app.deliver();
        expect(await log(hook)).toMatchObject([{ tries: count, settledAt: null, error }]);
        app.clock.advance(seconds * second - 1);
        await app.deliver();
        expect(target.requests).toHaveLength(count);
        app.clock.advance(1);
      }
      await app.deliver();
      expect(await log(hook)).toMatchObject([{ error, settledAt: app.accounts.clock.now() }]);
      expect(await read(hook)).toMatchObject({ disabledAt: null, lastError: error });
      app.clock.advance(hour);
      await app.deliver();
      expect([target.requests.length, mailbox.mails.length]).toEqual([3, 0]);
    },
  );

  test.each([404, 503])(
    'sends the same request again after %i, although the check has changed',
    async (status) => {
      const { ada, app, target } = stage;
      const body = '$NAME $TAGS $STATUS $BODY $JSON';
      const call = { method: 'POST', url: `${target.url}/$SLUG`, body };
      const hook = await channel('webhook', { down: call, up: call });
      answer(status);
      const check = await fail();
      await app.deliver();
      await ada.post(`/checks/${check.uuid}`, { name: 'Other', slug: 'other', tags: 'new' }).expect(200);
      await ada.ping(check);
      await app.tick();
      app.clock.advance(30 * second);
      answer(200);
      await app.deliver();
      await app.deliver();
      const [first, again, ...further] = target.requests;
      expect(again?.headers['idempotency-key']).toBe(first?.headers['idempotency-key']);
      expect([again?.path, again?.body]).toEqual([first?.path, first?.body]);
      expect(further.map(({ path }) => path)).toEqual(['/other']);
      expect((await log(hook)).map(({ event }) => event)).toEqual([null, null]);
    },
  );

  test('sends the message of new settings under another key', async () => {
    const { ada, app, target } = stage;
    const call = { method: 'POST', url: target.url, body: '$NAME' };
    const hook = await channel('webhook', { down: call, up: call });
    answer(503);
    await fail();
    await app.deliver();
    const path = { projectId: ada.keys.projectId, uuid: hook.uuid };
    const settings = { down: { ...call, body: '$NAME is $STATUS' }, up: call };
    await editChannel(app.accounts, path, { settings });
    app.clock.advance(30 * second);
    answer(200);
    await app.deliver();
    expect(target.requests.map(({ body }) => body)).toEqual(['Backup', 'Backup is down']);
    expect(new Set(target.requests.map(({ headers }) => headers['idempotency-key'])).size).toBe(2);
  });

  test('gives up a message after 24 hours, and notifies the owner once', async () => {
    const { ada, app, mailbox } = stage;
    const hook = await webhook();
    answer(503);
    await fail('one');
    await fail('two');
    for (let step = 0; step < 60; step += 1) {
      await app.deliver();
      app.clock.advance(30 * minute);
    }
    const ended = (began.getTime() + 24 * hour) * 1000;
    const [one, two] = await log(hook);
    const error = 'Received status code 503';
    expect([one, two]).toMatchObject([{ error }, { error }]);
    for (const settled of [one, two]) expect(secondsOf(ended, settled?.settledAt)).toBeLessThanOrEqual(1800);
    expect(await read(hook)).toMatchObject({ disabledAt: null, failingSince: began.getTime() * 1000 });
    expect(mailbox.mails.map(({ subject }) => subject)).toEqual([
      'The Webhook integration “webhook” of project “Jobs” does not work',
    ]);
    expect(mailbox.mails[0]?.text).toContain('fail since 2026-01-01 12:00:00 UTC');
    const { body } = await ada.get('/channels/?include=state').expect(200);
    expect(body.channels).toMatchObject([{ failing_since: '2026-01-01T12:00:00+00:00' }]);
  });

  test('keeps mails while the mail server is unavailable', async () => {
    const { app, mailbox } = stage;
    const mail = await channel('email', { address: 'ada@example.org' });
    mailbox.refuse(450, '4.7.1 greylisted');
    await fail();
    await app.deliver();
    expect(await log(mail)).toMatchObject([{ settledAt: null, tries: 1 }]);
    mailbox.refuse(undefined);
    app.clock.advance(5 * second);
    await app.deliver();
    expect(mailbox.mails).toHaveLength(1);
    expect(await log(mail)).toMatchObject([{ error: null, settledAt: app.accounts.clock.now() }]);
  });

  test('pauses only the channel that returns 429, and loses no message of a burst', async () => {
    const { app, target } = stage;
    const [limited, other] = [await webhook('/limited'), await webhook('/other')];
    let taken = 0;
    let rest = 3;
    target.answer((response, { path }) => {
      if (path === '/other' || rest > 0) {
        if (path === '/limited') [taken, rest] = [taken + 1, rest - 1];
        return response.end();
      }
      return response.writeHead(429, { 'Retry-After': '1' }).end();
    });
    for (let n = 0; n < 20; n += 1) await fail(`check ${n}`);
    for (let step = 0; taken < 20; step += 1) {
      expect(step).toBeLessThan(30);
      await app.deliver();
      expect(target.requests.filter(({ path }) => path === '/other')).toHaveLength(20);
      app.clock.advance(999);
      const calls = target.requests.length;
      await app.deliver();
      expect(target.requests).toHaveLength(calls);
      app.clock.advance(1);
      rest = 1;
    }
    await app.deliver();
    expect(
      (await log(limited)).filter(({ error, settledAt }) => error === null && settledAt !== null),
    ).toHaveLength(20);
    expect(await read(limited)).toMatchObject({ failingSince: null, lastError: null });
    expect(await read(other)).toMatchObject({ failingSince: null });
  });

  test('follows a Retry-After that is a date, but waits at most an hour', async () => {
    const { app } = stage;
    const hook = await webhook();
    answer(429, { 'Retry-After': new Date(began.getTime() + 24 * hour).toUTCString() });
    await fail();
    await app.deliver();
    expect(secondsOf(app.accounts.clock.now(), (await read(hook)).heldUntil)).toBe(3600);
    const { body } = await stage.ada.get('/channels/?include=state').expect(200);
    expect(body.channels).toMatchObject([{ held_until: '2026-01-01T13:00:00+00:00' }]);
    answer(200);
    app.clock.advance(hour);
    await app.deliver();
    expect(await log(hook)).toMatchObject([{ error: null }]);
  });

  test('pauses a channel for at most two minutes if its target returns 429 without Retry-After', async () => {
    const { app } = stage;
    const hook = await webhook();
    answer(429);
    await fail();
    const holds: number[] = [];
    for (let step = 0; step < 6; step += 1) {
      await app.deliver();
      const held = secondsOf(app.accounts.clock.now(), (await read(hook)).heldUntil);
      holds.push(held ?? 0);
      app.clock.advance((held ?? 0) * second);
    }
    expect(holds).toEqual([5, 30, 120, 120, 120, 120]);
  });

  test('shows a channel as failing while its target is unavailable, with the duration', async () => {
    const { app } = stage;
    const hook = await webhook();
    answer(503, { 'Retry-After': '120' });
    await fail();
    await app.deliver();
    const from = app.accounts.clock.now();
    expect(await read(hook)).toMatchObject({ failingSince: from, lastError: 'Received status code 503' });
    expect(secondsOf(from, (await read(hook)).heldUntil)).toBe(120);
    answer(200);
    app.clock.advance(120 * second);
    await app.deliver();
    expect(await read(hook)).toMatchObject({ failingSince: null, lastError: null });
    expect(await log(hook)).toMatchObject([{ error: null, settledAt: app.accounts.clock.now() }]);
  });

  test('calls an unavailable target with a short Retry-After no more often than the retry schedule', async () => {
    const { app, target } = stage;
    await webhook();
    answer(503, { 'Retry-After': '1' });
    await fail();
    for (let seconds = 0; seconds <= 60; seconds += 1) {
      await app.deliver();
      app.clock.advance(second);
    }
    expect(target.requests).toHaveLength(3);
  });

  test('gives up messages that wait 24 hours because of a limit of one message an hour', async () => {
    const { ada, app, mailbox } = stage;
    const hook = await webhook();
    answer(429, { 'Retry-After': '3600' });
    for (let n = 0; n < 30; n += 1) await fail(`check ${n}`);
    for (let step = 0; step < 26; step += 1) {
      await app.deliver();
      app.clock.advance(hour);
    }
    await app.deliver();
    expect((await log(hook)).filter(({ settledAt }) => settledAt === null)).toEqual([]);
    expect(mailbox.mails).toHaveLength(1);
    expect(mailbox.mails[0]?.text).toContain('fail since 2026-01-01 12:00:00 UTC');
    const { body } = await ada.get('/channels/?include=state').expect(200);
    expect(body.channels).toMatchObject([{ failing_since: '2026-01-01T12:00:00+00:00' }]);
  });

  test('sends waiting messages at once when the target is back', async () => {
    const { app } = stage;
    const hook = await webhook();
    answer(503);
    await fail('one');
    for (let step = 0; step < 40; step += 1) {
      await app.deliver();
      app.clock.advance(5 * minute);
    }
    const waiting = (await log(hook))[0];
    expect(secondsOf(app.accounts.clock.now(), waiting?.dueAt)).toBeGreaterThan(0);
    answer(200);
    await fail('two');
    await app.deliver();
    expect(
      bodies()
        .slice(-2)
        .map((body) => body.split(' ')[0]),
    ).toEqual(['two', 'one']);
  });
});

describeEachDialect('a target that does not respond', (open) => {
  // much less than the second after which another worker begins beside it
  const stage = openAlertStage(open, {}, 100);
  const { webhook, read, log, fail, answer } = stage;

  test('is called with one message at a time, and less and less often', async () => {
    const { app, target } = stage;
    const hook = await webhook();
    target.answer(() => undefined);
    for (let n = 0; n < 6; n += 1) await fail(`check ${n}`);
    const calls: number[] = [];
    for (const pause of [5, 30, 120, 600, 600]) {
      await app.deliver();
      calls.push(target.requests.length);
      app.clock.advance(pause * second - 1);
      await app.deliver();
      expect(target.requests).toHaveLength(calls.at(-1) ?? 0);
      app.clock.advance(1);
    }
    expect(calls).toEqual([1, 2, 3, 4, 5]);
    answer(200);
    const delivered = Array.from({ length: 6 }, () => [null, true]);
    await until(async () => {
      await app.deliver();
      // an answer may be late on a busy machine
      app.clock.advance(600 * second);
      const messages = (await log(hook)).map(({ error, settledAt }) => [error, settledAt !== null]);
      return JSON.stringify(messages) === JSON.stringify(delivered);
    });
    expect(await read(hook)).toMatchObject({ timeouts: null, failingSince: null });
  });
});
