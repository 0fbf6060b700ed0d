import type { WatchJob } from '@certloop/server';
import { deleteOldChallengeTokens } from './acme/acme-accounts.repository.js';
import type { AppOptions } from './app-options.js';
import type { Denials } from './audit/denials.service.js';
import { indexAuditTexts } from './audit/search/index-audit-texts.service.js';
import { serveHeld } from './certificates/delivery/await-certificate.service.js';
import type { HeldRequests } from './certificates/delivery/held-requests.store.js';
import { readCertificateKeys } from './certificates/read-certificate-keys.service.js';
import { readChainEnds } from './certificates/read-chain-ends.service.js';
import type { Emit } from './changes/reactions.service.js';
import type { Notices } from './events/notices.service.js';
import { purgeNonces, purgeOrders } from './front/purge-front.service.js';
import type { IssuanceRunner } from './issuance/jobs/issuance-runner.service.js';
import type { PolicyReview } from './policies/review-spaces.service.js';
import type { ProviderOpener } from './providers/open-provider.service.js';
import { askAdvice } from './renewals/advice/ask-advice.service.js';
import { runAdviceJob } from './renewals/advice/run-advice-job.service.js';
import { createRenewalRunner, type RenewalRunner } from './renewals/queue/run-due-renewals.service.js';
import { runRenewalJob } from './renewals/queue/run-renewal-job.service.js';
import { sweepRenewals } from './renewals/queue/sweep-renewals.service.js';
import { finishRevocations } from './revocations/finish-revocations.service.js';
import type { RevocationDeps } from './revocations/settle-revocation.service.js';
import { sweepSpaceSizes } from './spaces/sweep-space-sizes.service.js';
import { sweepStatuses } from './statuses/sweep-statuses.service.js';
import { compareClocks } from './system/clock/compare-clocks.service.js';
import type { HttpsCertificate } from './system/https/https-certificate.service.js';
import { createRunnableJobs, type Job, type Round } from './system/runnable-jobs.service.js';
import { runProbeJob } from './targets/probes/run-probe-job.service.js';
import { type ProbeDeps, runProbes } from './targets/probes/run-probes.service.js';
import { warnOfOpenMode } from './users/callers/open-mode.middleware.js';
import { sweepSessions } from './users/sessions/sessions.service.js';
import { createCanaryJob } from './watch/canary/run-canary.service.js';
import { createHeartbeatUrls } from './watch/monitor/heartbeat-urls.client.js';
import { createMonitorClient } from './watch/monitor/monitor.client.js';
import { keyTriedMs } from './watch/monitor/monitor-events.service.js';
import { findWatchTroubles } from './watch/monitor/watch-troubles.service.js';
import { noticeExpiring } from './watch/notices/certificate-events.service.js';
import { createNoticeJob } from './watch/notices/send-notices.service.js';
import { createJobHeartbeats, type JobCheck, jobChecks } from './watch/pings/job-heartbeats.service.js';
import { createWatchRunner } from './watch/run-watch.service.js';
import { sweepWatch } from './watch/sweep-watch.service.js';
import { monitorOf } from './watch-settings.js';

/** Parts that the jobs share with the API. */
export interface JobParts {
  readonly stopping: AbortController;
  readonly watchJob: WatchJob;
  readonly denials: Denials;
  readonly renewalOpener: ProviderOpener;
  readonly notices: Notices | undefined;
  readonly emit: Emit;
  readonly held: HeldRequests;
  readonly https: HttpsCertificate | undefined;
  /** Takes note of whether the monitor answers. */
  readonly onAnswer: NonNullable<JobCheck['onAnswer']>;
  readonly review: PolicyReview;
  readonly targets: ProbeDeps;
  readonly revocations: RevocationDeps;
  readonly issuanceRunner: IssuanceRunner;
  readonly pullBack: () => Promise<void>;
}

/** The recurring jobs; all of them stop together. */
export interface Jobs {
  readonly table: Readonly<Record<JobName, Job>>;
  /** Runs one round now; false when more is due. Resolves at once if the job has nothing to do here. */
  run(name: JobName): Promise<boolean>;
  /** Works on the renewal queue once, or once more after the run under way, and reports it to no monitor. */
  runRenewals: RenewalRunner['run'];
  /** Resolves when the requests for certificates that the jobs have taken up are over, or wait. */
  idle(): Promise<void>;
  start(): void;
  stop(): Promise<void>;
}

export type JobName = keyof ReturnType<typeof jobTable>;

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const atStart = { runsAtStart: true } as const;
const inTime = { waitsForClock: true } as const;
const counted = { isCounted: true } as const;
const shared = { isShared: true } as const;

// how long a round begins new work
const budgetMs = 30 * second;

/** Every recurring job of the service by its name, in the order in which they start. */
function jobTable(options: AppOptions, parts: JobParts, work: Work) {
  const { config, database: db, clock, logger, steady } = options;
  const { denials, revocations, issuanceRunner, review, emit, held, pullBack } = parts;
  const { watcher, canary, notices, advise, probe, sweepQueue } = work;
  const { advice, served } = jobChecks;
  const remind = async () => warnOfOpenMode(logger);
  const onJump = async () => {
    await pullBack();
    await sweepQueue();
  };
  return {
    'audit.denials': { everyMs: 10 * second, run: denials.flush },
    https: { everyMs: 10 * second, run: parts.https?.refresh },
    'sessions.sweep': { everyMs: 10 * minute, run: () => sweepSessions({ db, clock }) },
    'certificates.held': { everyMs: 2 * second, run: () => serveHeld({ db, clock, held }) },
    revocations: { everyMs: 30 * second, ...atStart, ...inTime, run: () => finishRevocations(revocations) },
    issuance: { everyMs: 10 * second, ...atStart, ...inTime, run: issuanceRunner.takeUp },
    'issuance.sweep': { everyMs: hour, run: work.sweepIssuance },
    'acme.nonces': { everyMs: minute, ...inTime, run: () => purgeNonces({ db, clock }) },
    'acme.orders': { everyMs: hour, ...inTime, run: () => purgeOrders({ db, clock, emit }) },
    'auth.open_mode': { everyMs: minute, run: config.authMode === 'open' ? remind : undefined },
    clock: { everyMs: minute, ...atStart, ...inTime, run: pullBack },
    'clock.compare': { everyMs: 5 * second, run: steady && compareClocks(steady, onJump) },
    renewals: {
      everyMs: config.heartbeatSeconds * second,
      ...atStart,
      ...shared,
      budgetMs: work.renewalBudgetMs,
      check: work.queueCheck,
      run: work.renew,
      againInMs: work.runner.roomInMs,
    },
    'renewals.advice': { everyMs: minute, ...atStart, ...inTime, budgetMs, check: advice, run: advise },
    'renewals.sweep': { everyMs: hour, ...atStart, ...inTime, run: sweepQueue },
    'standings.sweep': { everyMs: hour, ...atStart, run: () => sweepStatuses({ db, clock, logger, emit }) },
    // a person decides by the number of FQDNs of a space whether to delete them
    'spaces.sweep': { everyMs: minute, ...atStart, run: () => sweepSpaceSizes({ db, logger }) },
    targets: { everyMs: minute, ...atStart, ...inTime, ...shared, budgetMs, check: served, run: probe },
    watch: { everyMs: 2 * second, ...inTime, run: watcher?.run },
    'watch.sweep': { everyMs: hour, ...atStart, ...inTime, run: watcher?.sweep, next: 'watch' },
    'watch.canary': { everyMs: 10 * second, ...atStart, ...shared, ...counted, run: canary },
    policies: { everyMs: minute, ...atStart, ...inTime, run: review.run },
    'policies.sweep': { everyMs: hour, run: review.sweep },
    notices: { everyMs: 2 * second, ...inTime, check: jobChecks.notices, run: notices?.send },
    'notices.sweep': { everyMs: hour, ...atStart, ...inTime, ...counted, run: notices?.sweep },
    'notices.full_disk': { everyMs: 2 * second, run: notices?.noticeFullDisk },
  } satisfies Readonly<Record<string, Job>>;
}

type Work = ReturnType<typeof workOf>;

/** Returns the work of the jobs that is more than one call, or that remembers something between rounds. */
function workOf(options: AppOptions, parts: JobParts) {
  const { config, database: db, clock, logger } = options;
  const { stopping, emit, targets, issuanceRunner, renewalOpener: opener } = parts;
  const stop = stopping.signal;
  return {
    ...renewalWork(options, parts),
    ...monitorWork(options, parts),
    advise: ({ count, ...round }: Round) => {
      const ask = () => count(() => askAdvice({ db, clock, logger, opener, emit }));
      return runAdviceJob({ clock, logger, ...round, ask });
    },
    sweepQueue: async () => {
      await readChainEnds({ db, logger, emit });
      await readCertificateKeys({ db, logger });
      await sweepRenewals({ db, clock, logger, emit });
    },
    sweepIssuance: async () => {
      await issuanceRunner.sweep();
      await db.transaction((tx) => deleteOldChallengeTokens(tx, clock.now()));
    },
    probe: ({ heartbeat, count, ...round }: Round) =>
      runProbeJob({ logger, heartbeat, probe: () => count(() => runProbes(targets, { ...round, stop })) }),
    notices: noticeWork(options, parts),
    queueCheck: {
      periodSeconds: config.heartbeatSeconds,
      onAnswer: parts.onAnswer,
      keyTriedMs: keyTriedMs(config.watchAwaySeconds),
    },
  };
}

function renewalWork(options: AppOptions, { stopping, emit, renewalOpener: opener }: JobParts) {
  const { config, database: db, clock, logger, steady } = options;
  const renewalBudgetMs = options.renewals?.budgetMs ?? budgetMs;
  const runner = createRenewalRunner({
    db,
    clock,
    logger,
    opener,
    emit,
    leaseMs: config.renewalLeaseSeconds * second,
    concurrency: 8,
    stopping: stopping.signal,
    atStep: async () => undefined,
    ...options.renewals,
    budgetMs: renewalBudgetMs,
  });
  const elsewhere = createHeartbeatUrls({ urls: config.heartbeatPingUrls, logger });
  const hasMonitor = monitorOf(config) !== undefined;
  return {
    runner,
    elsewhere,
    renewalBudgetMs,
    renew: ({ heartbeat, count }: Round) =>
      runRenewalJob({
        db,
        clock,
        logger,
        heartbeat,
        runQueue: () => count(runner.run),
        onGoodRun: elsewhere.ping,
        findClockFault: () => (steady?.read().isSettled === false ? steady.fault() : undefined),
        ...(hasMonitor && { findTroubles: findWatchTroubles }),
      }),
  };
}

/** Returns the work that keeps the checks of certificates up to date and tests the monitor; undefined without one. */
function monitorWork({ config, database: db, clock, logger }: AppOptions, { notices }: JobParts) {
  const monitor = monitorOf(config);
  if (monitor === undefined) return { watcher: undefined, canary: undefined };
  const { watchesExpiry, canaryApiKey, watchAwaySeconds: awaySeconds } = config;
  const deps = { db, clock, logger, watchesExpiry };
  const step = createCanaryJob({ db, clock, logger, monitor, canaryApiKey, awaySeconds, notices });
  return {
    watcher: {
      ...createWatchRunner({ ...deps, monitor: createMonitorClient(monitor) }),
      sweep: () => sweepWatch(deps),
    },
    canary: ({ count }: Round) => count(step),
  };
}

/** Returns the work that sends notices and finds their subjects; undefined without a destination. */
function noticeWork({ database: db, clock }: AppOptions, { notices }: JobParts) {
  if (notices === undefined) return undefined;
  return {
    send: createNoticeJob({ db, clock, notices }),
    sweep: ({ count }: Round) =>
      count(async () => {
        await noticeExpiring({ db, clock, notices });
        await notices.sweep();
      }),
    noticeFullDisk: notices.noticeFullDisk,
  };
}

export function createJobs(options: AppOptions, parts: JobParts): Jobs {
  const { config, database: db, clock, logger, steady } = options;
  const work = workOf(options, parts);
  const table = jobTable(options, parts, work);
  const heartbeatOf = createJobHeartbeats({ db, clock, logger, monitor: monitorOf(config) });
  const jobs = createRunnableJobs(table, { logger, steady, watchJob: parts.watchJob, heartbeatOf });
  return {
    table,
    run: jobs.run,
    runRenewals: work.runner.run,
    idle: parts.issuanceRunner.idle,
    start: () => {
      void indexAuditTexts({ db, logger });
      jobs.start();
    },
    stop: async () => {
      // the runners first, as a poller waits for its tick and that for what the runner has begun
      await Promise.all([
        parts.issuanceRunner.stop(),
        parts.review.stop(),
        work.runner.stop(),
        work.watcher?.stop(),
      ]);
      await jobs.stop();
      await work.elsewhere.close();
    },
  };
}
