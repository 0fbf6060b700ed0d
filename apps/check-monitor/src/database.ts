import { type AnyTable, type Dialect, entitiesOf, type Schema } from '@certloop/db';
import { members } from './accounts/members.repository.js';
import { passwords, sessions } from './accounts/sessions.repository.js';
import { signInPlaces } from './accounts/sign-in-places.repository.js';
import { channels } from './channels/channels.repository.js';
import { checkChannels } from './channels/check-channels.repository.js';
import { checkStates } from './checks/rows/check-states.repository.js';
import { checks } from './checks/rows/checks.repository.js';
import { flips } from './flips/flips.repository.js';
import { initial } from './migrations/0001-initial.js';
import { addNotifications } from './migrations/0002-notifications.js';
import { addAccounts } from './migrations/0003-accounts.js';
import { separateStates } from './migrations/0004-check-states.js';
import { addDeliveryReports } from './migrations/0005-delivery-reports.js';
import { addDeliveryLadder } from './migrations/0006-delivery-ladder.js';
import { addPingRing } from './migrations/0007-ring-of-pings.js';
import { indexUniqueKeys } from './migrations/0008-unique-keys.js';
import { widenBadgeKeys } from './migrations/0009-badge-keys.js';
import { indexCheckNames } from './migrations/0010-check-names.js';
import { addSignInPlaces } from './migrations/0011-sign-in-places.js';
import { sealSecrets } from './migrations/0012-sealed-secrets.js';
import { indexTurnsOfChannels } from './migrations/0013-messages-in-hand.js';
import { addConsentRequests } from './migrations/0014-consent-requests.js';
import { storeEvents } from './migrations/0015-stored-events.js';
import { storeDeliveries } from './migrations/0016-delivered-messages.js';
import { consentRequests } from './notifications/consent/consent-requests.repository.js';
import { notifications } from './notifications/notifications.repository.js';
import { pings } from './pings/pings.repository.js';
import { apiKeys } from './projects/api-keys.repository.js';
import { projects } from './projects/projects.repository.js';
import { encryptionCanaries } from './projects/sealing/canaries.repository.js';
import { users } from './projects/users.repository.js';

const tables: readonly AnyTable[] = [
  users,
  projects,
  apiKeys,
  channels,
  checks,
  checkStates,
  checkChannels,
  flips,
  pings,
  notifications,
  passwords,
  sessions,
  signInPlaces,
  members,
  encryptionCanaries,
  consentRequests,
];

/** Tables and migrations of the check monitor. */
export const schema: Schema = {
  entities: (dialect: Dialect) => entitiesOf(dialect, tables),
  migrations: [
    initial,
    addNotifications,
    addAccounts,
    separateStates,
    addDeliveryReports,
    addDeliveryLadder,
    addPingRing,
    indexUniqueKeys,
    widenBadgeKeys,
    indexCheckNames,
    addSignInPlaces,
    sealSecrets,
    indexTurnsOfChannels,
    addConsentRequests,
    storeEvents,
    storeDeliveries,
  ],
};
