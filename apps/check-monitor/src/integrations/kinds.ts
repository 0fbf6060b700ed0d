import { email } from './kinds/email/email-kind.js';
import { googlechat } from './kinds/google-chat/google-chat-kind.js';
import { gotify } from './kinds/gotify/gotify-kind.js';
import { group } from './kinds/group/group-kind.js';
import { matrix } from './kinds/matrix/matrix-kind.js';
import { ntfy } from './kinds/ntfy/ntfy-kind.js';
import { opsgenie } from './kinds/opsgenie/opsgenie-kind.js';
import { pd } from './kinds/pagerduty/pagerduty-kind.js';
import { po } from './kinds/pushover/pushover-kind.js';
import { signal } from './kinds/signal/signal-kind.js';
import { discord, mattermost, slack } from './kinds/slack-compatible/slack-compatible-kinds.js';
import { msteamsw } from './kinds/teams/teams-kind.js';
import { telegram } from './kinds/telegram/telegram-kind.js';
import { webhook } from './kinds/webhook/webhook-kind.js';

/** Every kind of channel under its name on the wire, in the order in which messages list them. */
export const channelKinds = {
  webhook,
  email,
  slack,
  mattermost,
  discord,
  ntfy,
  telegram,
  pd,
  opsgenie,
  po,
  msteamsw,
  googlechat,
  matrix,
  signal,
  gotify,
  group,
};

export type ChannelKind = keyof typeof channelKinds;
