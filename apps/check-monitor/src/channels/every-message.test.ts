import { describe, expect, test } from '@jest/globals';
import { anEvent, aRecovery, viewOf } from '../../test/support/events.js';
import type { AlertEvent } from './alert-event.js';
import { type ChannelKind, channelKindNames } from './channel-kinds.js';
import { emailMessage } from './email/email-message.js';
import { googleChatMessage } from './google-chat/google-chat-message.js';
import { gotifyMessage } from './gotify/gotify-message.js';
import { matrixMessage } from './matrix/matrix-message.js';
import { ntfyMessage } from './ntfy/ntfy-message.js';
import { opsgenieMessage } from './opsgenie/opsgenie-message.js';
import { pagerDutyMessage } from './pagerduty/pagerduty-message.js';
import { pushoverMessage } from './pushover/pushover-message.js';
import { signalMessage } from './signal/signal-message.js';
import { slackMessage } from './slack-compatible/slack-message.js';
import { teamsMessage } from './teams/teams-message.js';
import { telegramMessage } from './telegram/telegram-message.js';
import { webhookMessage } from './webhook/webhook-message.js';

/** A group sends nothing of its own. */
type SendingKind = Exclude<ChannelKind, 'group'>;

const asIs = (text: string) => text;
const hook = {
  method: 'POST',
  url: 'https://hook.example/',
  body: '$NAME $STATUS $NOW',
  headers: {},
} as const;
const pushoverTarget = { token: 't', userKey: 'u', priority: 0 };

/** What each kind sends of an event. */
const messages: Readonly<Record<SendingKind, (event: AlertEvent) => object>> = {
  webhook: (event) => webhookMessage(hook, event),
  email: (event) => emailMessage(event, viewOf(event), 'https://monitor.example/unsub/'),
  slack: (event) => slackMessage(viewOf(event), asIs),
  mattermost: (event) => slackMessage(viewOf(event), asIs),
  discord: (event) => slackMessage(viewOf(event), asIs),
  ntfy: (event) => ntfyMessage(viewOf(event), { topic: 't', priority: 3 }),
  telegram: (event) => telegramMessage(viewOf(event), { chatId: 1, threadId: null }),
  pd: (event) => pagerDutyMessage(event, viewOf(event), 'key'),
  opsgenie: (event) => opsgenieMessage(event, viewOf(event), { apiUrl: 'https://o.example', key: 'k' }),
  po: (event) => pushoverMessage(event, viewOf(event), pushoverTarget),
  msteamsw: (event) => teamsMessage(viewOf(event)),
  googlechat: (event) => googleChatMessage(viewOf(event)),
  matrix: (event) => matrixMessage(viewOf(event)),
  signal: (event) => signalMessage(viewOf(event), { recipient: '+123456', down: true, up: true }),
  gotify: (event) => gotifyMessage(viewOf(event), 5),
};

const sendingKinds = channelKindNames.filter((kind): kind is SendingKind => kind !== 'group');

// the markup of some kinds changes hyphens
const textOf = (message: object) => JSON.stringify(message).replaceAll('\\', '');

describe.each(sendingKinds)('a message of %s', (kind) => {
  const moment = kind === 'webhook' ? '2026-01-01T12:00:00+00:00' : '2026-01-01 12:00:00 UTC';
  const longText = { name: '"'.repeat(100), description: '<'.repeat(5000) };
  const log = { ...anEvent().lastPing, body: Buffer.from('&'.repeat(10_000)) } as AlertEvent['lastPing'];

  test.each<[string, AlertEvent]>([
    ['went down', anEvent()],
    ['came up', aRecovery()],
    ['went down, with texts beyond every limit', anEvent({ check: longText, lastPing: log })],
    ['came up, with texts beyond every limit', aRecovery({ check: longText, lastPing: log })],
  ])('says when a check %s', (_situation, event) => {
    expect(textOf(messages[kind](event))).toContain(moment);
  });
});

test.each(sendingKinds.filter((kind) => kind !== 'webhook'))('%s names the zone of a schedule', (kind) => {
  const period = { kind: 'cron', schedule: '0 2 * * *', tz: 'Europe/Riga' } as const;
  const text = textOf(messages[kind](anEvent({ check: { period } })));
  expect(text).toContain('2026-01-01 14:00:00 UTC+02:00 (Europe/Riga)');
});
