import { describe, expect, test } from 'vitest';
import { telegramIntegration } from '../../src/integrations/kinds/telegram/telegram.channel.js';
import { telegramSettings } from '../../src/integrations/kinds/telegram/telegram-kind.js';
import { aDelivery, anEvent, aRecovery } from '../support/events.js';
import { noAccounts } from '../support/integration-deps.js';
import { openTarget } from '../support/target.js';

const target = openTarget();
const telegram = (now = () => 0) => telegramIntegration({ ...target.deps(), clock: { now } });
const settings = telegramSettings.parse({ chatId: -100, threadId: 7 });

describe('telegram', () => {
  test('gets a message about a check that went down', async () => {
    const event = anEvent({ reason: 'fail', check: { name: 'A <b> & c' } });
    expect(await telegram().deliver(aDelivery(settings, event))).toEqual({ ok: true });
    expect(target.server.requests[0]?.path).toBe('/bot1:abc/sendMessage');
    const { text, ...rest } = target.json();
    expect(rest).toMatchObject({ chat_id: -100, message_thread_id: 7, parse_mode: 'html' });
    expect(text).toMatch(
      /^🔴 The check <a href=".+">A &lt;b&gt; &amp; c<\/a> is <b>DOWN<\/b> \(received a failure signal\)\.\n\n/,
    );
    expect(text).toContain('<b>Tags:</b> prod, db\n');
    expect(text).toContain('<pre>done</pre>');
  });

  test('gets a message about a recovery, outside of topics', async () => {
    await telegram().deliver(aDelivery(telegramSettings.parse({ chatId: '@ops' }), aRecovery()));
    expect(target.json()).toMatchObject({ chat_id: '@ops', text: expect.stringMatching(/^🟢 /) });
    expect(target.json()).not.toHaveProperty('message_thread_id');
  });

  test('follows a group that became a supergroup, and keeps its new number', async () => {
    target.server.answer((response, _request, count) =>
      count === 1
        ? response.writeHead(400).end(JSON.stringify({ ok: false, parameters: { migrate_to_chat_id: -200 } }))
        : response.end('{"ok":true}'),
    );
    const result = await telegram().deliver(aDelivery(settings));
    expect(result).toEqual({ ok: true, settings: { chatId: -200, threadId: 7 } });
    expect(target.server.requests).toHaveLength(2);
    expect(target.json(1)).toMatchObject({ chat_id: -200 });
  });

  test.each([
    [403, 'Forbidden: the group chat was deleted', { permanent: true }],
    [403, 'Forbidden: bot was blocked by the user', { permanent: true }],
    [403, 'Forbidden: user is deactivated', { permanent: true }],
    [403, 'Forbidden: bot was kicked from the group chat', { permanent: true }],
    [403, 'Forbidden: bot was kicked from the supergroup chat', { permanent: true }],
    [400, 'Bad Request: chat not found', { permanent: true }],
    [
      403,
      'Forbidden: not enough rights to send text messages to the chat',
      { permanent: false, retryReason: 'rejected' },
    ],
    [400, 'Bad Request: can’t parse entities', { permanent: false }],
  ])('answers %i %s, and means %j', async (status, description, meaning) => {
    target.answerJson(status, { ok: false, description });
    expect(await telegram().deliver(aDelivery(settings))).toEqual({
      ok: false,
      error: `Received status code ${status} with a message: "${description}"`,
      ...meaning,
    });
    expect(target.server.requests).toHaveLength(1);
  });

  test('gets at most six messages a minute, and then waits', async () => {
    let now = 0;
    const bot = telegram(() => now);
    for (let turn = 0; turn < 6; turn += 1) expect((await bot.deliver(aDelivery(settings))).ok).toBe(true);
    const refused = {
      ok: false,
      error: 'Rate limit exceeded',
      permanent: false,
      retryReason: 'limited',
      retryAfterMs: 60_000,
    };
    expect(await bot.deliver(aDelivery(settings))).toEqual(refused);
    expect(target.server.requests).toHaveLength(6);
    now = 60_000_000;
    expect((await bot.deliver(aDelivery(settings))).ok).toBe(true);
  });

  test('is retried after the time that Telegram requests, not at once', async () => {
    const description = 'Too Many Requests: retry after 35';
    target.answerJson(429, { ok: false, description, parameters: { retry_after: 35 } });
    expect(await telegram().deliver(aDelivery(settings))).toMatchObject({ ok: false, retryAfterMs: 35_000 });
    expect(target.server.requests).toHaveLength(1);
  });

  test('reports an answer that is not JSON by its status', async () => {
    target.server.answer((response) => response.writeHead(502).end('<html>'));
    expect(await telegram().deliver(aDelivery(settings))).toMatchObject({
      error: 'Received status code 502',
    });
  });

  test('is reported as missing its token if none is configured', () => {
    const { missing } = telegramIntegration({ ...target.deps(), senderAccounts: noAccounts });
    expect(missing).toBe('CHECK_MONITOR_TELEGRAM_TOKEN');
    expect(telegram().missing).toBeUndefined();
  });
});
