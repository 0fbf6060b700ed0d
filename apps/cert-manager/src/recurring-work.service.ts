import { type Logger, type Poller, startPoller } from '@certloop/server';
import { deleteOldChallengeTokens } from './acme/acme-accounts.repository.js';
import type { AppOptions } from './app-options.js';
import type { Notices } from './events/notices.service.js';
import type { IssuanceRunner } from './issuance/issuance-runner.service.js';
import { notedIfForbidden, reviewedAfter } from './policies/follow-policies.service.js';
import { createPolicyReview, type PolicyReview } from './policies/review-spaces.service.js';
import type { ProviderOpener } from './providers/open-provider.service.js';
import { askAdvice } from './renewals/ask-advice.service.js';
import { createHeartbeat, type Heartbeat, type HeartbeatCheck } from './renewals/heartbeat.client.js';
import { oneAtATime } from './renewals/one-at-a-time.js';
import { runAdviceJob } from './renewals/run-advice-job.service.js';
import { createRenewalRunner } from './renewals/run-due-renewals.service.js';
import { runRenewalJob } from './renewals/run-renewal-job.service.js';
import { createRenewalScheduler } from './renewals/schedule-renewals.service.js';
import { sweepRenewals } from './renewals/sweep-renewals.service.js';
import { finishRevocations } from './revocations/finish-revocations.service.js';
import type { RevocationDeps } from './revocations/settle-revocation.service.js';
import { noticeExpiring, recordFailedRenewal } from './watch/certificate-events.service.js';
import { createLostPings } from './watch/lost-pings.service.js';
import { createMonitorClient } from './watch/monitor.client.js';
import { createMonitorEvents } from './watch/monitor-events.service.js';
import { createWatchRunner } from './watch/run-watch.service.js';
import { sweepWatch } from './watch/sweep-watch.service.js';
import { createWatchEvents, followedBy, unwatched } from './watch/watch-events.service.js';

/** Says that nobody needs to sign in; said at the start and every minute. */
export function warnOfOpenMode(logger: Logger): void {
  logger.warn({ authMode: 'open' }, 'auth.open_mode');
}

export function openModeReminder(isOpen: boolean, logger: Logger): Poller[] {
  const tick = async () => warnOfOpenMode(logger);
  return isOpen ? [startPoller({ name: 'auth.open_mode', everyMs: 60_000, tick, logger })] : [];
}

/** Takes up what another process has left, at once and then every period. */
export function issuancePollers(
  { database: db, clock, logger }: AppOptions,
  runner: IssuanceRunner,
  recoverSigning: () => Promise<void>,
): Poller[] {
  const takeUp = startPoller({ name: 'issuance', everyMs: 10_000, tick: () => runner.takeUp(), logger });
  takeUp.trigger();
  const recover = startPoller({ name: 'signing.recovery', everyMs: 10_000, tick: recoverSigning, logger });
  recover.trigger();
  const tick = async () => {
    await runner.sweep();
    await db.transaction((tx) => deleteOldChallengeTokens(tx, clock.now()));
  };
  return [takeUp, recover, startPoller({ name: 'issuance.sweep', everyMs: 3_600_000, tick, logger })];
}

/** Completes revocations whose caller got no answer, at once and then every half minute. */
export function revocationPoller(deps: RevocationDeps): Poller {
  const tick = () => finishRevocations(deps);
  const poller = startPoller({ name: 'revocations', everyMs: 30_000, tick, logger: deps.logger });
  poller.trigger();
  return poller;
}

/** The queue, what keeps it in line, and what works on it. */
export function renewalParts(options: AppOptions, opener: ProviderOpener, notices: Notices | undefined) {
  const { database: db, clock, logger, watchJob = (_job, work) => work() } = options;
  const monitor = monitorOf(options);
  const watch = monitor === undefined ? unwatched : createWatchEvents(clock);
  const followed = followedBy(watch, createRenewalScheduler(clock));
  const scheduler = { ...watch, ...reviewedAfter(followed, watch, clock) };
  const noteFailed = notedIfForbidden(watch, clock);
  const runner = createRenewalRunner({
    db,
    clock,
    logger,
    opener,
    scheduler,
    onRenewalFailed: async (tx, entry, fault) => {
      await noteFailed(tx, entry, fault);
      if (notices !== undefined) await recordFailedRenewal(tx, { notices, clock }, entry, fault);
    },
    leaseMs: options.config.renewalLeaseSeconds * 1000,
    concurrency: 8,
    budgetMs: 30_000,
    atStep: async () => undefined,
    ...options.renewals,
  });
  const { heartbeatSeconds, watchAwaySeconds: awaySeconds } = options.config;
  const onAnswer = notices && createMonitorEvents({ db, clock, notices, awaySeconds });
  const heartbeat = heartbeatOf(options, 'renewals', heartbeatSeconds, { onAnswer });
  const runQueue = () => watchJob('renewals', runner.run);
  const job = oneAtATime(() => runRenewalJob({ db, clock, logger, heartbeat, runQueue }));
  const adviceHeartbeat = heartbeatOf(options, 'renewals.advice', adviceMissedSeconds, {
    check: adviceCheck,
  });
  const advice = { db, clock, logger, opener, onPlanned: watch.onPlanned };
  const ask = () => watchJob('renewals.advice', () => askAdvice(advice));
  const advise = () => runAdviceJob({ clock, logger, ask, heartbeat: adviceHeartbeat });
  const triggerRenewals = () => void job.run();
  const review = createPolicyReview({ db, clock, logger, watch, triggerRenewals });
  const watcher = monitor && createWatchRunner({ db, clock, logger, monitor: createMonitorClient(monitor) });
  return { scheduler, runner, job, advise, watcher, review };
}

const adviceSeconds = 60;
// CAs may take their time to answer
const adviceMissedSeconds = 5 * adviceSeconds;
const adviceCheck: HeartbeatCheck = {
  name: 'CertLoop cert-manager: renewal advice',
  slug: 'certloop-cert-manager-advice',
  desc: 'The certificate manager reports here whenever it has asked CAs when they want certificates renewed.',
};

/** Where the monitor is; undefined when there is none. */
function monitorOf({ config: { checkMonitorUrl: url, checkMonitorApiKey: apiKey } }: AppOptions) {
  return url === undefined || apiKey === undefined ? undefined : { url, apiKey };
}

interface HeartbeatMore {
  readonly check?: HeartbeatCheck;
  readonly onAnswer?: ((isAnswered: boolean) => Promise<void>) | undefined;
}

/** Tells the monitor of each run of a job; nothing when there is no monitor. */
function heartbeatOf(
  options: AppOptions,
  job: string,
  periodSeconds: number,
  { check, onAnswer }: HeartbeatMore,
): Heartbeat | undefined {
  const { database: db, clock, logger } = options;
  const monitor = monitorOf(options);
  if (monitor === undefined) return undefined;
  const lost = createLostPings({ db, clock }, job);
  return createHeartbeat({
    monitor,
    periodSeconds,
    clock,
    logger,
    lost,
    ...(check !== undefined && { check }),
    ...(onAnswer !== undefined && { onAnswer }),
  });
}

/** Takes up reviews of policies that another process has left, at once and then every minute. */
export function policyPollers({ logger }: AppOptions, review: PolicyReview): Poller[] {
  const take = startPoller({ name: 'policies', everyMs: 60_000, tick: () => review.run(), logger });
  take.trigger();
  return [
    take,
    startPoller({ name: 'policies.sweep', everyMs: 3_600_000, tick: () => review.sweep(), logger }),
  ];
}

/** Begins to work on the queue, at once and then every period. */
export function renewalPollers(
  { config, database: db, clock, logger }: AppOptions,
  { job, advise }: Pick<ReturnType<typeof renewalParts>, 'job' | 'advise'>,
): Poller[] {
  const work = async () => {
    const isDone = await job.run();
    if (!isDone) queue.trigger();
  };
  const ask = async () => {
    const isDone = await advise();
    if (!isDone) advice.trigger();
  };
  const sweep = () => sweepRenewals({ db, clock, logger });
  const everyMs = config.heartbeatSeconds * 1000;
  const queue = startPoller({ name: 'renewals', everyMs, tick: work, logger });
  const advice = startPoller({ name: 'renewals.advice', everyMs: adviceSeconds * 1000, tick: ask, logger });
  const rest = startPoller({ name: 'renewals.sweep', everyMs: 3_600_000, tick: sweep, logger });
  queue.trigger();
  advice.trigger();
  rest.trigger();
  return [queue, advice, rest];
}

/** Tells the monitor of certificates, at once and then every few seconds; nothing when there is no monitor. */
export function watchPollers(
  { database: db, clock, logger }: AppOptions,
  { watcher }: Pick<ReturnType<typeof renewalParts>, 'watcher'>,
): Poller[] {
  if (watcher === undefined) return [];
  const work = async () => {
    const isDone = await watcher.run();
    if (!isDone) tell.trigger();
  };
  const tell = startPoller({ name: 'watch', everyMs: 2000, tick: work, logger });
  const sweep = async () => {
    await sweepWatch({ db, clock, logger });
    tell.trigger();
  };
  const rest = startPoller({ name: 'watch.sweep', everyMs: 3_600_000, tick: sweep, logger });
  rest.trigger();
  return [tell, rest];
}

/** Finds certificates that expire soon, and deletes old events. */
export async function sweepNotices(
  { database: db, clock }: AppOptions,
  notices: Notices | undefined,
): Promise<void> {
  if (notices === undefined) return;
  await noticeExpiring({ db, clock, notices });
  await notices.sweep();
}

/** Sends notices every few seconds, and finds what is to be noticed every hour; nothing without a destination. */
export function noticePollers(
  options: AppOptions & Pick<Required<AppOptions>, 'watchJob'>,
  notices: Notices | undefined,
): Poller[] {
  if (notices === undefined) return [];
  const { logger, watchJob } = options;
  const send = async () => {
    const isDone = await watchJob('notices', () => notices.run());
    if (!isDone) sender.trigger();
  };
  const sender = startPoller({ name: 'notices', everyMs: 2000, tick: send, logger });
  const sweep = () => watchJob('notices.sweep', () => sweepNotices(options, notices));
  const sweeper = startPoller({ name: 'notices.sweep', everyMs: 3_600_000, tick: sweep, logger });
  sweeper.trigger();
  return [sender, sweeper];
}
