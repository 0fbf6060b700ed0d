import type { Micros } from '../instants.js';
import { bounceAddress } from './bounce-address.js';
import type { ChannelKind } from './channel-kinds.js';
import { createEmail } from './email/email.channel.js';
import type { SendMail } from './email/mail-sender.client.js';
import { createGoogleChat } from './google-chat/google-chat.channel.js';
import { createGotify } from './gotify/gotify.channel.js';
import { createGroup, type GroupDeps } from './group/group.channel.js';
import type { SendHttp } from './http-sender.client.js';
import type { Integration } from './integration.js';
import { createMatrix } from './matrix/matrix.channel.js';
import { inTurns } from './message-turns.js';
import type { Messengers, PublicServices } from './messengers.js';
import { createNtfy } from './ntfy/ntfy.channel.js';
import { createOpsgenie } from './opsgenie/opsgenie.channel.js';
import { createPagerDuty } from './pagerduty/pagerduty.channel.js';
import { createPushover } from './pushover/pushover.channel.js';
import { createSignal, type SignalDeps } from './signal/signal.channel.js';
import { type LinkSigner, signedLink } from './signed-link.js';
import { createSlackCompatible } from './slack-compatible/slack-compatible.channel.js';
import { createTeams } from './teams/teams.channel.js';
import { createTelegram } from './telegram/telegram.channel.js';
import { createWebhook } from './webhook/webhook.channel.js';

export interface IntegrationDeps extends GroupDeps, Pick<SignalDeps, 'timeoutMs' | 'onCaptcha' | 'stop'> {
  /** To addresses that users name: refuses those inside. */
  readonly sendToUser: SendHttp;
  /** To addresses that the operator names, which may well be inside. */
  readonly sendToService: SendHttp;
  readonly sendMail: SendMail | undefined;
  readonly messengers: Messengers;
  readonly services: PublicServices;
  readonly signer: LinkSigner;
  readonly now: () => Micros;
  /** Kinds that the operator has switched off. */
  readonly disabledKinds: readonly ChannelKind[];
}

export type Integrations = ReadonlyMap<ChannelKind, Integration>;

const switchedOff = 'its absence from CHECK_MONITOR_DISABLED_INTEGRATIONS';

/** Every integration by its kind. */
export function createIntegrations(deps: IntegrationDeps): Integrations {
  const all: readonly Integration[] = [...toUsers(deps), ...byServices(deps), createGroup(deps)];
  const disabled = new Set(deps.disabledKinds);
  return new Map(
    all.map((integration) => {
      const isOff = disabled.has(integration.kind);
      return [
        integration.kind,
        isOff ? { ...integration, missing: switchedOff, isSwitchedOff: true } : integration,
      ];
    }),
  );
}

function toUsers({ sendToUser: send, messengers, now }: IntegrationDeps): Integration[] {
  return [
    createWebhook(send),
    ...createSlackCompatible(send),
    inTurns(createNtfy(send, messengers.ntfyToken), ({ url, topic }) => `${url} ${topic}`, now),
    createTeams(send),
    createGoogleChat(send),
    createGotify(send),
  ];
}

function byServices(deps: IntegrationDeps): Integration[] {
  const {
    sendToService: send,
    sendMail,
    messengers,
    services,
    signer,
    timeoutMs,
    onCaptcha,
    now,
    stop,
  } = deps;
  const { bounceDomain: domain } = messengers;
  return [
    createEmail({
      sendMail,
      host: new URL(signer.siteRoot).hostname,
      unsubscribeUrl: (channelUuid) => signedLink(signer, { purpose: 'unsub', channelUuid }),
      bounceAddress:
        domain === undefined
          ? undefined
          : (deliveryId) => bounceAddress({ domain, secret: signer.secret }, deliveryId),
    }),
    createTelegram({ send, apiUrl: services.telegram, token: messengers.telegramToken, now }),
    inTurns(
      createPushover({ send, apiUrl: services.pushover, token: messengers.pushoverToken }),
      ({ userKey }) => userKey,
      now,
    ),
    createPagerDuty({ send, apiUrl: services.pagerDuty }),
    createOpsgenie({ send, apiUrls: services.opsgenie }),
    createMatrix({ send, account: messengers.matrix }),
    inTurns(
      createSignal({ socket: messengers.signalSocket, timeoutMs, onCaptcha, stop }),
      ({ recipient }) => recipient,
      now,
    ),
  ];
}
