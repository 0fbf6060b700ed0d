import type { CreateIntegration } from '../../create-integration.channel.js';
import { type DeliveryResult, refusedForGood } from '../../delivery/delivery-result.js';
import { type HttpAnswer, jsonPost } from '../../delivery/http-message.js';
import type { SendHttp } from '../../delivery/http-sender.client.js';
import type { Integration } from '../../integration.js';
import type { AddressSettings } from '../../settings-rules.js';
import {
  escapeForSlack,
  type SlackDialect,
  separateStars,
  slackMessage,
  slackNotice,
} from './slack-message.js';

interface Dialect extends SlackDialect {
  /** Whether the response means that the webhook was deleted. */
  readonly isGone: (answer: HttpAnswer) => boolean;
  readonly addressOf: (url: string) => string;
}

const asIs = (text: string) => text;

const ofMattermost: SlackDialect = { escapeText: asIs, escapeStars: separateStars };
const ofSlack: SlackDialect = { escapeText: escapeForSlack, escapeStars: separateStars };
const ofDiscord: SlackDialect = { escapeText: asIs, escapeStars: (text) => text.replaceAll('*', '\\*') };

/** Slack returns `invalid_token` when the user of a webhook to a private channel was deactivated. */
const isGoneSlack = ({ status, body }: HttpAnswer) =>
  status === 404 || (status === 400 && body === 'invalid_token');

const dialects = {
  slack: { ...ofSlack, isGone: isGoneSlack, addressOf: asIs },
  mattermost: { ...ofMattermost, isGone: () => false, addressOf: asIs },
  discord: { ...ofDiscord, isGone: ({ status }) => status === 404, addressOf: discordAddress },
} satisfies Readonly<Record<string, Dialect>>;

/** Slack, or a service that accepts messages of Slack's incoming webhooks. */
export function createSlackCompatible(
  name: keyof typeof dialects,
  send: SendHttp,
): Integration<AddressSettings> {
  const { isGone, addressOf, ...dialect }: Dialect = dialects[name];
  return {
    shouldNotify: () => true,
    deliver: ({ settings, view }) =>
      send(jsonPost(addressOf(settings.url), slackMessage(view, dialect)), {
        judge: (answer) => judgeGone(answer, isGone),
      }),
    notify: ({ settings, notice, site }) =>
      send(jsonPost(addressOf(settings.url), slackNotice(notice, site, dialect)), {
        judge: (answer) => judgeGone(answer, isGone),
      }),
  };
}

export const slackIntegration: CreateIntegration<AddressSettings> = ({ sendToUser }) =>
  createSlackCompatible('slack', sendToUser);
export const mattermostIntegration: CreateIntegration<AddressSettings> = ({ sendToUser }) =>
  createSlackCompatible('mattermost', sendToUser);
export const discordIntegration: CreateIntegration<AddressSettings> = ({ sendToUser }) =>
  createSlackCompatible('discord', sendToUser);

function judgeGone(answer: HttpAnswer, isGone: Dialect['isGone']): DeliveryResult | undefined {
  return isGone(answer) ? refusedForGood(`Received status code ${answer.status}`) : undefined;
}

/** Discord accepts these messages at a separate path. */
function discordAddress(url: string): string {
  const address = new URL(url);
  const path = address.pathname.replace(/\/+$/, '');
  // the host of old webhooks
  if (address.hostname === 'discordapp.com') address.hostname = 'discord.com';
  address.pathname = path.endsWith('/slack') ? path : `${path}/slack`;
  return address.href;
}
