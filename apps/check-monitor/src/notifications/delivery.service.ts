import type { Logger, OutgoingOptions } from '@certloop/server';
import { type Channel, isUnreadable } from '../channels/channels.repository.js';
import type { DbDeps } from '../db-deps.js';
import { findKind, labelOf, parseChannelSettings } from '../integrations/channel-kinds.js';
import {
  type DeliveryResult,
  failedTemporarily,
  undelivered,
} from '../integrations/delivery/delivery-result.js';
import type { Integration } from '../integrations/integration.js';
import type { Integrations } from '../integrations/kinds.channel.js';
import type { ChannelKind } from '../integrations/kinds.js';
import type { AlertEvent } from '../integrations/messages/alert-event.js';
import { type ViewSite, viewEvent } from '../integrations/messages/event-view.js';
import type { Notice } from '../integrations/messages/notice.js';
import type { PublicServices, SenderAccounts } from '../integrations/sender-accounts.js';

export interface NotifierConfig {
  readonly site: ViewSite;
  /** Signs the links in mails. */
  readonly secret: string;
  readonly allowPrivateTargets: boolean;
  /** HTTP proxy by which targets are called; directly when undefined. */
  readonly egressProxy: string | undefined;
  readonly senderAccounts: SenderAccounts;
  /** Kinds by which nothing is sent. */
  readonly disabledKinds: readonly ChannelKind[];
}

/** How targets are reached, where not as usual. */
export interface NotifierTuning {
  readonly services?: PublicServices;
  readonly resolve?: OutgoingOptions['resolve'];
  /** Milliseconds that one try may take. */
  readonly timeoutMs?: number;
}

export interface NotifierDeps extends DbDeps {
  readonly logger: Logger;
  readonly config: NotifierConfig;
  readonly tuning?: NotifierTuning;
  /** Called for every call to a target, with what happened to it. */
  readonly onDelivered?: (delivery: DeliveryFacts) => void;
  /** Called for every call that is refused for where it leads. */
  readonly onRefusedCall?: () => void;
}

export interface DeliveryDeps extends NotifierDeps {
  /** Uuids of the channels that were logged as not decrypted, each once. */
  readonly loggedAsUnreadable: Set<string>;
}

export const deliveryOutcomes = ['delivered', 'postponed', 'failed', 'refused'] as const;

/** Facts of a call to a target, to be counted. */
export interface DeliveryFacts {
  /** Kind of the channel, as it is stored. */
  readonly kind: string;
  /** `postponed` is tried again, `refused` switches the channel off. */
  readonly outcome: (typeof deliveryOutcomes)[number];
  readonly seconds: number;
}

/** Content to send: an alert, or a notice under the name of its delivery. */
export type Content =
  | { readonly event: AlertEvent }
  | { readonly notice: Notice; readonly deliveryId: string };

/** Undefined where this process ends: nothing came of it. */
export function outcomeOf(result: DeliveryResult): DeliveryFacts['outcome'] | undefined {
  if (result.ok) return 'delivered';
  if (result.retryReason === 'stopped') return undefined;
  if (result.retryReason !== undefined && result.retryReason !== 'rejected') return 'postponed';
  return result.permanent ? 'refused' : 'failed';
}

/** Whatever an integration throws is a fault of ours: it is logged, and the channel shows a general error. */
export async function deliver(
  { config, logger, clock, loggedAsUnreadable }: DeliveryDeps,
  integrations: Integrations,
  channel: Channel,
  content: Content,
  isTest: boolean,
): Promise<DeliveryResult> {
  const { uuid, projectId, verifiedAt } = channel;
  if (isUnreadable(channel) && !loggedAsUnreadable.has(uuid)) {
    loggedAsUnreadable.add(uuid);
    logger.warn({ channel: uuid }, 'channel.settings_not_decrypted');
  }
  const opened = openChannel(integrations, channel);
  if ('error' in opened)
    return opened.isTemporary ? failedTemporarily(opened.error) : undelivered(opened.error);
  const { integration, settings } = opened;
  const target = { settings, channel: { uuid, projectId, isVerified: verifiedAt !== null } };
  try {
    if ('event' in content) {
      const view = viewEvent(content.event, config.site, clock.now());
      return await integration.deliver({ ...target, event: content.event, view, isTest });
    }
    const notice = { ...target, ...content, site: config.site };
    return (
      (await integration.notify?.(notice)) ?? undelivered('this kind of channel does not support notices')
    );
  } catch (error) {
    logger.error({ error, channel: uuid }, 'channel.message_not_created');
    return undelivered('the message could not be created');
  }
}

type OpenedChannel =
  | { readonly integration: Integration; readonly settings: object }
  | { readonly error: string; readonly isTemporary: boolean };

const notDecrypted = 'the settings of the channel could not be decrypted: enter them again if this lasts';

export function openChannel(integrations: Integrations, channel: Channel): OpenedChannel {
  const kind = findKind(channel.kind);
  const integration = kind && integrations.get(kind);
  if (kind === undefined || integration === undefined)
    return { error: 'there are no channels of this kind', isTemporary: false };
  if (integration.missing !== undefined) {
    // a start that lost a setting must not lose what waits in the meantime
    const isTemporary = integration.isSwitchedOff !== true;
    return { error: `${labelOf(kind)} notifications are not enabled.`, isTemporary };
  }
  // a process with the key may send it
  if (isUnreadable(channel)) return { error: notDecrypted, isTemporary: true };
  try {
    return { integration, settings: parseChannelSettings(kind, channel.settings) };
  } catch {
    return { error: 'the settings of the channel are not valid', isTemporary: false };
  }
}
