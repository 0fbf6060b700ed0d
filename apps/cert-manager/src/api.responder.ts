import { acmeMount } from '@certloop/acme-server/rules';
import { certManagerContract, type Handlers } from '@certloop/contracts';
import {
  apiPages,
  bind,
  createHttpApp,
  errorHandler,
  type Metrics,
  metricsPage,
  refuseUnknownPath,
  type SessionCookie,
  webConsole,
} from '@certloop/server';
import type { Express } from 'express';
import type { Caller } from './access/caller.js';
import { answerNothing, http01Responder } from './acme/http01.responder.js';
import type { AppOptions } from './app-options.js';
import type { Denials } from './audit/denials.service.js';
import { frontRouter } from './front/front.routes.js';
import type { FrontDeps } from './front/front-deps.service.js';
import { acmeBaseOf } from './http/acme-base.js';
import { answerHeaders, securityHeaders } from './http/answer.middleware.js';
import { answerMs } from './http/answer-times.js';
import { compressedAnswers } from './http/compressed-answers.js';
import { describeProblem } from './http/problem.js';
import { isSecure, publicOriginOf } from './http/public-origin.js';
import { callerOf } from './users/callers/caller.middleware.js';
import { recordDenials } from './users/callers/denials.middleware.js';
import { guardOpenMode } from './users/callers/open-mode.middleware.js';
import { createRequestLimits } from './users/limits/request-limits.store.js';

/** Answers http-01 challenges and nothing else. */
export function createChallengeApi({ database: db, logger }: AppOptions): Express {
  const http = createHttpApp({ logger });
  http.use(http01Responder({ db }));
  http.use(answerNothing);
  return http;
}

export interface ApiNeeds {
  readonly metrics: Metrics;
  readonly denials: Denials;
  /** Called for X-Forwarded-For of a peer that is no trusted proxy. */
  readonly onUntrustedProxy: () => void;
  readonly cookies: { readonly cookie: SessionCookie; readonly deviceCookie: SessionCookie };
  readonly front: FrontDeps;
  readonly handlers: Handlers<typeof certManagerContract, Caller>;
}

/** Answers every request to the service's own port. */
export function createApi(options: AppOptions, needs: ApiNeeds): Express {
  const { config, database: db, logger, clock, consoleFolder: folder } = options;
  const { metrics, denials, onUntrustedProxy, cookies, front, handlers } = needs;
  const publicOrigin = publicOriginOf(config);
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
  http.use(
    acmeMount,
    frontRouter(front, (request) => acmeBaseOf(config, request)),
  );
  http.use(apiPages({ title: 'Certificate management service' }));
  if (folder !== undefined) http.use(webConsole({ folder, publicUrl: config.publicUrl }));
  http.use(
    bind(certManagerContract, handlers, {
      context: callerOf({ db, clock, logger, ...cookies, publicOrigin, isOpen, limits }),
      answerMs: options.answerMs ?? answerMs,
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
