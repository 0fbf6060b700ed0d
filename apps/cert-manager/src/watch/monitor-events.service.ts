import type { Database } from '@certloop/db';
import type { Clock } from '@certloop/server';
import type { Notices } from '../events/notices.service.js';
import { noteAnswer, noteAway } from './monitor-answers.repository.js';

export interface MonitorEventsDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly notices: Notices;
  /** Seconds without an answer after which the monitor counts as away. */
  readonly awaySeconds: number;
}

/**
 * Takes note of each run that was reported to the monitor, and whether it accepted the report. Records `monitor.away` once when it
 * has answered no process for that long, and this one has tried all the time; `monitor.back` when it answers again.
 */
export function createMonitorEvents({ db, clock, notices, awaySeconds }: MonitorEventsDeps) {
  let failingSince: Date | undefined;
  return async (isAnswered: boolean): Promise<void> => {
    const now = clock.now();
    if (isAnswered) {
      failingSince = undefined;
      await db.transaction(async (tx) => {
        if (!(await noteAnswer(tx, now))) return;
        const message = 'The monitor answers again.';
        await notices.record(tx, { type: 'monitor.back', subject: 'check-monitor', data: { message } });
      });
      return;
    }
    failingSince ??= now;
    const before = new Date(now.getTime() - awaySeconds * 1000);
    if (failingSince > before) return;
    const message = `The monitor has not answered since ${failingSince.toISOString()}, or takes no key: no alert of a failing renewal reaches you. Start it, or check CHECK_MONITOR_URL and CHECK_MONITOR_API_KEY.`;
    await db.transaction(async (tx) => {
      if (!(await noteAway(tx, { now, before }))) return;
      await notices.record(tx, { type: 'monitor.away', subject: 'check-monitor', data: { message } });
    });
  };
}
