import type { FutureMoment } from '@certloop/db';
import { sessions } from '../accounts/sessions.repository.js';
import { channels } from '../channels/channels.repository.js';
import { consentRequests } from '../notifications/consent/consent-requests.repository.js';
import { notifications } from '../notifications/notifications.repository.js';

const minute = 60_000;
const hour = 60 * minute;

/**
 * The bounds of moments that waits depend on, by the rules that set them (docs/clocks.md). The pings of checks are absent:
 * each check is judged by its own deadline.
 */
export const futureMoments: readonly FutureMoment[] = [
  { table: channels, column: 'heldUntil', maxAheadMs: hour },
  { table: notifications, column: 'dueAt', where: 'settled_at is null', maxAheadMs: hour },
  { table: notifications, column: 'leaseUntil', where: 'turn_id is not null', maxAheadMs: 5 * minute },
  // moments of the past: a later one would block mails to an address, or make a session last longer
  { table: consentRequests, column: 'sentAt', maxAheadMs: 0 },
  { table: consentRequests, column: 'declinedAt', maxAheadMs: 0 },
  { table: sessions, column: 'createdAt', maxAheadMs: 0 },
  { table: sessions, column: 'lastUsedAt', maxAheadMs: 0 },
];
