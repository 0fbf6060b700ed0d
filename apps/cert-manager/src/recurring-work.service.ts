import { type Logger, type Poller, startPoller } from '@certloop/server';
import { deleteOldChallengeTokens } from './acme/acme-accounts.repository.js';
import type { AppOptions } from './app-options.js';
import type { Denials } from './audit/denials.service.js';
import type { Notices } from './events/notices.service.js';
import { adviceSeconds } from './heartbeat-parts.service.js';
import type { IssuanceRunner } from './issuance/jobs/issuance-runner.service.js';
import type { PolicyReview } from './policies/review-spaces.service.js';
import type { RenewalParts } from './renewal-parts.service.js';
import { finishRevocations } from './revocations/finish-revocations.service.js';
import type { RevocationDeps } from './revocations/settle-revocation.service.js';
import { sweepSpaceSizes } from './spaces/sweep-space-sizes.service.js';
import { probeSeconds, type TargetParts } from './target-parts.service.js';
import { sweepSessions } from './users/sessions/sessions.service.js';
import { noticeExpiring } from './watch/notices/certificate-events.service.js';

/** Says that no one needs to sign in; said at the start and every minute. */
export function warnOfOpenMode(logger: Logger): void {
  logger.warn({ authMode: 'open' }, 'auth.open_mode');
}

export function openModeReminder(isOpen: boolean, logger: Logger): Poller[] {
  const tick = async () => warnOfOpenMode(logger);
  return isOpen ? [startPoller({ name: 'auth.open_mode', everyMs: 60_000, tick, logger })] : [];
}

/** Writes denials that wait, and deletes sessions that have ended. */
export function accessPollers({ database: db, clock, logger }: AppOptions, denials: Denials): Poller[] {
  const sweep = () => sweepSessions({ db, clock });
  return [
    startPoller({ name: 'audit.denials', everyMs: 10_000, tick: () => denials.flush(), logger }),
    startPoller({ name: 'sessions.sweep', everyMs: 600_000, tick: sweep, logger }),
  ];
}

/** Takes up what another process has left, at once and then every period. */
export function issuancePollers(
  { database: db, clock, logger, steady }: AppOptions,
  runner: IssuanceRunner,
  recoverSigning: () => Promise<void>,
): Poller[] {
  const mayRun = whileSettled(steady);
  const takeUp = startPoller({
    name: 'issuance',
    mayRun,
    everyMs: 10_000,
    tick: () => runner.takeUp(),
    logger,
  });
  takeUp.trigger();
  const recover = startPoller({
    name: 'signing.recovery',
    mayRun,
    everyMs: 10_000,
    tick: recoverSigning,
    logger,
  });
  recover.trigger();
  const tick = async () => {
    await runner.sweep();
    await db.transaction((tx) => deleteOldChallengeTokens(tx, clock.now()));
  };
  return [takeUp, recover, startPoller({ name: 'issuance.sweep', everyMs: 3_600_000, tick, logger })];
}

/** Completes revocations whose caller got no answer, at once and then every half minute. */
export function revocationPoller({ steady }: Pick<AppOptions, 'steady'>, deps: RevocationDeps): Poller {
  const mayRun = whileSettled(steady);
  const tick = () => finishRevocations(deps);
  const poller = startPoller({ name: 'revocations', mayRun, everyMs: 30_000, tick, logger: deps.logger });
  poller.trigger();
  return poller;
}

/** Takes up reviews of policies that another process has left, at once and then every minute. */
export function policyPollers({ logger, steady }: AppOptions, review: PolicyReview): Poller[] {
  const mayRun = whileSettled(steady);
  const take = startPoller({ name: 'policies', mayRun, everyMs: 60_000, tick: () => review.run(), logger });
  take.trigger();
  return [
    take,
    startPoller({ name: 'policies.sweep', everyMs: 3_600_000, tick: () => review.sweep(), logger }),
  ];
}

// how often at most the queue is run for a CA with little room
const minPacedMs = 5000;

/** Begins to work on the queue, at once and then every period. */
export function renewalPollers(
  { config, logger, steady }: AppOptions,
  { job, runner, advise, sweepQueue: sweep }: Pick<RenewalParts, 'job' | 'runner' | 'advise' | 'sweepQueue'>,
): Poller[] {
  const work = async () => {
    const isDone = await job.run();
    if (!isDone) return queue.trigger();
    const waitMs = await runner.roomInMs();
    if (waitMs !== undefined && waitMs < everyMs)
      setTimeout(queue.trigger, Math.max(minPacedMs, waitMs)).unref();
  };
  const ask = async () => {
    const isDone = await advise();
    if (!isDone) advice.trigger();
  };
  const mayRun = whileSettled(steady);
  const everyMs = config.heartbeatSeconds * 1000;
  const queue = startPoller({ name: 'renewals', everyMs, tick: work, logger });
  const advice = startPoller({
    name: 'renewals.advice',
    mayRun,
    everyMs: adviceSeconds * 1000,
    tick: ask,
    logger,
  });
  const rest = startPoller({ name: 'renewals.sweep', mayRun, everyMs: 3_600_000, tick: sweep, logger });
  queue.trigger();
  advice.trigger();
  rest.trigger();
  return [queue, advice, rest];
}

/**
 * Corrects what is stored about FQDNs if something was missed: their states, at once and then every hour, and how many a
 * space has, every minute, as a person decides by that number whether to delete them.
 */
export function standingPollers(
  { database: db, logger }: Pick<AppOptions, 'database' | 'logger'>,
  { sweepStandings: tick }: Pick<RenewalParts, 'sweepStandings'>,
): Poller[] {
  const sizes = () => sweepSpaceSizes({ db, logger });
  const pollers = [
    startPoller({ name: 'standings.sweep', everyMs: 3_600_000, tick, logger }),
    startPoller({ name: 'spaces.sweep', everyMs: 60_000, tick: sizes, logger }),
  ];
  for (const poller of pollers) poller.trigger();
  return pollers;
}

/** Whether the time is certain; work that is due by its time waits until it is. */
function whileSettled(steady: AppOptions['steady']): () => boolean {
  return () => steady?.read().isSettled !== false;
}

/**
 * Compares the clocks every few seconds, and corrects moments that a wrong clock stored: at once, every minute and after a
 * jump.
 */
export function clockPollers(
  { logger, steady }: Pick<AppOptions, 'logger' | 'steady'>,
  {
    pullBack,
    renewals: { sweepQueue },
  }: { readonly pullBack: () => Promise<void>; readonly renewals: Pick<RenewalParts, 'sweepQueue'> },
): Poller[] {
  const mayRun = whileSettled(steady);
  const correct = startPoller({ name: 'clock', mayRun, everyMs: 60_000, tick: pullBack, logger });
  correct.trigger();
  if (steady === undefined) return [correct];
  let seen = steady.read().jumps;
  const compare = async () => {
    await steady.check();
    const { isSettled, jumps } = steady.read();
    if (!isSettled || jumps === seen) return;
    seen = jumps;
    await pullBack();
    await sweepQueue();
  };
  return [correct, startPoller({ name: 'clock.compare', everyMs: 5000, tick: compare, logger })];
}

/** Probes targets that are due, at once and then every minute. */
export function probePollers({ logger, steady }: AppOptions, { job }: Pick<TargetParts, 'job'>): Poller[] {
  const tick = async () => {
    const isDone = await job.run();
    if (!isDone) poller.trigger();
  };
  const mayRun = whileSettled(steady);
  const poller = startPoller({ name: 'targets', mayRun, everyMs: probeSeconds * 1000, tick, logger });
  poller.trigger();
  return [poller];
}

/** Syncs the checks of certificates, at once and then every few seconds; does nothing without a monitor. */
export function watchPollers(
  { logger, steady }: AppOptions,
  { watcher }: Pick<RenewalParts, 'watcher'>,
): Poller[] {
  if (watcher === undefined) return [];
  const mayRun = whileSettled(steady);
  const work = async () => {
    const isDone = await watcher.run();
    if (!isDone) pings.trigger();
  };
  const pings = startPoller({ name: 'watch', mayRun, everyMs: 2000, tick: work, logger });
  const sweep = async () => {
    await watcher.sweep();
    pings.trigger();
  };
  const rest = startPoller({ name: 'watch.sweep', mayRun, everyMs: 3_600_000, tick: sweep, logger });
  rest.trigger();
  return [pings, rest];
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
  job: (() => Promise<boolean>) | undefined,
): Poller[] {
  if (notices === undefined || job === undefined) return [];
  const { logger, watchJob, steady } = options;
  const mayRun = whileSettled(steady);
  const send = async () => {
    const isDone = await job();
    if (!isDone) sender.trigger();
  };
  const sender = startPoller({ name: 'notices', mayRun, everyMs: 2000, tick: send, logger });
  const sweep = () => watchJob('notices.sweep', () => sweepNotices(options, notices));
  const sweeper = startPoller({ name: 'notices.sweep', mayRun, everyMs: 3_600_000, tick: sweep, logger });
  sweeper.trigger();
  const tick = () => notices.noticeFullDisk();
  return [sender, sweeper, startPoller({ name: 'notices.full_disk', everyMs: 2000, tick, logger })];
}
