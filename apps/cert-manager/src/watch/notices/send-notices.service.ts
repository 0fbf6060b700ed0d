import type { DbDeps } from '../../db-deps.js';
import { noticeFault } from '../../events/notice-fault.js';
import type { Notices } from '../../events/notices.service.js';
import { countWaitingNotices } from '../../events/waiting-notices.repository.js';
import { findReceiver } from '../../events/webhook-receivers.repository.js';
import type { Heartbeat } from '../../renewals/heartbeat/heartbeat.client.js';

export interface NoticeJobDeps extends DbDeps {
  readonly notices: Pick<Notices, 'run'>;
}

export interface NoticeRound {
  /** Undefined without a monitor. */
  readonly heartbeat: Heartbeat | undefined;
  /** Counts the work in the metrics. */
  readonly count: <T>(work: () => Promise<T>) => Promise<T>;
}

const reportMs = 60_000;

/**
 * One run of sending notices, reported to the monitor once a minute: success, or fail with the reason if it failed,
 * when a notice has waited for over an hour, or when the webhook is switched off. False when some that are due are left.
 */
export function createNoticeJob({ db, clock, notices }: NoticeJobDeps) {
  const findFault = () =>
    db.longRead(async (tx) => {
      const disabledAt = (await findReceiver(tx))?.disabledAt ?? null;
      return noticeFault({ waiting: await countWaitingNotices(tx), disabledAt }, clock.now());
    });
  let reportedAt = Number.NEGATIVE_INFINITY;
  return async ({ heartbeat, count }: NoticeRound): Promise<boolean> => {
    const isDue = clock.now().getTime() - reportedAt >= reportMs;
    if (isDue) reportedAt = clock.now().getTime();
    // a monitor that does not answer does not hold up a notice about that
    const beginning = isDue ? heartbeat?.begin() : undefined;
    try {
      const isDone = await count(notices.run);
      const beat = await beginning;
      const fault = beat && (await findFault());
      await (fault === undefined ? beat?.succeed('notices sent') : beat?.fail(fault));
      return isDone;
    } catch (error) {
      await (await beginning)?.fail(error instanceof Error ? error.message : String(error));
      throw error;
    }
  };
}
