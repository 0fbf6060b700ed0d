import { describe, expect, test } from 'vitest';
import { poIntegration } from '../../src/integrations/kinds/pushover/pushover.channel.js';
import { pushoverSettings } from '../../src/integrations/kinds/pushover/pushover-kind.js';
import { aDelivery, anEvent, aRecovery, viewOf } from '../support/events.js';
import { openTarget } from '../support/target.js';

const target = openTarget();
const { uniqueKey } = anEvent().check;
const pushover = () => poIntegration(target.deps());
const settings = (more: object = {}) => pushoverSettings.parse({ userKey: 'user', ...more });
const fields = (index = 0) => Object.fromEntries(new URLSearchParams(target.server.requests[index]?.body));

describe('Pushover', () => {
  test('gets a message about a check that went down', async () => {
    const event = anEvent({ check: { name: 'a & b' } });
    expect(await pushover().deliver(aDelivery(settings(), event))).toEqual({ ok: true });
    expect(target.server.requests[0]).toMatchObject({
      path: '/1/messages.json',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    const { message, ...rest } = fields();
    expect(rest).toEqual({
      token: 'app',
      user: 'user',
      title: '🔴 a & b is DOWN',
      tags: uniqueKey,
      html: '1',
      priority: '0',
      url: viewOf(event).link,
      url_title: 'View on Monitor',
    });
    expect(message).toMatch(/^Reason: success signal did not arrive on time, grace time passed\.\n/);
    expect(message).toContain('<b>Tags:</b> prod, db');
  });

  test('an emergency repeats until the check is up again', async () => {
    const emergency = settings({ priorityDown: 2, priorityUp: -1 });
    await pushover().deliver(aDelivery(emergency));
    expect(fields()).toMatchObject({ priority: '2', retry: '300', expire: '86400', tags: uniqueKey });
    target.server.reset();
    await pushover().deliver(aDelivery(emergency, aRecovery()));
    expect(target.server.requests.map(({ path }) => path)).toEqual([
      `/1/receipts/cancel_by_tag/${uniqueKey}.json`,
      '/1/messages.json',
    ]);
    expect(fields(0)).toEqual({ token: 'app' });
    expect(fields(1)).toMatchObject({ priority: '-1' });
  });

  test('has the priority of the direction, an emergency for up too', async () => {
    await pushover().deliver(aDelivery(settings({ priorityUp: 2 }), aRecovery()));
    expect(fields()).toMatchObject({
      title: '🟢 Backup is UP',
      priority: '2',
      retry: '300',
      expire: '86400',
    });
  });

  test('a recovery arrives even if the emergency cannot be cancelled', async () => {
    target.server.answer((response, { path }) =>
      response.writeHead(path.includes('cancel') ? 500 : 200).end(),
    );
    expect(await pushover().deliver(aDelivery(settings({ priorityDown: 2 }), aRecovery()))).toEqual({
      ok: true,
    });
  });

  test('a message has at most 1024 octets', async () => {
    const body = Buffer.from('é'.repeat(5000));
    const lastPing = { n: 112, signal: 'fail', at: 0, exitStatus: null, isMail: false, body } as const;
    await pushover().deliver(aDelivery(settings(), anEvent({ lastPing })));
    expect(Buffer.byteLength(fields()['message'] ?? '')).toBeLessThanOrEqual(1024);
  });

  test('a deleted user switches off the channel, an outage does not', async () => {
    target.answerJson(400, { user: 'invalid', status: 0 });
    expect(await pushover().deliver(aDelivery(settings()))).toMatchObject({
      ok: false,
      permanent: true,
      error: 'Received status code 400 (invalid user)',
    });
    target.answerJson(500);
    expect(await pushover().deliver(aDelivery(settings()))).toMatchObject({ ok: false, permanent: false });
  });

  test('sends nothing with priority -3', () => {
    const upOnly = settings({ priorityDown: -3 });
    expect([pushover().shouldNotify(upOnly, 'down'), pushover().shouldNotify(upOnly, 'up')]).toEqual([
      false,
      true,
    ]);
  });
});
