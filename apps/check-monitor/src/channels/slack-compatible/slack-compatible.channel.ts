import { type DeliveryResult, refusedForGood } from '../delivery-result.js';
import { type HttpAnswer, jsonPost } from '../http-message.js';
import type { SendHttp } from '../http-sender.client.js';
import type { Integration } from '../integration.js';
import type { AddressSettings } from '../settings-rules.js';
import { escapeForSlack, type SlackDialect, separateStars, slackMessage } from './slack-message.js';

interface Dialect extends SlackDialect {
  readonly kind: 'slack' | 'mattermost' | 'discord';
  /** Statuses by which the target says that the address was taken back. */
  readonly gone: readonly number[];
  readonly addressOf: (url: string) => string;
}

const asIs = (text: string) => text;

const ofMattermost: SlackDialect = { escapeText: asIs, escapeStars: separateStars };
const ofSlack: SlackDialect = { escapeText: escapeForSlack, escapeStars: separateStars };
const ofDiscord: SlackDialect = { escapeText: asIs, escapeStars: (text) => text.replaceAll('*', '\\*') };

const dialects: readonly Dialect[] = [
  { ...ofSlack, kind: 'slack', gone: [404], addressOf: asIs },
  { ...ofMattermost, kind: 'mattermost', gone: [], addressOf: asIs },
  { ...ofDiscord, kind: 'discord', gone: [404], addressOf: discordAddress },
];

/** Slack and what understands the messages of its incoming webhooks. */
export function createSlackCompatible(send: SendHttp): Integration<AddressSettings>[] {
  return dialects.map(({ kind, gone, addressOf, ...dialect }) => ({
    kind,
    tells: () => true,
    deliver: ({ settings, view, isTest }) =>
      send(jsonPost(addressOf(settings.url), slackMessage(view, dialect)), {
        isOnce: isTest,
        judge: (answer) => judgeGone(answer, gone),
      }),
  }));
}

function judgeGone({ status }: HttpAnswer, gone: readonly number[]): DeliveryResult | undefined {
  return gone.includes(status) ? refusedForGood(`Received status code ${status}`) : undefined;
}

/** Discord takes messages of this form at an address of its own. */
function discordAddress(url: string): string {
  const address = new URL(url);
  const path = address.pathname.replace(/\/+$/, '');
  // the name that webhooks of earlier years have
  if (address.hostname === 'discordapp.com') address.hostname = 'discord.com';
  address.pathname = path.endsWith('/slack') ? path : `${path}/slack`;
  return address.href;
}
