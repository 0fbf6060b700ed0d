import { describe, expect, test } from 'vitest';
import { delivered } from '../../src/integrations/delivery/delivery-result.js';
import type { HttpMessage } from '../../src/integrations/delivery/http-message.js';
import {
  discordIntegration,
  mattermostIntegration,
  slackIntegration,
} from '../../src/integrations/kinds/slack-compatible/slack-compatible.channel.js';
import { aDelivery, anEvent, aRecovery, viewOf } from '../support/events.js';
import { openTarget } from '../support/target.js';

const target = openTarget();

const integrations = {
  slack: slackIntegration,
  mattermost: mattermostIntegration,
  discord: discordIntegration,
};
type Name = keyof typeof integrations;

function channel(kind: Name) {
  return integrations[kind](target.deps());
}

const settings = (path = '/hook') => ({ url: target.server.url + path });

describe('slack', () => {
  test('gets a message about a check that went down', async () => {
    const event = anEvent({ check: { description: 'Nightly & <weekly>' } });
    expect(await channel('slack').deliver(aDelivery(settings(), event))).toEqual({ ok: true });
    expect(target.server.requests[0]).toMatchObject({ method: 'POST', path: '/hook' });
    expect(target.json()).toEqual({
      username: 'Monitor',
      attachments: [
        {
          color: 'danger',
          fallback: 'The check "Backup" is DOWN.',
          mrkdwn_in: ['fields'],
          title: '“Backup” is DOWN.',
          title_link: viewOf(event).link,
          text: 'Reason: success signal did not arrive on time, grace time passed.',
          fields: [
            { title: 'Went Down', value: '2026-01-01 12:00:00 UTC', short: true },
            { title: 'Description', value: 'Nightly &amp; &lt;weekly&gt;', short: false },
            { title: 'Project', value: 'Jobs', short: true },
            { title: 'Tags', value: '`prod` `db`', short: true },
            { title: 'Period', value: '1 day', short: true },
            { title: 'Total Pings', value: '112', short: true },
            { title: 'Last Ping', value: 'Success, 10 minutes ago', short: true },
            { title: 'Last Ping Body', value: '```\ndone\n```', short: false },
          ],
        },
      ],
    });
  });

  test('gets a message about a recovery, with the picture of the service', async () => {
    const event = aRecovery({ lastPing: null });
    const view = { ...viewOf(event), logoUrl: 'https://monitor.example/logo.png' };
    await channel('slack').deliver(aDelivery(settings(), event, { view }));
    expect(target.json()).toMatchObject({
      icon_url: 'https://monitor.example/logo.png',
      attachments: [{ color: 'good', text: 'The downtime lasted 1 hour.' }],
    });
  });

  test('the name of a check cannot mention anyone', async () => {
    await channel('slack').deliver(aDelivery(settings(), anEvent({ check: { name: '<!channel>' } })));
    expect(target.server.requests[0]?.body).not.toContain('<!channel>');
  });
});

describe('revoked addresses', () => {
  test.each<[Name, number, string, boolean]>([
    ['slack', 404, '', true],
    ['slack', 400, 'invalid_token', true],
    ['slack', 400, 'no_text', false],
    ['slack', 403, 'invalid_token', false],
    ['slack', 410, '', false],
    ['slack', 500, '', false],
    ['discord', 404, '', true],
    ['discord', 400, 'invalid_token', false],
    ['mattermost', 404, '', false],
  ])('%s answers %i %s, permanent: %p', async (kind, status, body, permanent) => {
    target.server.answer((response) => response.writeHead(status).end(body));
    const error = `Received status code ${status}`;
    expect(await channel(kind).deliver(aDelivery(settings()))).toMatchObject({ ok: false, error, permanent });
    expect(target.server.requests).toHaveLength(1);
  });
});

describe('mattermost and discord', () => {
  test('show text as it is', async () => {
    await channel('mattermost').deliver(aDelivery(settings(), anEvent({ check: { name: 'a & <b>' } })));
    expect(target.json()).toMatchObject({ attachments: [{ title: '“a & <b>” is DOWN.' }] });
  });

  test.each([
    ['/api/webhooks/1/key', '/api/webhooks/1/key/slack'],
    ['/api/webhooks/1/key/', '/api/webhooks/1/key/slack'],
    ['/api/webhooks/1/key/slack', '/api/webhooks/1/key/slack'],
    ['/api/webhooks/1/key?thread_id=5', '/api/webhooks/1/key/slack?thread_id=5'],
  ])('discord at %s is called at %s', async (path, called) => {
    await channel('discord').deliver(aDelivery(settings(path)));
    expect(target.server.requests[0]?.path).toBe(called);
  });

  test('discord is called by its present name', async () => {
    const sent: HttpMessage[] = [];
    const sendToUser = async (message: HttpMessage) => {
      sent.push(message);
      return delivered;
    };
    const discord = discordIntegration({ ...target.deps(), sendToUser });
    await discord.deliver(aDelivery({ url: 'https://discordapp.com/api/webhooks/1/key' }));
    expect(sent[0]?.url).toBe('https://discord.com/api/webhooks/1/key/slack');
  });

  test('a field of discord stays below 1024 characters', async () => {
    const body = Buffer.from('`'.repeat(20_000));
    const lastPing = { n: 112, signal: 'fail', at: 0, exitStatus: null, isMail: false, body } as const;
    await channel('discord').deliver(aDelivery(settings(), anEvent({ lastPing })));
    const [{ fields }] = target.json()['attachments'] as [{ fields: { value: string }[] }];
    expect(Math.max(...fields.map(({ value }) => value.length))).toBeLessThanOrEqual(1024);
  });
});
