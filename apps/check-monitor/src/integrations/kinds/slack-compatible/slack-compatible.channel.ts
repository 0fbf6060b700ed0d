import type { CreateIntegration } from '../../create-integration.channel.js';
import { refusedForGood } from '../../delivery/delivery-result.js';
import { type HttpAnswer, jsonPost } from '../../delivery/http-message.js';
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

/** Slack, or a service that accepts messages of Slack's incoming webhooks. */
function slackCompatible({ isGone, addressOf, ...dialect }: Dialect): CreateIntegration<AddressSettings> {
  const judge = (answer: HttpAnswer) =>
    isGone(answer) ? refusedForGood(`Received status code ${answer.status}`) : undefined;
  return ({ sendToUser: send }) => ({
    shouldNotify: () => true,
    deliver: ({ settings, view }) =>
      send(jsonPost(addressOf(settings.url), slackMessage(view, dialect)), { judge }),
    notify: ({ settings, notice, site }) =>
      send(jsonPost(addressOf(settings.url), slackNotice(notice, site, dialect)), { judge }),
  });
}

export const slackIntegration = slackCompatible({ ...ofSlack, isGone: isGoneSlack, addressOf: asIs });
export const mattermostIntegration = slackCompatible({
  ...ofMattermost,
  isGone: () => false,
  addressOf: asIs,
});
export const discordIntegration = slackCompatible({
  ...ofDiscord,
  isGone: ({ status }) => status === 404,
  addressOf: discordAddress,
});

/** Discord accepts these messages at a separate path. */
function discordAddress(url: string): string {
  const address = new URL(url);
  const path = address.pathname.replace(/\/+$/, '');
  // the host of old webhooks
  if (address.hostname === 'discordapp.com') address.hostname = 'discord.com';
  address.pathname = path.endsWith('/slack') ? path : `${path}/slack`;
  return address.href;
}
