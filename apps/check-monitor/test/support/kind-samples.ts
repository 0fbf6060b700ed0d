import { emailMessage } from '../../src/integrations/kinds/email/email-message.js';
import { googleChatMessage } from '../../src/integrations/kinds/google-chat/google-chat-message.js';
import { gotifyMessage } from '../../src/integrations/kinds/gotify/gotify-message.js';
import { matrixMessage } from '../../src/integrations/kinds/matrix/matrix-message.js';
import { ntfyMessage } from '../../src/integrations/kinds/ntfy/ntfy-message.js';
import { opsgenieMessage } from '../../src/integrations/kinds/opsgenie/opsgenie-message.js';
import { pagerDutyMessage } from '../../src/integrations/kinds/pagerduty/pagerduty-message.js';
import { pushoverMessage } from '../../src/integrations/kinds/pushover/pushover-message.js';
import { signalMessage } from '../../src/integrations/kinds/signal/signal-message.js';
import {
  escapeForSlack,
  separateStars,
  slackMessage,
} from '../../src/integrations/kinds/slack-compatible/slack-message.js';
import { teamsMessage } from '../../src/integrations/kinds/teams/teams-message.js';
import { telegramMessage } from '../../src/integrations/kinds/telegram/telegram-message.js';
import { webhookMessage } from '../../src/integrations/kinds/webhook/webhook-message.js';
import type { ChannelKind } from '../../src/integrations/kinds.js';
import type { AlertEvent } from '../../src/integrations/messages/alert-event.js';
import { viewOf } from './events.js';

/** A group sends nothing of its own. */
export type SendingKind = Exclude<ChannelKind, 'group'>;

const slack = { escapeText: escapeForSlack, escapeStars: separateStars };
const mattermost = { ...slack, escapeText: (text: string) => text };
const discord = { ...mattermost, escapeStars: (text: string) => text.replaceAll('*', '\\*') };
const hook = {
  method: 'POST',
  url: 'https://hook.example/',
  body: '$NAME $STATUS $NOW',
  headers: {},
} as const;
const pushoverTarget = { token: 't', userKey: 'u', priority: 0 };

/** What each kind sends of an event. */
export const messages: Readonly<Record<SendingKind, (event: AlertEvent) => object>> = {
  webhook: (event) => webhookMessage(hook, event),
  email: (event) => emailMessage(event, viewOf(event), 'https://monitor.example/unsub/'),
  slack: (event) => slackMessage(viewOf(event), slack),
  mattermost: (event) => slackMessage(viewOf(event), mattermost),
  discord: (event) => slackMessage(viewOf(event), discord),
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

/** The member of the group. */
export const memberUuid = '9b6b0b1e-0d3c-4a53-9d6a-333333333333';

/** Settings of each kind, as few as it accepts. */
export const sampleSettings: Readonly<Record<ChannelKind, object>> = {
  webhook: { down: { url: 'https://x.example' } },
  email: { address: 'ada@example.org' },
  slack: { url: 'https://x.example' },
  mattermost: { url: 'https://x.example' },
  discord: { url: 'https://x.example' },
  ntfy: { topic: 'alerts' },
  telegram: { chatId: -100 },
  pd: { serviceKey: 'k' },
  opsgenie: { key: 'k' },
  po: { userKey: 'k' },
  msteamsw: { url: 'https://x.example' },
  googlechat: { url: 'https://x.example' },
  matrix: { roomId: '!a:example.org' },
  signal: { recipient: '+3712345678' },
  gotify: { url: 'https://x.example', token: 't' },
  group: { channels: [memberUuid.toUpperCase()] },
};
