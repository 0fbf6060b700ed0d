import { InvalidInput } from '@certloop/contracts';
import type { z } from 'zod';
import { isStorable } from '../storable-text.js';
import { emailSettings } from './kinds/email/email-kind.js';
import { gotifySettings } from './kinds/gotify/gotify-kind.js';
import { groupSettings } from './kinds/group/group-kind.js';
import { matrixSettings } from './kinds/matrix/matrix-kind.js';
import { ntfySettings } from './kinds/ntfy/ntfy-kind.js';
import { opsgenieSettings } from './kinds/opsgenie/opsgenie-kind.js';
import { pagerDutySettings } from './kinds/pagerduty/pagerduty-kind.js';
import { pushoverSettings } from './kinds/pushover/pushover-kind.js';
import { signalSettings } from './kinds/signal/signal-kind.js';
import { telegramSettings } from './kinds/telegram/telegram-kind.js';
import { webhookSettings } from './kinds/webhook/webhook-kind.js';
import { addressSettings } from './settings-rules.js';

/** What can be known of a kind of channel without calling anybody. */
export interface KindSpec {
  /** Name for people. */
  readonly label: string;
  readonly settings: z.ZodType<object>;
  /** Members of the settings that are taken in but never shown. */
  readonly secrets: readonly Secret[];
}

export interface Secret {
  /** Names of the member and of what it is in, with dots between them. */
  readonly path: string;
  /** Member that says whom the secret is told. */
  readonly toldTo?: string;
}

const headerSecrets: readonly Secret[] = [
  { path: 'down.headers', toldTo: 'down.url' },
  { path: 'up.headers', toldTo: 'up.url' },
];

/** Every kind of channel; the names are those of the wire. */
export const channelKinds = {
  webhook: { label: 'Webhook', settings: webhookSettings, secrets: headerSecrets },
  email: { label: 'Email', settings: emailSettings, secrets: [] },
  slack: { label: 'Slack', settings: addressSettings, secrets: [{ path: 'url' }] },
  mattermost: { label: 'Mattermost', settings: addressSettings, secrets: [{ path: 'url' }] },
  discord: { label: 'Discord', settings: addressSettings, secrets: [{ path: 'url' }] },
  ntfy: { label: 'ntfy', settings: ntfySettings, secrets: [{ path: 'token', toldTo: 'url' }] },
  telegram: { label: 'Telegram', settings: telegramSettings, secrets: [] },
  pd: { label: 'PagerDuty', settings: pagerDutySettings, secrets: [{ path: 'serviceKey' }] },
  opsgenie: { label: 'Opsgenie', settings: opsgenieSettings, secrets: [{ path: 'key' }] },
  po: { label: 'Pushover', settings: pushoverSettings, secrets: [{ path: 'userKey' }] },
  msteamsw: { label: 'Microsoft Teams', settings: addressSettings, secrets: [{ path: 'url' }] },
  googlechat: { label: 'Google Chat', settings: addressSettings, secrets: [{ path: 'url' }] },
  matrix: { label: 'Matrix', settings: matrixSettings, secrets: [] },
  signal: { label: 'Signal', settings: signalSettings, secrets: [] },
  gotify: { label: 'Gotify', settings: gotifySettings, secrets: [{ path: 'token', toldTo: 'url' }] },
  group: { label: 'Group', settings: groupSettings, secrets: [] },
} as const satisfies Readonly<Record<string, KindSpec>>;

export type ChannelKind = keyof typeof channelKinds;

// their receivers are programs that need each change; a group sends nothing itself
const notForPeople: ReadonlySet<string> = new Set(['webhook', 'pd', 'opsgenie', 'group']);

/** Whether people read what channels of the kind get, so that several changes may come in one message. */
export function isForPeople(kind: string): boolean {
  return !notForPeople.has(kind);
}

export const channelKindNames = Object.keys(channelKinds) as readonly ChannelKind[];

/** Kind of that name, or undefined. */
export function findKind(name: string): ChannelKind | undefined {
  return channelKindNames.find((kind) => kind === name);
}

/** Settings of a channel with their defaults. Throws InvalidInput that names the first fault, never a value. */
export function parseChannelSettings(kind: ChannelKind, given: unknown): object {
  if (!isStorable(given)) {
    throw new InvalidInput('settings: not all is valid Unicode, or there are null characters');
  }
  const result = (channelKinds[kind] as KindSpec).settings.safeParse(given);
  if (result.success) return result.data;
  const [fault] = result.error.issues;
  const path = fault?.path.join('.') ?? '';
  throw new InvalidInput(`settings${path === '' ? '' : `.${path}`}: ${fault?.message ?? 'are not valid'}`);
}

/** Settings as they may be shown. */
export function withoutSecrets(kind: ChannelKind, settings: object): object {
  const shown = structuredClone(settings);
  for (const { path } of secretsOf(kind)) {
    const { holder, name } = memberAt(shown, path);
    if (holder !== undefined) delete holder[name];
  }
  return shown;
}

/**
 * Settings as edited by somebody who was not shown the secrets: those left out stay as they were, unless they would be
 * told to somebody else, which would show them after all.
 */
export function keepSecrets(kind: ChannelKind, edited: object, stored: object): object {
  const kept = structuredClone(edited);
  for (const { path, toldTo } of secretsOf(kind)) {
    const to = memberAt(kept, path);
    const from = memberAt(stored, path);
    if (to.holder === undefined || from.holder === undefined || to.name in to.holder) continue;
    if (toldTo === undefined || valueAt(edited, toldTo) === valueAt(stored, toldTo)) {
      to.holder[to.name] = from.holder[from.name];
    }
  }
  return kept;
}

function secretsOf(kind: ChannelKind): readonly Secret[] {
  return channelKinds[kind].secrets;
}

function valueAt(settings: object, path: string): unknown {
  const { holder, name } = memberAt(settings, path);
  return holder?.[name];
}

/** Object that holds the member of a path; undefined when it is not there. */
function memberAt(settings: object, path: string) {
  const names = path.split('.');
  const name = names.pop() ?? '';
  let holder: unknown = settings;
  for (const step of names) holder = (holder as Record<string, unknown> | null | undefined)?.[step];
  const isObject = typeof holder === 'object' && holder !== null;
  return { name, holder: isObject ? (holder as Record<string, unknown>) : undefined };
}
