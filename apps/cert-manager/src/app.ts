import { certManagerContract } from '@certloop/contracts';
import {
  apiPages,
  bind,
  createDeviceCookie,
  createHttpApp,
  createSessionCookie,
  errorHandler,
  metricsPage,
  type Poller,
  refuseUnknownPath,
  webConsole,
} from '@certloop/server';
import type { Express } from 'express';
import { answerNothing, http01Responder } from './acme/http01.responder.js';
import { apiHandlers } from './api-handlers.service.js';
import type { AppOptions } from './app-options.js';
import type { Config } from './config.js';
import { answerHeaders, securityHeaders } from './http/answer.middleware.js';
import { answerMs } from './http/answer-times.js';
import { compressedAnswers } from './http/compressed-answers.js';
import { describeProblem } from './http/problem.js';
import { sweepNotices } from './recurring-work.service.js';
import type { RunReport } from './renewals/heartbeat/run-report.js';
import { finishRevocations } from './revocations/finish-revocations.service.js';
import { closeParts, type ServiceParts, serviceParts, startPollers } from './service-parts.service.js';
import { sweepSpaceSizes } from './spaces/sweep-space-sizes.service.js';
import { callerOf } from './users/callers/caller.middleware.js';
import { recordDenials } from './users/callers/denials.middleware.js';
import { guardOpenMode } from './users/callers/open-mode.middleware.js';
import { createRequestLimits } from './users/limits/request-limits.store.js';

export interface CertManager {
  readonly http: Express;
  /** Answers http-01 challenges and nothing else. */
  readonly challengeHttp: Express;
  /** Makes readiness probes fail, so that no more requests are sent; those that arrive are still processed. */
  drain(): void;
  /** Works on the renewal queue once, or once more after the run under way. */
  runRenewals(): Promise<RunReport>;
  /** Asks CAs once for the renewal windows of the certificates that are due; false when more are due. */
  runAdvice(): Promise<boolean>;
  /** Finds FQDNs whose check is missing, and brings the checks in the monitor up to date. */
  runWatch(): Promise<void>;
  /** Reviews the FQDNs of spaces whose policies were changed. */
  reviewPolicies(): Promise<void>;
  /** Sends notices that are due and reports to the monitor; false when some are left. */
  runNotices(): Promise<boolean>;
  /** Finds certificates that expire soon, and deletes old events. */
  sweepNotices(): Promise<void>;
  /** Takes the next step of the canary in the monitor, when it is due. */
  runCanary(): Promise<void>;
  /** Compares the stored states of FQDNs with the facts, and corrects them. */
  sweepStandings(): Promise<void>;
  /** Reads when the chains of certificates that an earlier version stored end. */
  readChainEnds(): Promise<void>;
  /** Compares the stored numbers of FQDNs of spaces with the facts, and corrects them. */
  sweepSpaceSizes(): Promise<void>;
  /** Probes the targets that are due and reports to the monitor; false when more are due. */
  runProbes(): Promise<boolean>;
  /** Works on the renewal queue once and reports to the monitor, as the poller does. */
  runRenewalJob(): Promise<boolean>;
  /** Continues requests that no process works on. */
  takeUpJobs(): Promise<void>;
  /** Completes revocations whose caller got no answer. */
  finishRevocations(): Promise<void>;
  /** Takes over calls of csr/sign whose process died, and stores what their CAs issued. */
  recoverSigning(): Promise<void>;
  /** Corrects moments that a wrong clock stored, those of planned renewals too. */
  pullBack(): Promise<void>;
  /** Begins the recurring work. */
  startPollers(): void;
  /** Ends the recurring work and writes pending data; the database stays open. */
  close(): Promise<void>;
}

/** Builds every part of the service once, and connects them. */
export async function createApp(options: AppOptions): Promise<CertManager> {
  const parts = await serviceParts(options);
  const { renewals, targets, issuance } = parts;
  let isDraining = false;
  const pollers: Poller[] = [];
  return {
    http: createApi(options, parts, () => isDraining),
    challengeHttp: createChallengeApi(options),
    drain: () => {
      isDraining = true;
    },
    runRenewals: () => renewals.runner.run(),
    runAdvice: () => renewals.advise(),
    runWatch: async () => {
      await renewals.watcher?.sweep();
      await renewals.watcher?.run();
    },
    reviewPolicies: () => renewals.review.run(),
    runNotices: async () => (await parts.noticeJob?.()) ?? true,
    sweepNotices: () => sweepNotices(options, parts.notices),
    runCanary: async () => parts.canary?.run(),
    sweepStandings: () => renewals.sweepStandings(),
    readChainEnds: () => renewals.readChainEnds(),
    sweepSpaceSizes: () => sweepSpaceSizes({ db: options.database, logger: options.logger }),
    runProbes: () => targets.job.run(),
    runRenewalJob: () => renewals.job.run(),
    takeUpJobs: () => issuance.runner.takeUp(),
    finishRevocations: () => finishRevocations(issuance.revocations),
    recoverSigning: issuance.recoverSigning,
    pullBack: async () => {
      await parts.pullBack();
      await renewals.sweepQueue();
    },
    startPollers: () => void pollers.push(...startPollers(options, parts)),
    close: () => closeParts(parts, pollers),
  };
}

/** Answers http-01 challenges and nothing else. */
function createChallengeApi({ database: db, logger }: AppOptions): Express {
  const http = createHttpApp({ logger });
  http.use(http01Responder({ db }));
  http.use(answerNothing);
  return http;
}

/** Answers every request to the service's own port. */
function createApi(options: AppOptions, parts: ServiceParts, isDraining: () => boolean): Express {
  const { config, database: db, logger, clock } = options;
  const { metrics, denials, onUntrustedProxy } = parts;
  const cookies = {
    cookie: createSessionCookie({ plainName: 'cm_session', isSecure: isSecure(config) }),
    deviceCookie: createDeviceCookie({ plainName: 'cm_device', isSecure: isSecure(config) }),
  };
  const publicOrigin = originOf(config);
  const isOpen = config.authMode === 'open';
  const limits = createRequestLimits(clock, {
    perPrincipal: config.requestsPerMinute,
    perSpace: config.spaceRequestsPerMinute,
  });
  const { trustedProxies } = config;
  const http = createHttpApp({ logger, trustedProxies, onUntrustedProxy, metrics });
  http.use(http01Responder({ db }));
  http.use(securityHeaders(isSecure(config)));
  http.use(answerHeaders);
  http.use(metricsPage(metrics, config));
  if (isOpen) http.use(guardOpenMode({ hosts: config.openHosts, publicOrigin }));
  http.use(apiPages({ title: 'Certificate management service' }));
  const { consoleFolder: folder } = options;
  if (folder !== undefined) http.use(webConsole({ folder, publicUrl: config.publicUrl }));
  http.use(
    bind(certManagerContract, apiHandlers(options, { ...parts, ...cookies, isDraining }), {
      context: callerOf({ db, clock, logger, ...cookies, publicOrigin, isOpen, limits }),
      answerMs,
      compressed: compressedAnswers,
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
