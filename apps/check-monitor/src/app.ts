import type { RequestListener } from 'node:http';
import {
  accountBasePath,
  accountContract,
  checkMonitorContract,
  checkMonitorOpenApi,
  earlierCheckMonitorContract,
  probesContract,
} from '@certloop/contracts';
import type { Database } from '@certloop/db';
import {
  apiPages,
  bind,
  createDeviceCookie,
  createHttpApp,
  createLoginThrottle,
  createMetrics,
  createPasswords,
  createSessionCookie,
  errorHandler,
  metricsPage,
  noteRoute,
  refuseUnknownPath,
  watchHandler,
  webConsole,
} from '@certloop/server';
import type { Express, NextFunction, Request, Response } from 'express';
import { accountCallerOf } from './accounts/account.middleware.js';
import { accountHandlers } from './accounts/account.routes.js';
import { compressedAnswers } from './accounts/compressed-answers.js';
import { createCheckSummaries } from './accounts/console/check-summaries.store.js';
import { createLastFlips } from './accounts/console/history/last-flips.store.js';
import { createRunsStore } from './accounts/console/history/recent-runs.store.js';
import { projectCallerOf, requireApiPath } from './accounts/project-caller.middleware.js';
import { createUserLimit } from './accounts/user-limit.service.js';
import { deliverFlips } from './alerts/deliver-flips.service.js';
import { createDispatcher, type Dispatcher } from './alerts/dispatch.service.js';
import { markOverdue } from './alerts/mark-overdue.service.js';
import { createFullDiskNotice } from './alerts/notice-full-disk.service.js';
import { createOthersSummary } from './alerts/other-checks.repository.js';
import type { AppOptions } from './app-options.js';
import { badgeRouter, badgesHandlers } from './badges/badges.routes.js';
import { readAlertReach } from './channels/alert-reach.service.js';
import { channelsHandlers } from './channels/channels.routes.js';
import { checksHandlers, earlierFlipsHandlers, flipsHandlers } from './checks/checks.routes.js';
import { cloakedRouter } from './cloaked/cloaked.routes.js';
import { pageLinksRouter } from './cloaked/page-links.routes.js';
import { pullBackStored } from './clock/pull-back-moments.service.js';
import { wholeMs } from './instants.js';
import { prometheusRouter, reportCounters } from './metrics/metrics.routes.js';
import { probesHandlers } from './metrics/probes.routes.js';
import { createServiceMetrics, type ServiceMetrics } from './metrics/service-metrics.service.js';
import { consentRouter } from './notifications/consent.routes.js';
import { deliveryReportsRouter } from './notifications/delivery-reports.routes.js';
import { channelTestHandlers } from './notifications/test-channel.routes.js';
import { parseRange } from './pings/client-address.js';
import { createPingResponder, pingPrefix } from './pings/intake/ping-requests.responder.js';
import { createPingIntake, type PingIntake } from './pings/intake/receive-ping.service.js';
import { pingsHandlers } from './pings/pings.routes.js';
import { callerOf, maxBodyBytes } from './projects/api-key.middleware.js';
import { type ApiVersion, apiVersions } from './projects/caller.js';
import { closeUnknown, openToOrigins } from './projects/cross-origin.middleware.js';
import { ownKeyHandlers } from './projects/own-key.routes.js';
import { plainUrl } from './projects/plain-path.js';
import { createSharedParts, type SharedParts } from './shared-parts.service.js';

export interface App {
  /** Answers every request of the service. */
  readonly handler: RequestListener;
  /** Accepts pings that do not arrive by HTTP. */
  readonly intake: PingIntake;
  /** One round of the alert loop: marks overdue checks as down, and turns waiting flips into messages. */
  readonly tick: () => Promise<void>;
  /** Corrects moments that a wrong clock stored. */
  readonly pullBack: () => Promise<void>;
  /** Sends one notice if the disk is full, so that no alert can be stored. */
  readonly noticeFullDisk: () => Promise<void>;
  /** Makes readiness probes fail, so that no more requests are sent. */
  readonly drain: () => void;
  /** Delivers waiting messages. */
  readonly dispatcher: Dispatcher;
}

/** Builds the service once. */
export function createApp(options: AppOptions): App {
  const { database: db, clock, logger } = options;
  const watch = options.watch ?? createServiceMetrics(createMetrics({ logger }), { db, clock });
  const deps = createSharedParts(options, watch);
  let isDraining = false;
  const api = createApi(options, { deps, watch, isDraining: () => isDraining });
  const intake = watch.watchIntake(createPingIntake(deps));
  const answerPing = createPingResponder({
    ...deps,
    intake,
    trustedProxies: deps.trustedProxies.map(parseRange),
  });
  return {
    intake,
    handler: answerAll(api, answerPing),
    tick: () => watch.watchJob('alerts', () => markOverdue(deps, () => deliverFlips(deps))),
    pullBack: () => pullBackStored(deps),
    noticeFullDisk: createFullDiskNotice(deps),
    drain: () => {
      isDraining = true;
    },
    dispatcher: createDispatcher({ ...deps, summariseOthers: createOthersSummary(clock) }),
  };
}

interface ApiParts {
  readonly deps: SharedParts;
  readonly watch: ServiceMetrics;
  readonly isDraining: () => boolean;
}

/** Answers every request but pings. */
function createApi(options: AppOptions, { deps, watch, isDraining }: ApiParts): Express {
  const { config, logger, consoleFolder: folder } = options;
  const { metricsToken, metricsOpen = false } = config;
  const { metrics, onUntrustedProxy } = watch;
  const app = createHttpApp({ logger, trustedProxies: config.trustedProxies, onUntrustedProxy, metrics });
  // ping bodies are returned unchanged, so browsers must not interpret them as pages
  app.use(always('X-Content-Type-Options', 'nosniff'));
  // browsers use only https for this host from now on; they ignore the header in a response by http
  if (config.addresses.siteRoot.startsWith('https:'))
    app.use(always('Strict-Transport-Security', 'max-age=31536000'));
  // responses are for one user or holder of a key only
  app.use('/api', always('Cache-Control', 'no-store'));
  for (const version of apiVersions) mountApi(app, deps, version);
  mountAccount(app, deps);
  app.use(badgeRouter(deps));
  app.use(consentRouter(deps));
  app.use(cloakedRouter(deps));
  if (deps.consolePath !== undefined) app.use(pageLinksRouter(deps.consolePath));
  if (config.prometheusEnabled !== false) app.use(prometheusRouter(deps));
  app.use(metricsPage(watch.metrics, { metricsToken, metricsOpen }));
  app.use(apiPages({ title: 'Check-monitoring service', document: checkMonitorOpenApi }));
  const probes = probesHandlers({ ...deps, isDraining });
  app.use(bind(probesContract, probes, { context: () => undefined, bodyBytes: 0 }));
  if (folder !== undefined) app.use(webConsole({ folder, publicUrl: config.addresses.siteRoot }));
  app.use(refuseUnknownPath);
  app.use(
    errorHandler({
      logger,
      describe: ({ message }) => ({ contentType: 'application/json', body: { error: message } }),
    }),
  );
  return app;
}

/** Pings are answered on Node's own HTTP, everything else by `api`. */
function answerAll(api: Express, answerPing: RequestListener): RequestListener {
  const answerTraced = watchHandler(answerPing, { route: pingPrefix });
  return (request, response) => {
    if (request.url?.startsWith(pingPrefix) !== true) request.url = plainUrl(request.url ?? '');
    if (!request.url.startsWith(pingPrefix)) return api(request, response);
    // most pings have no trace, and are too many to start one for each
    const answer = request.headers['traceparent'] === undefined ? answerPing : answerTraced;
    return answer(request, response);
  };
}

/** Mounts the API of the console. It accepts the cookie of a session, so it rejects other origins. */
function mountAccount(app: Express, deps: SharedParts): void {
  const isSecure = deps.addresses.siteRoot.startsWith('https:');
  const account = {
    ...deps,
    cookie: createSessionCookie({ plainName: 'monitor_session', isSecure }),
    deviceCookie: createDeviceCookie({ plainName: 'monitor_device', isSecure }),
    throttle: createLoginThrottle({ now: () => new Date(wholeMs(deps.clock.now())) }, deps.onThrottled),
    passwords: deps.passwords ?? createPasswords(),
    addressProbes: createUserLimit(deps.clock, addressProbes),
    trialLimit: createUserLimit(deps.clock, trials),
    summaries: createCheckSummaries(deps),
    lastFlips: createLastFlips(deps),
    recentRuns: createRunsStore(),
  };
  // no headers for other origins here: the cookie of a session counts
  const projectApi = bind(
    checkMonitorContract,
    { ...apiHandlers(deps), ...flipsHandlers(deps) },
    { context: projectCallerOf(account), bodyBytes: maxBodyBytes },
  );
  app.use(`${accountBasePath}/projects/:projectId/v3`, requireApiPath, projectApi);
  const bounds = { bodyBytes: maxAccountBodyBytes, compressed: compressedAnswers };
  const options = { context: accountCallerOf(account), ...bounds };
  app.use(accountBasePath, bind(accountContract, accountHandlers(account), options));
}

const maxAccountBodyBytes = 262_144;
const addressProbes = { max: 20, seconds: 3600, reason: 'too many unknown addresses' };
const trials = { max: 10, seconds: 60, reason: 'too many test messages' };

function mountApi(app: Express, deps: SharedParts, version: ApiVersion): void {
  const base = `/api/v${version}`;
  const options = { context: callerOf(deps, version), bodyBytes: maxBodyBytes };
  const handlers = apiHandlers(deps);
  const routes =
    version === 3
      ? bind(checkMonitorContract, { ...handlers, ...flipsHandlers(deps) }, options)
      : bind(earlierCheckMonitorContract, { ...handlers, ...earlierFlipsHandlers(deps) }, options);
  app.all(`${base}/status`, reportStatus(deps.db));
  app.all(`${base}/metrics`, reportCounters(deps));
  app.use(base, deliveryReportsRouter(deps));
  app.use(base, openToOrigins, routes, closeUnknown);
}

/** Operations that every version of the management API has. */
function apiHandlers(deps: SharedParts) {
  return {
    ...checksHandlers(deps),
    ...pingsHandlers(deps),
    ...channelsHandlers(deps),
    ...channelTestHandlers(deps),
    ...badgesHandlers(deps),
    ...ownKeyHandlers({
      ...deps,
      readReach: async (id, tag) => (await readAlertReach(deps, [id], tag)).get(id),
    }),
  };
}

/** `OK` while the database answers; without a key, for anyone who watches this service. */
function reportStatus(db: Database) {
  return async (_request: Request, response: Response): Promise<void> => {
    noteRoute(response, '/status/');
    await db.ping();
    response.type('html').send('OK');
  };
}

/** Sets a header of every response. */
function always(name: string, value: string) {
  return (_request: Request, response: Response, next: NextFunction): void => {
    response.setHeader(name, value);
    next();
  };
}
