import { describe, expect, test } from 'vitest';
import { delivered } from '../../src/integrations/delivery/delivery-result.js';
import type { HttpMessage } from '../../src/integrations/delivery/http-message.js';
import { ntfyIntegration } from '../../src/integrations/kinds/ntfy/ntfy.channel.js';
import { ntfySettings } from '../../src/integrations/kinds/ntfy/ntfy-kind.js';
import { aDelivery, aDownCheck, anEvent, aRecovery, viewOf } from '../support/events.js';
import { openTarget } from '../support/target.js';

const target = openTarget();
const settings = (more: object = {}) =>
  ntfySettings.parse({ url: target.server.url, topic: 'alerts', ...more });

describe('ntfy', () => {
  test('gets a message about a check that went down', async () => {
    const others = { total: 2, downCount: 1, down: [aDownCheck({ name: 'mail *1*' })] };
    const event = anEvent({ others });
    const delivery = aDelivery(settings({ token: 'tk_1', priorityDown: 5 }), event);
    expect(await ntfyIntegration(target.deps()).deliver(delivery)).toEqual({ ok: true });
    const [request] = target.server.requests;
    expect(request).toMatchObject({ method: 'POST', path: '/', headers: { authorization: 'Bearer tk_1' } });
    const { message, ...rest } = target.json();
    expect(rest).toEqual({
      topic: 'alerts',
      priority: 5,
      title: 'Backup is DOWN',
      markdown: true,
      tags: ['red_circle'],
      actions: [{ action: 'view', label: 'View on Monitor', url: viewOf(event).link }],
    });
    expect(message).toContain('**Project:** Jobs');
    expect(message).toContain('• **mail \\*1\\*** (last ping: never)');
    expect(message).toContain('```\ndone\n```');
  });

  test('needs no token for a topic that is open to all', async () => {
    await ntfyIntegration(target.deps()).deliver(aDelivery(settings(), aRecovery()));
    expect(target.server.requests[0]?.headers).not.toHaveProperty('authorization');
    expect(target.json()).toMatchObject({ priority: 3, title: 'Backup is UP', tags: ['green_circle'] });
  });

  test.each([
    ['ntfy.sh', 'https://ntfy.sh', '', 'Bearer shared'],
    ['ntfy.sh, with a slash', 'https://ntfy.sh/', '', 'Bearer shared'],
    ['ntfy.sh with a token of the channel', 'https://ntfy.sh', 'own', 'Bearer own'],
    ['another server', 'https://ntfy.example', '', undefined],
    ['ntfy.sh without TLS', 'http://ntfy.sh', '', undefined],
  ])('sends the shared token to its server only: %s', async (_situation, url, token, authorization) => {
    const sent: HttpMessage[] = [];
    const sendToUser = async (message: HttpMessage) => {
      sent.push(message);
      return delivered;
    };
    const ntfy = ntfyIntegration({ ...target.deps(), sendToUser });
    await ntfy.deliver(aDelivery(settings({ url, token })));
    expect(sent[0]?.headers?.['Authorization']).toBe(authorization);
  });

  test('never sends more than the server shows as text', async () => {
    const body = Buffer.from('漢'.repeat(5000));
    const lastPing = { n: 112, signal: 'fail', at: 0, exitStatus: null, isMail: false, body } as const;
    const check = { name: 'é'.repeat(100), description: '漢'.repeat(5000) };
    await ntfyIntegration(target.deps()).deliver(aDelivery(settings(), anEvent({ check, lastPing })));
    expect(Buffer.byteLength(String(target.json()['message']))).toBeLessThan(4096);
  });

  test('sends nothing with priority 0', () => {
    const ntfy = ntfyIntegration(target.deps());
    const downOnly = ntfySettings.parse({ topic: 'alerts', priorityUp: 0 });
    expect([ntfy.shouldNotify(downOnly, 'down'), ntfy.shouldNotify(downOnly, 'up')]).toEqual([true, false]);
    expect(downOnly.url).toBe('https://ntfy.sh');
  });
});
