import { certManagerContract } from '@certloop/contracts';
import {
  apiPages,
  bind,
  createHttpApp,
  createJobWatch,
  createMetrics,
  createSessionCookie,
  errorHandler,
  type Metrics,
  metricsPage,
  type Poller,
  refuseUnknownPath,
  webConsole,
} from '@certloop/server';
import type { Express } from 'express';
import { builtInCaller, internalOrigin, nilUuid } from './access/caller.js';
import { accountParts } from './account-parts.service.js';
import { answerNothing, http01Responder } from './acme/http01.responder.js';
import { type ApiParts, apiHandlers } from './api-handlers.service.js';
import type { AppOptions } from './app-options.js';
import { createDenials } from './audit/denials.service.js';
import { indexAuditTexts } from './audit/search/index-audit-texts.service.js';
import type { Config } from './config.js';
import { createNotices } from './events/notices.service.js';
import { answerHeaders, securityHeaders } from './http/answer.middleware.js';
import { answerMs } from './http/answer-times.js';
import { describeProblem } from './http/problem.js';
import { createIssuanceRunner } from './issuance/jobs/issuance-runner.service.js';
import { recoverSigning } from './issuance/signing/recover-signing.service.js';
import { canaryJob, canaryPollers } from './monitor-parts.service.js';
import { createNoticeJob } from './notice-parts.service.js';
import { noticeDestinations } from './notice-settings.js';
import { providerParts } from './provider-parts.service.js';
import { proveKeyRing } from './providers/secrets/encryption.service.js';
import {
  accessPollers,
  issuancePollers,
  noticePollers,
  openModeReminder,
  policyPollers,
  probePollers,
  renewalPollers,
  revocationPoller,
  standingPollers,
  sweepNotices,
  warnOfOpenMode,
  watchPollers,
} from './recurring-work.service.js';
import { renewalParts } from './renewal-parts.service.js';
import type { RunReport } from './renewals/heartbeat/run-report.js';
import { hasRenewalWithOrder } from './renewals/renewals.repository.js';
import { finishRevocations } from './revocations/finish-revocations.service.js';
import { createServiceMetrics } from './system/service-metrics.service.js';
import { targetParts } from './target-parts.service.js';
import { callerOf } from './users/callers/caller.middleware.js';
import { recordDenials } from './users/callers/denials.middleware.js';
import { guardOpenMode } from './users/callers/open-mode.middleware.js';
import { createRequestLimits } from './users/limits/request-limits.store.js';
import { prepareSetup } from './users/setup/bootstrap.service.js';
import { revocationRecorder } from './watch/notices/issuance-events.service.js';

export interface CertManager {
  readonly http: Express;
  /** Answers http-01 challenges and nothing else. */
  readonly challengeHttp: Express;
  /** From here on the service says that it takes no more requests, though it still answers them. */
  drain(): void;
  /** Works on the renewal queue once, or once more after the run under way. */
  runRenewals(): Promise<RunReport>;
  /** Asks CAs once when they want certificates renewed, those whose turn it is. False when there is more to ask. */
  runAdvice(): Promise<boolean>;
  /** Sends the monitor what is new about certificates, and begins to watch what should be watched. */
  runWatch(): Promise<void>;
  /** Reviews the FQDNs of spaces whose policies were changed. */
  reviewPolicies(): Promise<void>;
  /** Sends notices that are due and reports to the monitor; false when some are left. */
  runNotices(): Promise<boolean>;
  /** Finds certificates that expire soon, and deletes old events. */
  sweepNotices(): Promise<void>;
  /** Takes the next step of the canary in the monitor, when it is due. */
  runCanary(): Promise<void>;
  /** Compares how FQDNs stand with what is stored, and mends it. */
  sweepStandings(): Promise<void>;
  /** Probes the targets that are due and reports to the monitor; false when more are due. */
  runProbes(): Promise<boolean>;
  /** Works on the renewal queue once and reports to the monitor, as the poller does. */
  runRenewalJob(): Promise<boolean>;
  /** Takes up requests that no one works on any more. */
  takeUpJobs(): Promise<void>;
  /** Completes revocations whose caller got no answer. */
  finishRevocations(): Promise<void>;
  /** Takes over calls of csr/sign whose process died, and stores what their CAs issued. */
  recoverSigning(): Promise<void>;
  /** Begins the recurring work. */
  startPollers(): void;
  /** Ends the recurring work and writes what is still to be written; the database stays open. */
  close(): Promise<void>;
}

/** Builds every part of the service once, and connects them. */
export async function createApp(options: AppOptions): Promise<CertManager> {
  const { config, database: db, logger, clock } = options;
  await proveKeyRing({ db, clock }, config.encryptionKeys);
  const metrics = options.metrics ?? createMetrics({ logger });
  const watch = createServiceMetrics(metrics, { db, clock });
  const denials = watch.watchDenials(createDenials({ db, clock, logger }));
  const cookie = createSessionCookie({ plainName: 'cm_session', isSecure: isSecure(config) });
  const isOpen = config.authMode === 'open';
  if (isOpen) warnOfOpenMode(logger);
  const accounts = accountParts(options, denials, watch.onThrottled);
  await prepareSetup(accounts, builtInCaller('cli', internalOrigin('start')));

  const stopping = new AbortController();
  const { addresses, outgoing, opener, renewalOpener } = await providerParts(options, watch, stopping.signal);
  const watchJob = createJobWatch(metrics, clock);
  const source = config.publicUrl ?? 'urn:certloop:cert-manager';
  const notices = createNotices({
    db,
    clock,
    logger,
    source,
    stop: stopping.signal,
    ...noticeDestinations(config),
  });
  await notices?.open();
  const renewals = renewalParts({ ...options, watchJob }, renewalOpener, notices);
  const noticeJob = notices && createNoticeJob({ ...options, watchJob }, notices);
  const canary = canaryJob({ ...options, watchJob }, notices);
  const { scheduler, review } = renewals;
  const targets = targetParts(
    { ...options, watchJob, onInService: watch.onInService, notices, stop: stopping.signal },
    renewals,
  );
  const revocations = {
    db,
    clock,
    logger,
    opener,
    ...scheduler,
    recordRevocation: revocationRecorder(notices),
  };
  const { leaseMs = 60_000 } = options.orders ?? {};
  const issuance = createIssuanceRunner({
    db,
    clock,
    logger,
    opener,
    leaseMs,
    ...scheduler,
    isOrderOfRenewal: (tx, url) => hasRenewalWithOrder(tx, url, nilUuid),
  });

  const takeOverSigning = () => recoverSigning({ db, clock, logger, opener, pauseMs: leaseMs, ...scheduler });

  const challengeHttp = createHttpApp({ logger });
  challengeHttp.use(http01Responder({ db }));
  challengeHttp.use(answerNothing);

  let isDraining = false;
  const http = createApi(options, {
    accounts,
    cookie,
    denials,
    opener,
    outgoing,
    addresses,
    renewals,
    revocations,
    metrics,
    targets,
    runner: issuance,
    isDraining: () => isDraining,
  });

  const pollers: Poller[] = [];
  return {
    http,
    challengeHttp,
    drain: () => {
      isDraining = true;
    },
    runRenewals: () => renewals.runner.run(),
    runAdvice: () => renewals.advise(),
    runWatch: async () => {
      await renewals.watcher?.sweep();
      await renewals.watcher?.run();
    },
    reviewPolicies: () => review.run(),
    runNotices: async () => (await noticeJob?.()) ?? true,
    sweepNotices: () => sweepNotices(options, notices),
    runCanary: async () => canary?.run(),
    sweepStandings: () => renewals.sweepStandings(),
    runProbes: () => targets.job.run(),
    runRenewalJob: () => renewals.job.run(),
    takeUpJobs: () => issuance.takeUp(),
    finishRevocations: () => finishRevocations(revocations),
    recoverSigning: takeOverSigning,
    startPollers: () => {
      void indexAuditTexts({ db, logger });
      pollers.push(
        ...accessPollers(options, denials),
        revocationPoller(revocations),
        ...issuancePollers(options, issuance, takeOverSigning),
        ...openModeReminder(isOpen, logger),
        ...renewalPollers(options, renewals),
        ...standingPollers(options, renewals),
        ...probePollers(options, targets),
        ...watchPollers(options, renewals),
        ...canaryPollers(options, canary),
        ...policyPollers(options, review),
        ...noticePollers({ ...options, watchJob }, notices, noticeJob),
      );
    },
    close: async () => {
      stopping.abort(new Error('the service stops'));
      // the runner first, as a poller waits for its tick and that for what the runner has begun
      await issuance.stop();
      await review.stop();
      await renewals.runner.stop();
      await renewals.watcher?.stop();
      for (const poller of pollers.reverse()) await poller.stop();
      await targets.job.idle();
      await renewals.job.idle();
      await denials.flush();
      await outgoing.close();
      await renewals.close();
      await notices?.close();
    },
  };
}

/** Answers every request to the service's own port. */
function createApi(options: AppOptions, parts: ApiParts & { readonly metrics: Metrics }): Express {
  const { config, database: db, logger, clock } = options;
  const { metrics, denials, cookie } = parts;
  const publicOrigin = originOf(config);
  const isOpen = config.authMode === 'open';
  const limits = createRequestLimits(clock, {
    perPrincipal: config.requestsPerMinute,
    perSpace: config.spaceRequestsPerMinute,
  });
  const http = createHttpApp({ logger, trustedProxies: config.trustedProxies, metrics });
  http.use(http01Responder({ db }));
  http.use(securityHeaders(isSecure(config)));
  http.use(answerHeaders);
  http.use(metricsPage(metrics, config));
  if (isOpen) http.use(guardOpenMode({ hosts: config.openHosts, publicOrigin }));
  http.use(apiPages({ title: 'Certificate management service' }));
  const { consoleFolder: folder } = options;
  if (folder !== undefined) http.use(webConsole({ folder, publicUrl: config.publicUrl }));
  http.use(
    bind(certManagerContract, apiHandlers(options, parts), {
      context: callerOf({ db, clock, logger, cookie, publicOrigin, isOpen, limits }),
      answerMs,
      bodyBytes: config.bodyBytes,
      fileBytes: { uploadCsr: config.csrBytes, uploadAvatar: config.avatarBytes },
    }),
  );
  http.use(refuseUnknownPath);
  http.use(recordDenials(denials));
  http.use(
    errorHandler({
      logger,
      describe: (refusal, { path }, requestId) => ({
        contentType: 'application/problem+json',
        body: describeProblem(refusal, path, requestId),
      }),
    }),
  );
  return http;
}

function originOf({ publicUrl }: Config): string | undefined {
  return publicUrl === undefined ? undefined : new URL(publicUrl).origin;
}

function isSecure(config: Config): boolean {
  return originOf(config)?.startsWith('https:') === true;
}
