import type { FutureMoment } from '@certloop/db';
import { challengeTokens } from '../../acme/acme-accounts.repository.js';
import { mailTurns } from '../../events/mail/mail-turns.repository.js';
import { notices } from '../../events/notices.repository.js';
import { webhookReceivers } from '../../events/webhook-receivers.repository.js';
import { spacePolicies } from '../../fqdns/policy/space-policies.repository.js';
import { acmeUsedNonces } from '../../front/nonces/used-nonces.repository.js';
import { acmeServerOrders } from '../../front/orders/server-orders.repository.js';
import { issuances } from '../../issuance/signing/issuances.repository.js';
import { renewalQueue } from '../../renewals/renewals.repository.js';
import { pendingRevocations } from '../../revocations/pending-revocations.repository.js';
import { targets } from '../../targets/targets.repository.js';
import { sessions } from '../../users/sessions/sessions.repository.js';
import { setupTokens } from '../../users/setup/setup-tokens.repository.js';
import { canaryTurns } from '../../watch/canary/canary-turns.repository.js';
import { watchedFqdns } from '../../watch/watched-fqdns.repository.js';

export interface LeaseTimes {
  readonly renewalLeaseMs: number;
  readonly jobLeaseMs: number;
}

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/**
 * The bounds of all moments that jobs wait for, by the rules that set them (docs/clocks.md). Planned renewals are absent:
 * the sweep of the queue judges each by its certificate.
 */
export function futureMoments({ renewalLeaseMs, jobLeaseMs }: LeaseTimes): FutureMoment[] {
  const leased = (ms: number) => ({ column: 'leaseUntil', maxAheadMs: 2 * ms, pauseMs: ms });
  return [
    { table: renewalQueue, where: "status = 'processing'", ...leased(renewalLeaseMs) },
    { table: renewalQueue, column: 'adviceDueAt', maxAheadMs: 12 * hour, spreadMs: hour },
    { table: issuances, where: "state = 'running'", ...leased(Math.max(jobLeaseMs, renewalLeaseMs)) },
    againAt("state = 'queued'", minute, jobLeaseMs),
    againAt("state = 'unknown' and is_order = false", Math.max(hour, jobLeaseMs), jobLeaseMs),
    // an order is continued after what its CA asks for
    againAt("state = 'unknown' and is_order = true", 7 * day, jobLeaseMs),
    // a day later, the CA does not know any more what it issued
    { table: issuances, column: 'createdAt', where: "state = 'running'", maxAheadMs: 0 },
    { table: issuances, column: 'createdAt', where: "state = 'unknown'", maxAheadMs: 0 },
    { table: issuances, column: 'finishedAt', where: "state = 'unknown'", maxAheadMs: 0 },
    {
      table: acmeServerOrders,
      column: 'expiresAt',
      where: 'not_after is null',
      maxAheadMs: day,
      pauseMs: day,
    },
    // an hour, by a clock that may be five minutes ahead
    { table: acmeUsedNonces, column: 'expiresAt', maxAheadMs: 65 * minute, pauseMs: 65 * minute },
    { table: pendingRevocations, column: 'dueAt', maxAheadMs: hour, spreadMs: 5 * minute },
    {
      table: notices,
      column: 'dueAt',
      where: "destination = 'webhook'",
      maxAheadMs: 10 * hour,
      spreadMs: 5 * minute,
    },
    { table: mailTurns, column: 'dueAt', maxAheadMs: 4 * hour },
    { table: webhookReceivers, column: 'pausedUntil', maxAheadMs: hour },
    { table: canaryTurns, column: 'dueAt', maxAheadMs: hour },
    ...probes(),
    { table: watchedFqdns, column: 'dueAt', maxAheadMs: day, spreadMs: 20 * minute },
    { table: spacePolicies, column: 'reviewDueAt', maxAheadMs: 2 * minute, pauseMs: minute },
    { table: challengeTokens, column: 'expiresAt', maxAheadMs: 7 * day, pauseMs: 7 * day },
    { table: sessions, column: 'expiresAt', maxAheadMs: 12 * hour, pauseMs: 30 * minute },
    { table: setupTokens, column: 'expiresAt', maxAheadMs: hour },
  ];
}

function againAt(where: string, maxAheadMs: number, pauseMs: number): FutureMoment {
  return { table: issuances, column: 'nextAt', where, maxAheadMs, pauseMs };
}

/** Targets by how often they are probed, as the bound of each is its own period and a tenth. */
function probes(): FutureMoment[] {
  const isProbed = "enabled = true and mode = 'probe'";
  const periods = [10 * minute, hour, 6 * hour, day, 7 * day, 366 * day];
  return periods.map((period, index) => ({
    table: targets,
    column: 'dueAt',
    where: `${isProbed} and every_seconds <= ${period / 1000} and every_seconds > ${(periods[index - 1] ?? 0) / 1000}`,
    maxAheadMs: period * 1.1,
    spreadMs: Math.min(hour, period),
  }));
}
