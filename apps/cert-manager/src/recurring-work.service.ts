import { type Logger, type Poller, startPoller } from '@certloop/server';
import { deleteOldChallengeTokens } from './acme/acme-accounts.repository.js';
import type { AppOptions } from './app-options.js';
import type { IssuanceRunner } from './issuance/issuance-runner.service.js';
import type { ProviderOpener } from './providers/open-provider.service.js';
import { askAdvice } from './renewals/ask-advice.service.js';
import { createHeartbeat, type Heartbeat } from './renewals/heartbeat.client.js';
import { oneAtATime } from './renewals/one-at-a-time.js';
import { createRenewalRunner } from './renewals/run-due-renewals.service.js';
import { runRenewalJob } from './renewals/run-renewal-job.service.js';
import { createRenewalScheduler } from './renewals/schedule-renewals.service.js';
import { sweepRenewals } from './renewals/sweep-renewals.service.js';

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
): Poller[] {
  const takeUp = startPoller({ name: 'issuance', everyMs: 10_000, tick: () => runner.takeUp(), logger });
  takeUp.trigger();
  const tick = async () => {
    await runner.sweep();
    await db.transaction((tx) => deleteOldChallengeTokens(tx, clock.now()));
  };
  return [takeUp, startPoller({ name: 'issuance.sweep', everyMs: 3_600_000, tick, logger })];
}

/** The queue, what keeps it in line, and what works on it. */
export function renewalParts(options: AppOptions, opener: ProviderOpener) {
  const { database: db, clock, logger, watchJob = (_job, work) => work() } = options;
  const scheduler = createRenewalScheduler(clock);
  const runner = createRenewalRunner({
    db,
    clock,
    logger,
    opener,
    scheduler,
    leaseMs: options.config.renewalLeaseSeconds * 1000,
    concurrency: 8,
    budgetMs: 30_000,
    atStep: async () => undefined,
    ...options.renewals,
  });
  const heartbeat = heartbeatOf(options);
  const runQueue = () => watchJob('renewals', runner.run);
  const job = oneAtATime(() => runRenewalJob({ db, clock, logger, heartbeat, runQueue }));
  return { scheduler, runner, job, opener };
}

/** Tells the monitor of each run of the renewal job; nothing when there is no monitor. */
function heartbeatOf({ config, logger }: AppOptions): Heartbeat | undefined {
  const { checkMonitorUrl: url, checkMonitorApiKey: apiKey, heartbeatSeconds: periodSeconds } = config;
  if (url === undefined || apiKey === undefined) return undefined;
  return createHeartbeat({ monitor: { url, apiKey }, periodSeconds, logger });
}

/** Begins to work on the queue, at once and then every period. */
export function renewalPollers(
  { config, database: db, clock, logger }: AppOptions,
  { job, opener }: ReturnType<typeof renewalParts>,
): Poller[] {
  const work = async () => {
    const isDone = await job.run();
    if (!isDone) queue.trigger();
  };
  const ask = async () => {
    const isDone = await askAdvice({ db, clock, logger, opener });
    if (!isDone) advice.trigger();
  };
  const sweep = () => sweepRenewals({ db, clock, logger });
  const everyMs = config.heartbeatSeconds * 1000;
  const queue = startPoller({ name: 'renewals', everyMs, tick: work, logger });
  const advice = startPoller({ name: 'renewals.advice', everyMs: 60_000, tick: ask, logger });
  const rest = startPoller({ name: 'renewals.sweep', everyMs: 3_600_000, tick: sweep, logger });
  queue.trigger();
  rest.trigger();
  return [queue, advice, rest];
}
