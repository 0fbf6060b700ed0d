import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { createOutgoingFetch, inSpan, refusalOfTarget, tracedFetch } from '@certloop/server';
import type { Sent } from '../channels/channel-health.js';
import { type Channel, findChannel } from '../channels/channels.repository.js';
import type { ChannelNotifier } from '../channels/channels.service.js';
import { wholeMs } from '../instants.js';
import { consentMissing, isWithoutConsent } from '../integrations/consent.js';
import type { IntegrationDeps } from '../integrations/create-integration.channel.js';
import {
  type DeliveryResult,
  stoppedDelivery,
  undelivered,
} from '../integrations/delivery/delivery-result.js';
import { createHttpSender } from '../integrations/delivery/http-sender.client.js';
import type { MemberDelivery } from '../integrations/integration.js';
import { createMailSender, type SendMail } from '../integrations/kinds/email/mail-sender.client.js';
import { noticeMail } from '../integrations/kinds/email/notice-mail.js';
import { createIntegrations, type Integrations } from '../integrations/kinds.channel.js';
import type { ChannelKind } from '../integrations/kinds.js';
import type { AlertEvent, AlertStatus } from '../integrations/messages/alert-event.js';
import type { ViewSite } from '../integrations/messages/event-view.js';
import type { Notice } from '../integrations/messages/notice.js';
import { publicServices } from '../integrations/sender-accounts.js';
import { recordSent } from './channel-outcome.repository.js';
import {
  type Content,
  type DeliveryDeps,
  deliver,
  type NotifierDeps,
  openChannel,
  outcomeOf,
} from './delivery.service.js';
import { hastenNotifications } from './notifications.repository.js';

/** Sends messages to channels. All but `hasten` may call the network, so never inside a transaction. */
export interface Notifier extends ChannelNotifier {
  /** Whether the channel wants changes to `status` at all. */
  shouldNotify(channel: Channel, status: AlertStatus): boolean;
  /** Sends one message once; never rejects. What happens to it is for the caller to record. */
  send(channel: Channel, content: Content): Promise<Sent>;
  /** Mails a notice to the owner of a project. */
  mailOwner(address: string, notice: Notice, deliveryId: string): Promise<DeliveryResult>;
  /** Sends a test, and records on the channel what happened to it. */
  test(channel: Channel, event: AlertEvent): Promise<DeliveryResult>;
  /** Returns what the operator must set before channels of the kind work; undefined when nothing is missing. */
  missing(kind: ChannelKind): string | undefined;
  /** Undefined when this service has no mail server. */
  readonly sendMail: SendMail | undefined;
  /** Breaks off all that is being sent; nothing can be sent after it. */
  stop(): void;
  /** Stops, and closes connections. */
  close(): Promise<void>;
}

const privateHint = 'CHECK_MONITOR_ALLOW_PRIVATE_TARGETS=true allows it';

/** A person waits for the answer. */
const judgingMs = 2000;

const answerBytes = 4_194_304;

// connections that are being opened may not notice that they are no longer needed
const closeMs = 500;

// the name by which targets of this API family know their caller, and let it in
const userAgent = 'healthchecks.io';

/** Opens what messages are sent by. `close` it at the end. */
export function createNotifier(given: NotifierDeps): Notifier {
  const deps: DeliveryDeps = { ...given, loggedAsUnreadable: new Set() };
  const { config, tuning = {} } = deps;
  const { timeoutMs = 30_000, services = publicServices } = tuning;
  const stopping = new AbortController();
  const stop = stopping.signal;
  // each call listens to it
  setMaxListeners(0, stop);
  const sender = { timeoutMs, userAgent, stop, nowMs: () => wholeMs(deps.clock.now()) };
  const { onRefusedCall: onRefused = () => undefined } = deps;
  const resolve = tuning.resolve === undefined ? {} : { resolve: tuning.resolve };
  const rules = { allowPrivate: config.allowPrivateTargets, privateHint, ...resolve };
  const outgoing = { answerBytes, isBodyNeeded: false, onRefused, proxy: config.egressProxy, ...resolve };
  const toUsers = createOutgoingFetch({ ...outgoing, ...rules });
  const toServices = createOutgoingFetch({ ...outgoing, allowPrivate: true });
  const { smtp } = config.senderAccounts;
  const sendMail = smtp && createMailSender({ smtpUrl: smtp.url, from: smtp.from, timeoutMs, stop });
  const integrationDeps: IntegrationDeps = {
    sendToUser: createHttpSender({ ...sender, fetch: traced(toUsers.fetch) }),
    sendToService: createHttpSender({ ...sender, fetch: traced(toServices.fetch) }),
    sendMail,
    services,
    senderAccounts: config.senderAccounts,
    signer: { siteRoot: config.site.siteRoot, secret: config.secret },
    timeoutMs,
    stop,
    clock: deps.clock,
    onCaptcha: (token) => deps.logger.error({ token }, 'signal.captcha_required'),
    notifyMember: (delivery) => notifyMember(deps, integrations, delivery),
  };
  const integrations: Integrations = createIntegrations(integrationDeps, config.disabledKinds);
  return {
    shouldNotify: (channel, status) => shouldNotify(integrations, channel, status),
    obstacle: (channel) => obstacle(integrations, channel),
    send: async (channel, content) =>
      stop.aborted
        ? { result: stoppedDelivery, durationMs: 0 }
        : send(deps, integrations, channel, content, false),
    test: (channel, event) => test(deps, integrations, channel, event),
    mailOwner: (address, notice, deliveryId) =>
      mailOwner(config.site, sendMail, { address, notice, deliveryId }),
    refusalOfTarget: async (url) => refusalOfTarget(new URL(url), rules, judgingMs),
    hasten: hastenNotifications,
    missing: (kind) => integrations.get(kind)?.missing,
    sendMail,
    stop: () => stopping.abort(),
    close: async () => {
      stopping.abort();
      const closed = Promise.all([toUsers.close(), toServices.close()]);
      await Promise.race([closed, pause(closeMs, undefined, { ref: false })]);
    },
  };
}

/** Strangers are called, so the trace ends here. */
const traced = (call: typeof fetch) => tracedFetch(call, { isTrusted: false });

function shouldNotify(integrations: Integrations, channel: Channel, status: AlertStatus): boolean {
  const opened = openChannel(integrations, channel);
  // a channel that cannot be opened gets the message, so that it fails where people will look for it
  return 'error' in opened || opened.integration.shouldNotify(opened.settings, status);
}

function obstacle(integrations: Integrations, channel: Channel): string | undefined {
  const opened = openChannel(integrations, channel);
  if ('error' in opened) return opened.error;
  return isWithoutConsent(channel) ? consentMissing : undefined;
}

async function send(
  deps: DeliveryDeps,
  integrations: Integrations,
  channel: Channel,
  content: Content,
  isTest: boolean,
): Promise<Sent> {
  const began = performance.now();
  const result = await inSpan(`delivery ${channel.kind}`, {}, () =>
    deliver(deps, integrations, channel, content, isTest),
  );
  const durationMs = Math.round(performance.now() - began);
  const outcome = outcomeOf(result);
  if (outcome !== undefined) deps.onDelivered?.({ kind: channel.kind, outcome, seconds: durationMs / 1000 });
  return { result, durationMs };
}

async function test(
  deps: DeliveryDeps,
  integrations: Integrations,
  channel: Channel,
  event: AlertEvent,
): Promise<DeliveryResult> {
  const sent = await send(deps, integrations, channel, { event }, true);
  const now = deps.clock.now();
  await deps.db.transaction((tx) => recordSent(tx, channel, sent, { now }));
  return sent.result;
}

async function mailOwner(
  { siteName, siteRoot }: ViewSite,
  sendMail: SendMail | undefined,
  { address, notice, deliveryId }: { address: string; notice: Notice; deliveryId: string },
): Promise<DeliveryResult> {
  if (sendMail === undefined) return undelivered('this service has no mail server');
  const cover = {
    to: { name: '', address },
    messageId: `<${deliveryId}@${new URL(siteRoot).hostname}>`,
    headers: { 'Auto-Submitted': 'auto-generated' },
  };
  return sendMail({ ...noticeMail(notice, siteName), ...cover });
}

/** A group within a group could be itself. */
async function notifyMember(
  deps: DeliveryDeps,
  integrations: Integrations,
  { projectId, channelUuid, event, isTest }: MemberDelivery,
): Promise<DeliveryResult | undefined> {
  const member = await deps.db.read((tx) => findChannel(tx, channelUuid));
  if (member === undefined || member.projectId !== projectId || member.kind === 'group') return undefined;
  if (member.disabledAt !== null || !shouldNotify(integrations, member, event.status)) return undefined;
  const sent = await send(deps, integrations, member, { event }, isTest);
  const now = deps.clock.now();
  await deps.db.transaction((tx) => recordSent(tx, member, sent, { now }));
  return sent.result;
}
