import { type DeliveryResult, refusedForGood } from '../delivery-result.js';
import { type HttpAnswer, jsonPost } from '../http-message.js';
import type { SendHttp } from '../http-sender.client.js';
import type { Integration } from '../integration.js';
import type { AddressSettings } from '../settings-rules.js';
import { type EscapeText, escapeForSlack, slackMessage } from './slack-message.js';

interface Dialect {
  readonly kind: 'slack' | 'mattermost' | 'discord';
  readonly escapeText: EscapeText;
  /** Statuses by which the target says that the address was taken back. */
  readonly gone: readonly number[];
  readonly addressOf: (url: string) => string;
}

const asIs = (text: string) => text;

const dialects: readonly Dialect[] = [
  { kind: 'slack', escapeText: escapeForSlack, gone: [404, 410], addressOf: asIs },
  { kind: 'mattermost', escapeText: asIs, gone: [], addressOf: asIs },
  { kind: 'discord', escapeText: asIs, gone: [404], addressOf: discordAddress },
];

/** Slack and what understands the messages of its incoming webhooks. */
export function createSlackCompatible(send: SendHttp): Integration<AddressSettings>[] {
  return dialects.map(({ kind, escapeText, gone, addressOf }) => ({
    kind,
    tells: () => true,
    deliver: ({ settings, view, isTest }) =>
      send(jsonPost(addressOf(settings.url), slackMessage(view, escapeText)), {
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
  address.pathname = path.endsWith('/slack') ? path : `${path}/slack`;
  return address.href;
}
