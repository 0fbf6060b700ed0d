import type { Micros } from '../instants.js';
import type { ChannelKind } from './channel-kinds.js';
import type { SendHttp } from './delivery/http-sender.client.js';
import { inTurns } from './delivery/message-turns.js';
import type { Integration } from './integration.js';
import { createEmail } from './kinds/email/email.channel.js';
import type { SendMail } from './kinds/email/mail-sender.client.js';
import { createGoogleChat } from './kinds/google-chat/google-chat.channel.js';
import { createGotify } from './kinds/gotify/gotify.channel.js';
import { createGroup, type GroupDeps } from './kinds/group/group.channel.js';
import { createMatrix } from './kinds/matrix/matrix.channel.js';
import { createNtfy } from './kinds/ntfy/ntfy.channel.js';
import { createOpsgenie } from './kinds/opsgenie/opsgenie.channel.js';
import { createPagerDuty } from './kinds/pagerduty/pagerduty.channel.js';
import { createPushover } from './kinds/pushover/pushover.channel.js';
import { createSignal, type SignalDeps } from './kinds/signal/signal.channel.js';
import { createSlackCompatible } from './kinds/slack-compatible/slack-compatible.channel.js';
import { createTeams } from './kinds/teams/teams.channel.js';
import { createTelegram } from './kinds/telegram/telegram.channel.js';
import { createWebhook } from './kinds/webhook/webhook.channel.js';
import { bounceAddress } from './links/bounce-address.js';
import { type LinkSigner, signedLink } from './links/signed-link.js';
import type { Messengers, PublicServices } from './messengers.js';

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
