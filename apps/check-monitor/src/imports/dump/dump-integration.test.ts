import { describe, expect, test } from 'vitest';
import { integrationOf } from './dump-integration.js';

const json = JSON.stringify;
const webhook = {
  method_down: 'POST',
  url_down: 'https://hook.example/$CODE',
  body_down: '{}',
  headers_down: { 'X-Key': 'k' },
  method_up: 'GET',
  url_up: '',
  body_up: '',
  headers_up: {},
};

describe('integration of Healthchecks', () => {
  test.each([
    [
      'email',
      json({ value: 'a@b.example', up: false, down: true }),
      { address: 'a@b.example', up: false, down: true },
    ],
    ['email', 'a@b.example', { address: 'a@b.example', up: true, down: true }],
    [
      'webhook',
      json(webhook),
      {
        down: { method: 'POST', url: 'https://hook.example/$CODE', body: '{}', headers: { 'X-Key': 'k' } },
        up: null,
      },
    ],
    [
      'slack',
      json({ incoming_webhook: { url: 'https://hooks.slack.com/x' } }),
      { url: 'https://hooks.slack.com/x' },
    ],
    ['slack', 'https://hooks.slack.com/x', { url: 'https://hooks.slack.com/x' }],
    ['mattermost', 'https://mm.example/x', { url: 'https://mm.example/x' }],
    [
      'discord',
      json({ webhook: { url: 'https://discordapp.com/api/webhooks/1/x' } }),
      { url: 'https://discord.com/api/webhooks/1/x' },
    ],
    ['googlechat', 'https://chat.example/x?key=k', { url: 'https://chat.example/x?key=k' }],
    ['msteamsw', 'https://teams.example/x', { url: 'https://teams.example/x' }],
    ['matrix', '!room:example.org', { roomId: '!room:example.org' }],
    [
      'signal',
      json({ value: '+37120000000', up: false, down: true }),
      { recipient: '+37120000000', up: false, down: true },
    ],
    ['signal', json({ value: 'ada.42' }), { recipient: 'ada.42', up: true, down: true }],
    [
      'gotify',
      json({ url: 'https://g.example', token: 't', priority: 9, priority_up: 2 }),
      { url: 'https://g.example', token: 't', priorityDown: 9, priorityUp: 2 },
    ],
    [
      'ntfy',
      json({ url: 'https://n.example', topic: 'jobs', token: 'tk', priority: 5, priority_up: 0 }),
      { url: 'https://n.example', topic: 'jobs', token: 'tk', priorityDown: 5, priorityUp: 0 },
    ],
    ['opsgenie', json({ key: 'k', region: 'eu' }), { key: 'k', region: 'eu' }],
    ['pd', json({ service_key: 's', account: 'Acme' }), { serviceKey: 's' }],
    ['pd', 's', { serviceKey: 's' }],
    ['telegram', json({ id: -1, thread_id: 7, type: 'group', name: 'x' }), { chatId: -1, threadId: 7 }],
    ['telegram', json({ id: 5 }), { chatId: 5, threadId: null }],
    ['po', 'user|2|-3', { userKey: 'user', priorityDown: 2, priorityUp: -3 }],
    ['po', 'user|1', { userKey: 'user', priorityDown: 1, priorityUp: 1 }],
  ])('keeps settings and secrets of %s: %s', (kind, value, settings) => {
    expect(integrationOf(kind, value)).toEqual({ kind, settings });
  });

  test('names the members of a group', () => {
    expect(integrationOf('group', 'A, b')).toEqual({ kind: 'group', members: ['a', 'b'] });
  });

  test.each([
    [
      'a kind that this service does not have',
      'sms',
      json({ value: '+1' }),
      'no integrations of the kind sms',
    ],
    ['settings that are not JSON', 'webhook', '{secret', 'its settings are not JSON'],
    ['settings that are not an object', 'telegram', '"secret"', 'its settings are not JSON'],
    ['settings that lack a member', 'discord', json({ secret: 1 }), 'settings.url'],
    ['settings that are refused here', 'po', 'secret|9', 'settings.priorityDown'],
    [
      'a mail address that gets no alerts',
      'email',
      json({ value: 'a@b.example', up: false, down: false }),
      'settings',
    ],
  ])('gives a reason without the secret for %s', (_situation, kind, value, reason) => {
    const found = integrationOf(kind, value);
    expect(found).toEqual({ reason: expect.stringContaining(reason) });
    expect(json(found)).not.toContain('secret');
  });
});
