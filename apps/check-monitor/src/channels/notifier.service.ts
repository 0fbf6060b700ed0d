import type { Database } from '@certloop/db';
import {
  createOutgoingFetch,
  inSpan,
  type Logger,
  type OutgoingOptions,
  tracedFetch,
} from '@certloop/server';
import type { Micros } from '../instants.js';
import type { AlertEvent, AlertStatus } from './alert-event.js';
import { type ChannelKind, findKind, parseChannelSettings } from './channel-kinds.js';
import { type Channel, findChannel, updateChannel } from './channels.repository.js';
import { type DeliveryResult, undelivered } from './delivery-result.js';
import { createMailSender, type SendMail } from './email/mail-sender.client.js';
import { type ViewSite, viewEvent } from './event-view.js';
import type { MemberDelivery } from './group/group.channel.js';
import { createHttpSender } from './http-sender.client.js';
import type { Integration } from './integration.js';
import { createIntegrations, type Integrations } from './integrations.service.js';
import { type Messengers, type PublicServices, publicServices } from './messengers.js';

export interface NotifierConfig {
  readonly site: ViewSite;
  /** Signs the links in mails. */
  readonly secret: string;
  readonly allowPrivateTargets: boolean;
  readonly messengers: Messengers;
}

/** How targets are reached, where not as usual. */
export interface NotifierTuning {
  readonly services?: PublicServices;
  readonly resolve?: OutgoingOptions['resolve'];
  /** Milliseconds to wait before each further try of a message. */
  readonly retryDelaysMs?: readonly number[];
  /** Milliseconds that one try may take. */
  readonly timeoutMs?: number;
}

export interface NotifierDeps {
  readonly database: Database;
  readonly now: () => Micros;
  readonly logger: Logger;
  readonly config: NotifierConfig;
  readonly tuning?: NotifierTuning;
  /** Told of every message that came to an end with all its tries. */
  readonly onDelivered?: (delivery: DeliveryFacts) => void;
  /** Told of every call that is refused for where it leads. */
  readonly onRefusedCall?: () => void;
}

export const deliveryOutcomes = ['delivered', 'failed', 'refused'] as const;

/** What became of a message, to be counted. */
export interface DeliveryFacts {
  /** Kind of the channel, as it is stored. */
  readonly kind: string;
  readonly outcome: (typeof deliveryOutcomes)[number];
  readonly seconds: number;
}

/** Tells channels. */
export interface Notifier {
  /** Whether the channel is told of changes to `status` at all. */
  tells(channel: Channel, status: AlertStatus): boolean;
  /** Tells one channel and keeps on it what became of that; never inside a transaction. */
  notify(channel: Channel, event: AlertEvent, options?: NotifyOptions): Promise<DeliveryResult>;
  /** What the operator must set before channels of the kind work; undefined when nothing is missing. */
  missing(kind: ChannelKind): string | undefined;
  /** Undefined when this service has no mail server. */
  readonly sendMail: SendMail | undefined;
  close(): Promise<void>;
}

export interface NotifyOptions {
  /** A person waits for the result: nothing is tried twice. */
  readonly isTest: boolean;
  /** A target that takes no more at present is left alone, and nothing is kept of that: the caller tries again. */
  readonly mayWait?: boolean;
}

const answerBytes = 4_194_304;
// the name by which targets of this API family know their caller, and let it in
const userAgent = 'healthchecks.io';

/** Opens what messages are sent by. `close` it at the end. */
export function createNotifier(deps: NotifierDeps): Notifier {
  const { config, tuning = {} } = deps;
  const { retryDelaysMs = [1000, 5000], timeoutMs = 30_000, services = publicServices } = tuning;
  const sender = { retryDelaysMs, timeoutMs, userAgent };
  const { onRefusedCall: onRefused = () => undefined } = deps;
  const resolve = tuning.resolve === undefined ? {} : { resolve: tuning.resolve };
  const outgoing = { answerBytes, onRefused, ...resolve };
  const toUsers = createOutgoingFetch({ ...outgoing, allowPrivate: config.allowPrivateTargets });
  const toServices = createOutgoingFetch({ ...outgoing, allowPrivate: true });
  const { smtp } = config.messengers;
  const sendMail = smtp && createMailSender({ smtpUrl: smtp.url, from: smtp.from, timeoutMs, retryDelaysMs });
  const integrations: Integrations = createIntegrations({
    sendToUser: createHttpSender({ ...sender, fetch: traced(toUsers.fetch) }),
    sendToService: createHttpSender({ ...sender, fetch: traced(toServices.fetch) }),
    sendMail,
    services,
    messengers: config.messengers,
    signer: { siteRoot: config.site.siteRoot, secret: config.secret },
    timeoutMs,
    now: deps.now,
    onCaptcha: (token) => deps.logger.error({ token }, 'signal.captcha_wanted'),
    notifyMember: (delivery) => notifyMember(deps, integrations, delivery),
  });
  return {
    tells: (channel, status) => tells(integrations, channel, status),
    notify: (channel, event, options) => notify(deps, integrations, channel, event, options),
    missing: (kind) => integrations.get(kind)?.missing,
    sendMail,
    close: async () => {
      await toUsers.close();
      await toServices.close();
    },
  };
}

/** Strangers are called, so the trace ends here. */
const traced = (call: typeof fetch) => tracedFetch(call, { isTrusted: false });

function tells(integrations: Integrations, channel: Channel, status: AlertStatus): boolean {
  const opened = openChannel(integrations, channel);
  // what cannot be told is told as a failure, where people will look for it
  return 'error' in opened || opened.integration.tells(opened.settings, status);
}

async function notify(
  deps: NotifierDeps,
  integrations: Integrations,
  channel: Channel,
  event: AlertEvent,
  { isTest, mayWait = false }: NotifyOptions = { isTest: false },
): Promise<DeliveryResult> {
  const began = performance.now();
  const result = await inSpan(`delivery ${channel.kind}`, {}, () =>
    deliver(deps, integrations, channel, event, isTest),
  );
  if (mayWait && !result.ok && result.retryAfterMs !== undefined) return result;
  const lastDurationMs = Math.round(performance.now() - began);
  deps.onDelivered?.({ kind: channel.kind, outcome: outcomeOf(result), seconds: lastDurationMs / 1000 });
  const now = deps.now();
  await deps.database.transaction((tx) =>
    updateChannel(tx, channel.id, {
      lastNotifiedAt: now,
      lastDurationMs,
      lastError: result.ok ? null : result.error,
      ...(!result.ok && result.permanent ? { disabledAt: now } : {}),
      ...(result.ok && result.settings !== undefined ? { settings: result.settings } : {}),
    }),
  );
  return result;
}

function outcomeOf(result: DeliveryResult): DeliveryFacts['outcome'] {
  if (result.ok) return 'delivered';
  return result.permanent ? 'refused' : 'failed';
}

/** Whatever an integration throws is a fault of ours: it is logged, and the channel is told in general words. */
async function deliver(
  { config, logger, now }: NotifierDeps,
  integrations: Integrations,
  channel: Channel,
  event: AlertEvent,
  isTest: boolean,
): Promise<DeliveryResult> {
  const opened = openChannel(integrations, channel);
  if ('error' in opened) return undelivered(opened.error);
  const { integration, settings } = opened;
  const { uuid, projectId, verifiedAt } = channel;
  try {
    return await integration.deliver({
      settings,
      event,
      view: viewEvent(event, config.site, now()),
      channel: { uuid, projectId, isVerified: verifiedAt !== null },
      isTest,
    });
  } catch (error) {
    logger.error({ error, channel: uuid }, 'channel.fault');
    return undelivered('the message could not be made');
  }
}

type OpenedChannel =
  | { readonly integration: Integration; readonly settings: object }
  | { readonly error: string };

function openChannel(integrations: Integrations, channel: Channel): OpenedChannel {
  const kind = findKind(channel.kind);
  const integration = kind && integrations.get(kind);
  if (kind === undefined || integration === undefined) return { error: 'there are no channels of this kind' };
  if (integration.missing !== undefined)
    return { error: 'this kind of channel is not set up on this server' };
  try {
    return { integration, settings: parseChannelSettings(kind, channel.settings) };
  } catch {
    return { error: 'the settings of the channel are not valid' };
  }
}

/** A group within a group could be itself. */
async function notifyMember(
  deps: NotifierDeps,
  integrations: Integrations,
  { projectId, channelUuid, event, isTest }: MemberDelivery,
): Promise<DeliveryResult | undefined> {
  const member = await deps.database.read((tx) => findChannel(tx, channelUuid));
  if (member === undefined || member.projectId !== projectId || member.kind === 'group') return undefined;
  if (member.disabledAt !== null || !tells(integrations, member, event.status)) return undefined;
  return notify(deps, integrations, member, event, { isTest });
}
