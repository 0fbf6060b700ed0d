import { describe, expect, test } from 'vitest';
import { webhookIntegration } from '../../src/integrations/kinds/webhook/webhook.channel.js';
import { webhookSettings } from '../../src/integrations/kinds/webhook/webhook-kind.js';
import { aDelivery, anEvent, aRecovery } from '../support/events.js';
import { openTarget } from '../support/target.js';

const target = openTarget();

describe('a webhook', () => {
  const both = () =>
    webhookSettings.parse({
      down: {
        method: 'POST',
        url: `${target.server.url}/down/$NAME?code=$CODE`,
        body: '{"name": $NAME_JSON, "log": $BODY_JSON, "exit": $EXITSTATUS}',
        headers: { 'Content-Type': 'application/json', 'X-Tag': '$TAG1' },
      },
      up: { url: `${target.server.url}/up` },
    });

  test('is called with placeholders replaced everywhere', async () => {
    const event = anEvent();
    expect(await webhookIntegration(target.deps()).deliver(aDelivery(both(), event))).toEqual({ ok: true });
    const [request] = target.server.requests;
    expect(request).toMatchObject({
      method: 'POST',
      path: `/down/Backup?code=${event.check.uuid}`,
      body: '{"name": "Backup", "log": "done", "exit": -1}',
    });
    expect(request?.headers).toMatchObject({
      'content-type': 'application/json',
      'x-tag': 'prod',
      'idempotency-key': expect.stringMatching(new RegExp(`^${event.deliveryId}-[0-9a-f]{16}$`)),
      'user-agent': 'certloop-test',
    });
  });

  test('is called by GET without a body when the check comes up', async () => {
    await webhookIntegration(target.deps()).deliver(aDelivery(both(), aRecovery()));
    expect(target.server.requests).toMatchObject([{ method: 'GET', path: '/up', body: '' }]);
    expect(target.server.requests[0]?.headers).not.toHaveProperty('content-type');
  });

  test('has no Content-Type unless the user gives one', async () => {
    const settings = webhookSettings.parse({ down: { method: 'PUT', url: target.server.url, body: 'x' } });
    await webhookIntegration(target.deps()).deliver(aDelivery(settings));
    expect(target.server.requests[0]).toMatchObject({ method: 'PUT', body: 'x' });
    expect(target.server.requests[0]?.headers).not.toHaveProperty('content-type');
  });

  test('has another key if the delivery is repeated with another content', async () => {
    const { deliver } = webhookIntegration(target.deps());
    const event = anEvent();
    const settings = (url: string, body: string, secret: string) =>
      webhookSettings.parse({ down: { method: 'POST', url, body, headers: { Authorization: secret } } });
    await deliver(aDelivery(settings(target.server.url, '$NAME', 'a'), event));
    await deliver(aDelivery(settings(target.server.url, '$NAME', 'b'), event));
    await deliver(aDelivery(settings(target.server.url, '$NAME is $STATUS', 'b'), event));
    await deliver(aDelivery(settings(`${target.server.url}/other`, '$NAME', 'b'), event));
    const [first, same, ...others] = target.server.requests.map(({ headers }) => headers['idempotency-key']);
    expect(same).toBe(first);
    expect(new Set([first, ...others]).size).toBe(3);
  });

  test('keeps the key of the user for repeated deliveries', async () => {
    const settings = webhookSettings.parse({
      down: { url: target.server.url, headers: { 'idempotency-key': 'mine' } },
    });
    await webhookIntegration(target.deps()).deliver(aDelivery(settings));
    expect(target.server.requests[0]?.headers['idempotency-key']).toBe('mine');
  });

  test('sends letters of Latin-1 in a header as they are', async () => {
    const settings = webhookSettings.parse({
      down: { url: target.server.url, headers: { 'X-Name': '$NAME' } },
    });
    await webhookIntegration(target.deps()).deliver(
      aDelivery(settings, anEvent({ check: { name: 'café 漢' } })),
    );
    expect(target.server.requests[0]?.headers['x-name']).toBe('café &#28450;');
  });

  test('is tried once', async () => {
    target.server.answer((response) => response.writeHead(500).end());
    const webhook = webhookIntegration(target.deps());
    expect(await webhook.deliver(aDelivery(both()))).toMatchObject({ error: 'Received status code 500' });
    expect(target.server.requests).toHaveLength(1);
  });

  test('sends only changes that it has an address for', () => {
    const webhook = webhookIntegration(target.deps());
    const downOnly = webhookSettings.parse({ down: { url: 'http://x.example' } });
    expect([webhook.shouldNotify(downOnly, 'down'), webhook.shouldNotify(downOnly, 'up')]).toEqual([
      true,
      false,
    ]);
  });
});

describe('settings of a webhook', () => {
  const url = 'https://hook.example/$CODE';

  test('have defaults', () => {
    expect(webhookSettings.parse({ up: { url } })).toEqual({
      down: null,
      up: { method: 'GET', url, body: '', headers: {} },
    });
  });

  test.each<[string, object]>([
    ['no address at all', {}],
    ['another protocol', { down: { url: 'ftp://x.example' } }],
    ['a blank in the address', { down: { url: 'http://x.example/a b' } }],
    ['another method', { down: { url, method: 'DELETE' } }],
    ['a body of more than 1000 characters', { down: { url, body: 'x'.repeat(1001) } }],
    ['a header that is not a word', { down: { url, headers: { 'a b': 'x' } } }],
    ['a header of two lines', { down: { url, headers: { a: 'x\r\nb: y' } } }],
    ['a header of the connection', { down: { url, headers: { 'Content-Length': '5' } } }],
    ['members that there are not', { down: { url, secret: 'x' } }],
  ])('refuse %s', (_situation, settings) => {
    expect(webhookSettings.safeParse(settings).success).toBe(false);
  });
});
