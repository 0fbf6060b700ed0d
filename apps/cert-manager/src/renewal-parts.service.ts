import { type Clock, oneAtATime } from '@certloop/server';
import type { AppOptions } from './app-options.js';
import { readChainEnds } from './certificates/read-chain-ends.service.js';
import type { Notices } from './events/notices.service.js';
import {
  adviceCheck,
  adviceMissedSeconds,
  heartbeatOf,
  type MonitorAddress,
  monitorOf,
} from './heartbeat-parts.service.js';
import { notedIfForbidden, reviewedAfter } from './policies/follow-policies.service.js';
import { createPolicyReview } from './policies/review-spaces.service.js';
import type { ProviderOpener } from './providers/open-provider.service.js';
import { askAdvice } from './renewals/advice/ask-advice.service.js';
import { runAdviceJob } from './renewals/advice/run-advice-job.service.js';
import type { ExplainRenewalDeps } from './renewals/explanation/explain-renewal.service.js';
import type { ContactFault } from './renewals/heartbeat/heartbeat.client.js';
import { createRenewalRunner } from './renewals/queue/run-due-renewals.service.js';
import { runRenewalJob } from './renewals/queue/run-renewal-job.service.js';
import { sweepRenewals } from './renewals/queue/sweep-renewals.service.js';
import { createRenewalScheduler, type RenewalScheduler } from './renewals/schedule-renewals.service.js';
import { refreshingAfter } from './standings/follow-changes.service.js';
import { createStandings, type Standings } from './standings/refresh-states.service.js';
import { sweepStandings } from './standings/sweep-standings.service.js';
import { probedAfter } from './targets/served/follow-stored.service.js';
import { createHeartbeatUrls } from './watch/monitor/heartbeat-urls.client.js';
import { createMonitorClient } from './watch/monitor/monitor.client.js';
import { createMonitorContact } from './watch/monitor/monitor-contact.store.js';
import { createMonitorEvents, keyTriedMs } from './watch/monitor/monitor-events.service.js';
import { findWatchTroubles } from './watch/monitor/watch-troubles.service.js';
import { recordFailedRenewal } from './watch/notices/certificate-events.service.js';
import { noticedAfter } from './watch/notices/issuance-events.service.js';
import { refreshingBeside } from './watch/refresh-beside.service.js';
import { createWatchRunner } from './watch/run-watch.service.js';
import { sweepWatch } from './watch/sweep-watch.service.js';
import { createWatchEvents, noWatch, type WatchEvents, withWatch } from './watch/watch-events.service.js';
import { touchWatched } from './watch/watched-fqdns.repository.js';
import { watchWordOf } from './watch/watched-subject.service.js';

interface PartOptions extends AppOptions {
  /** Aborted when the service stops. */
  readonly stop: AbortSignal;
}

/** The queue, what keeps it in line, and what works on it. */
export function renewalParts(options: PartOptions, opener: ProviderOpener, notices: Notices | undefined) {
  const { database: db, clock, logger, stop: stopping, watchJob = (_job, work) => work() } = options;
  const { heartbeatSeconds, watchAwaySeconds: awaySeconds, watchesExpiry } = options.config;
  const monitor = monitorOf(options);
  const watch = monitor === undefined ? noWatch : createWatchEvents(clock, { watchesExpiry });
  const standings = createStandings(clock);
  const { refreshStates } = standings;
  const listener = refreshingBeside(watch, standings);
  const scheduler = { ...listener, ...schedulerOf(watch, standings, notices, clock), refreshStates };
  const noteFailed = notedIfForbidden(watch, clock);
  const runner = createRenewalRunner({
    db,
    clock,
    logger,
    opener,
    scheduler,
    refreshStates,
    onRenewalFailed: async (tx, entry, fault) => {
      await noteFailed(tx, entry, fault);
      if (notices !== undefined) await recordFailedRenewal(tx, { notices, clock }, entry, fault);
      await refreshStates(tx, [entry.fqdnId]);
    },
    leaseMs: options.config.renewalLeaseSeconds * 1000,
    concurrency: 8,
    budgetMs: 30_000,
    stopping,
    atStep: async () => undefined,
    ...options.renewals,
  });
  const contact = createMonitorContact(clock);
  const noteMonitor = notices && createMonitorEvents({ db, clock, notices, awaySeconds });
  const onAnswer = async (fault: ContactFault | undefined) => {
    contact.note(fault === undefined);
    await noteMonitor?.(fault);
  };
  const heartbeat = heartbeatOf(options, 'renewals', heartbeatSeconds, {
    onAnswer,
    keyTriedMs: keyTriedMs(awaySeconds),
  });
  const elsewhere = createHeartbeatUrls({ urls: options.config.heartbeatPingUrls, logger });
  const runQueue = () => watchJob('renewals', runner.run);
  const jobDeps = { db, clock, logger, heartbeat, runQueue, onGoodRun: elsewhere.ping, ...clockOf(options) };
  const job = oneAtATime(() =>
    runRenewalJob({ ...jobDeps, ...(monitor !== undefined && { findTroubles: findWatchTroubles }) }),
  );
  const adviceHeartbeat = heartbeatOf(options, 'renewals.advice', adviceMissedSeconds, {
    check: adviceCheck,
  });
  const advice = { db, clock, logger, opener, onPlanned: listener.onPlanned };
  const ask = () => watchJob('renewals.advice', () => askAdvice(advice));
  const advise = () => runAdviceJob({ clock, logger, ask, heartbeat: adviceHeartbeat });
  const triggerRenewals = () => void job.run();
  const review = createPolicyReview({ db, clock, logger, watch: listener, triggerRenewals });
  const watcher = monitor && watcherOf(options, monitor);
  const watchWord: ExplainRenewalDeps['watchWordOf'] = async (tx, fqdn, newest) =>
    monitor === undefined ? 'no' : watchWordOf(tx, fqdn, newest, { now: clock.now(), watchesExpiry });
  const parts = { scheduler, runner, job, advise, watcher, review, watchWord };
  const sweeps = sweepsOf(options, standings, scheduler);
  return { ...parts, ...sweeps, readContact: contact.read, close: elsewhere.close };
}

/** Why it is not certain what time it is. */
function clockOf({ steady }: AppOptions) {
  return { findClockFault: () => (steady?.read().isSettled === false ? steady.fault() : undefined) };
}

/** What corrects the queue and the states of FQDNs, whatever was missed. */
function sweepsOf(options: AppOptions, standings: Standings, { onCertificateRefreshed }: RenewalScheduler) {
  const { database: db, clock, logger } = options;
  const { refreshStates } = standings;
  const onCorrected = checksFollow(options);
  const readChains = () => readChainEnds({ db, clock, logger, onCertificateRefreshed });
  return {
    readChainEnds: readChains,
    sweepQueue: async () => {
      await readChains();
      await sweepRenewals({ db, clock, logger, refreshStates });
    },
    sweepStandings: () => sweepStandings({ db, clock, logger, standings, onCorrected }),
  };
}

/** The scheduler of renewals, with all that follows its events: notices, probes, the watch, policies and standings. */
function schedulerOf(watch: WatchEvents, standings: Standings, notices: Notices | undefined, clock: Clock) {
  const noticed = noticedAfter(createRenewalScheduler(clock), notices, clock);
  const followed = withWatch(watch, probedAfter(noticed, clock));
  return refreshingAfter(reviewedAfter(followed, watch, clock), standings);
}

/** Has the checks of FQDNs looked at, in a transaction of its own: other work locks the check before the state. */
function checksFollow({ database: db, clock }: Pick<AppOptions, 'database' | 'clock'>) {
  return (fqdnIds: readonly string[]) => db.transaction((tx) => touchWatched(tx, { fqdnIds }, clock.now()));
}

/** Makes the checks of certificates follow, and finds which are missing. */
function watcherOf({ config, database: db, clock, logger }: AppOptions, monitor: MonitorAddress) {
  const deps = { db, clock, logger, watchesExpiry: config.watchesExpiry };
  const runner = createWatchRunner({ ...deps, monitor: createMonitorClient(monitor) });
  return { ...runner, sweep: () => sweepWatch(deps) };
}

export type RenewalParts = ReturnType<typeof renewalParts>;
