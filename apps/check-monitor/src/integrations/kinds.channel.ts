import { channelKindNames } from './channel-kinds.js';
import type { CreateIntegration, IntegrationDeps } from './create-integration.channel.js';
import type { Integration } from './integration.js';
import { emailIntegration } from './kinds/email/email.channel.js';
import { googlechatIntegration } from './kinds/google-chat/google-chat.channel.js';
import { gotifyIntegration } from './kinds/gotify/gotify.channel.js';
import { groupIntegration } from './kinds/group/group.channel.js';
import { matrixIntegration } from './kinds/matrix/matrix.channel.js';
import { ntfyIntegration } from './kinds/ntfy/ntfy.channel.js';
import { opsgenieIntegration } from './kinds/opsgenie/opsgenie.channel.js';
import { pdIntegration } from './kinds/pagerduty/pagerduty.channel.js';
import { poIntegration } from './kinds/pushover/pushover.channel.js';
import { signalIntegration } from './kinds/signal/signal.channel.js';
import {
  discordIntegration,
  mattermostIntegration,
  slackIntegration,
} from './kinds/slack-compatible/slack-compatible.channel.js';
import { msteamswIntegration } from './kinds/teams/teams.channel.js';
import { telegramIntegration } from './kinds/telegram/telegram.channel.js';
import { webhookIntegration } from './kinds/webhook/webhook.channel.js';
import type { ChannelKind } from './kinds.js';

/** How each kind is notified. */
export const createByKind: Readonly<Record<ChannelKind, CreateIntegration>> = {
  webhook: webhookIntegration,
  email: emailIntegration,
  slack: slackIntegration,
  mattermost: mattermostIntegration,
  discord: discordIntegration,
  ntfy: ntfyIntegration,
  telegram: telegramIntegration,
  pd: pdIntegration,
  opsgenie: opsgenieIntegration,
  po: poIntegration,
  msteamsw: msteamswIntegration,
  googlechat: googlechatIntegration,
  matrix: matrixIntegration,
  signal: signalIntegration,
  gotify: gotifyIntegration,
  group: groupIntegration,
};

export type Integrations = ReadonlyMap<ChannelKind, Integration>;

const switchedOff = 'its absence from CHECK_MONITOR_DISABLED_INTEGRATIONS';

/** Every integration by its kind; those of `disabledKinds` send nothing. */
export function createIntegrations(
  deps: IntegrationDeps,
  disabledKinds: readonly ChannelKind[],
): Integrations {
  return new Map(
    channelKindNames.map((kind) => {
      const integration = createByKind[kind](deps);
      const isOff = disabledKinds.includes(kind);
      return [kind, isOff ? { ...integration, missing: switchedOff, isSwitchedOff: true } : integration];
    }),
  );
}
