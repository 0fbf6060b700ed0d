import type { Tx } from '@certloop/db';
import type { Logger } from '@certloop/server';
import type { DbDeps } from '../../db-deps.js';
import type { Notices } from '../../events/notices.service.js';
import type { ContactFault } from '../../renewals/heartbeat/heartbeat.client.js';
import { countWaitingChecks } from '../missing-watch.repository.js';
import { noteAnswer, noteAway, noteBack } from './monitor-answers.repository.js';

export interface MonitorEventsDeps extends DbDeps {
  readonly notices: Notices;
  /** Seconds without an answer after which the monitor counts as away. */
  readonly awaySeconds: number;
}

const subject = 'check-monitor';
const faults: Readonly<Record<ContactFault, string>> = {
  no_answer: 'does not answer: start it, or check CHECK_MONITOR_URL',
  key_refused: 'refuses the key: check CHECK_MONITOR_API_KEY',
  no_room: 'has no room for the check of the renewal queue: raise its limit of checks',
};

/** Milliseconds between two trials of the key, so that its refusal is noticed as soon as a monitor that is away. */
export function keyTriedMs(awaySeconds: number): number {
  return Math.min(120, awaySeconds / 5) * 1000;
}

/**
 * Takes note of each run that was reported to the monitor, and why it did not take the report. Records `monitor.away`
 * once when it has taken no report of any process for that long, and this one has tried all the time; `monitor.back`
 * when it takes them again. Records both, at once, also for checks of certificates that it has no room for.
 */
export function createMonitorEvents({ db, clock, notices, awaySeconds }: MonitorEventsDeps) {
  let failingSince: Date | undefined;

  const noteRoom = async (tx: Tx, now: Date) => {
    const { renewal, expiry } = await countWaitingChecks(tx);
    if (renewal + expiry === 0) {
      if (!(await noteBack(tx, 'room', now))) return;
      const message = 'The monitor has room for all checks again.';
      return notices.record(tx, { type: 'monitor.back', subject, data: { message, reason: 'no_room' } });
    }
    if (!(await noteAway(tx, 'room', { now, before: now }))) return;
    const message = `The monitor has no room for the checks of ${renewal + expiry} certificates, ${renewal} of them with renewal on: no alert about these reaches you. Raise its limit of checks.`;
    const data = { message, reason: 'no_room', renewal, expiry };
    return notices.record(tx, { type: 'monitor.away', subject, data });
  };

  return async (fault: ContactFault | undefined): Promise<void> => {
    const now = clock.now();
    if (fault === undefined) {
      failingSince = undefined;
      await db.transaction(async (tx) => {
        const isBack = await noteBack(tx, 'monitor', now);
        await noteAnswer(tx, now);
        const data = { message: 'The monitor answers again.', reason: 'contact' };
        if (isBack) await notices.record(tx, { type: 'monitor.back', subject, data });
        await noteRoom(tx, now);
      });
      return;
    }
    failingSince ??= now;
    const triedMs = fault === 'key_refused' ? keyTriedMs(awaySeconds) : 0;
    const before = new Date(now.getTime() - awaySeconds * 1000 + triedMs);
    if (failingSince > before) return;
    const since = failingSince.toISOString();
    const message = `Since ${since} the monitor ${faults[fault]}. No alert of a failing renewal reaches you.`;
    await db.transaction(async (tx) => {
      if (!(await noteAway(tx, 'monitor', { now, before }))) return;
      await notices.record(tx, { type: 'monitor.away', subject, data: { message, reason: fault, since } });
    });
  };
}

/** Result of a round of the canary. */
export interface AlertSight {
  /** Unknown when the monitor answers, but refuses the canary. */
  readonly raisesAlerts: boolean | 'unknown';
  /** Why it is unknown. */
  readonly reason?: string;
}

const blind =
  'The monitor answers, but a check that should have fallen has not: it raises no alerts. Restart it, and see its log.';

/**
 * Records `monitor.blind` once when the monitor raises no alerts although it answers, or when that cannot be seen, and
 * `monitor.back` when it raises them. Both are logged, also where there is no destination of notices.
 */
export function createAlertEvents({
  db,
  clock,
  logger,
  notices,
}: DbDeps & {
  readonly logger: Logger;
  readonly notices: Notices | undefined;
}) {
  return async ({ raisesAlerts, reason = '' }: AlertSight): Promise<void> => {
    const now = clock.now();
    await db.transaction(async (tx) => {
      if (raisesAlerts === true) {
        if (!(await noteBack(tx, 'alerts', now))) return;
        logger.info({}, 'watch.monitor_alerts_again');
        const data = { message: 'The monitor raises alerts again.', reason: 'blind' };
        await notices?.record(tx, { type: 'monitor.back', subject, data });
        return;
      }
      if (!(await noteAway(tx, 'alerts', { now, before: now }))) return;
      const message =
        raisesAlerts === false
          ? blind
          : `Whether the monitor raises alerts is unknown, as it refuses the check certloop-canary: ${reason}. Check CHECK_MONITOR_CANARY_API_KEY and the limit of checks.`;
      logger.error({ reason: message }, 'watch.monitor_blind');
      await notices?.record(tx, { type: 'monitor.blind', subject, data: { message } });
    });
  };
}
