import type { WatchJob } from '@certloop/server';
import type { AppOptions } from './app-options.js';
import { noticeFault } from './events/notice-fault.js';
import type { Notices } from './events/notices.service.js';
import { countWaiting } from './events/waiting-notices.repository.js';
import { findReceiver } from './events/webhook-receivers.repository.js';
import { heartbeatOf } from './heartbeat-parts.service.js';
import type { HeartbeatCheck } from './renewals/heartbeat/heartbeat.client.js';

const reportSeconds = 60;
// receivers may take their time to answer
const missedSeconds = 5 * reportSeconds;
const check: HeartbeatCheck = {
  name: 'CertLoop cert-manager: notices',
  slug: 'certloop-cert-manager-notices',
  desc: 'The certificate manager reports here each minute that it has sent the notices that were due.',
};

/**
 * One run of sending notices, reported to the monitor once a minute: success, or fail with the reason if it failed,
 * when a notice has waited for over an hour, or when the webhook is switched off. False when some that are due are left.
 */
export function createNoticeJob(
  options: AppOptions & { readonly watchJob: WatchJob },
  notices: Notices,
): () => Promise<boolean> {
  const { database: db, clock, watchJob } = options;
  const heartbeat = heartbeatOf(options, 'notices', missedSeconds, { check });
  const findFault = () =>
    db.longRead(async (tx) => {
      const disabledAt = (await findReceiver(tx))?.disabledAt ?? null;
      return noticeFault({ waiting: await countWaiting(tx), disabledAt }, clock.now());
    });
  let reportedAt = Number.NEGATIVE_INFINITY;
  return async () => {
    const isDue = clock.now().getTime() - reportedAt >= reportSeconds * 1000;
    if (isDue) reportedAt = clock.now().getTime();
    // a monitor that does not answer does not hold up a notice about that
    const beginning = isDue ? heartbeat?.begin() : undefined;
    try {
      const isDone = await watchJob('notices', () => notices.run());
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
