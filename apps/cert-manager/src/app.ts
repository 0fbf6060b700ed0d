import { certManagerContract } from '@certloop/contracts';
import type { Database, Tx } from '@certloop/db';
import {
  bind,
  type Clock,
  createHttpApp,
  createLoginThrottle,
  createPasswords,
  errorHandler,
  type Logger,
  type Poller,
  refuseUnknownPath,
  type ScryptCost,
  startPoller,
} from '@certloop/server';
import type { Express } from 'express';
import { answerHeaders, securityHeaders } from './access/answer.middleware.js';
import { builtInCaller, internalOrigin } from './access/caller.js';
import { describeProblem } from './access/problem.js';
import { deleteOldChallengeTokens } from './acme/acme-accounts.repository.js';
import { answerNothing, http01Responder } from './acme/http01.responder.js';
import { type Pause, pauseUntil } from './acme/order-run.service.js';
import type { OrderMoment } from './acme/order-steps.js';
import { auditHandlers } from './audit/audit.routes.js';
import { createDenials, type Denials } from './audit/denials.service.js';
import { listCertificates } from './certificates/certificates.repository.js';
import { certificatesHandlers } from './certificates/certificates.routes.js';
import type { Config } from './config.js';
import { listKeyFingerprints } from './csrs/csrs.repository.js';
import { csrsHandlers } from './csrs/csrs.routes.js';
import { countFqdnRows } from './fqdns/fqdns.repository.js';
import { fqdnsHandlers } from './fqdns/fqdns.routes.js';
import { issuanceHandlers } from './issuance/issuance.routes.js';
import { createIssuanceRunner, type IssuanceRunner } from './issuance/issuance-runner.service.js';
import { permissionGroupsHandlers } from './permission-groups/permission-groups.routes.js';
import { proveKeyRing } from './providers/encryption.service.js';
import { ensureProviders } from './providers/ensure-providers.service.js';
import { createProviderOpener, type ProviderOpener } from './providers/open-provider.service.js';
import { createOutgoing } from './providers/outgoing.client.js';
import { providersHandlers } from './providers/providers.routes.js';
import { askAdvice } from './renewals/ask-advice.service.js';
import { createHeartbeat, type Heartbeat } from './renewals/heartbeat.client.js';
import { oneAtATime } from './renewals/one-at-a-time.js';
import type { RenewalStep } from './renewals/renew-certificate.service.js';
import { isBeingRenewed } from './renewals/renewals.repository.js';
import { renewalsHandlers } from './renewals/renewals.routes.js';
import { createRenewalRunner } from './renewals/run-due-renewals.service.js';
import { runRenewalJob } from './renewals/run-renewal-job.service.js';
import type { RunReport } from './renewals/run-report.js';
import { createRenewalScheduler, renewAtOf } from './renewals/schedule-renewals.service.js';
import { sweepRenewals } from './renewals/sweep-renewals.service.js';
import { keepSpaces, listSpaceRows } from './spaces/spaces.repository.js';
import { spacesHandlers } from './spaces/spaces.routes.js';
import { systemHandlers } from './system/system.routes.js';
import { apiTokensHandlers } from './users/api-tokens.routes.js';
import { avatarsHandlers } from './users/avatars.routes.js';
import { prepareSetup } from './users/bootstrap.service.js';
import { callerOf } from './users/caller.middleware.js';
import { recordDenials } from './users/denials.middleware.js';
import { guardOpenMode } from './users/open-mode.middleware.js';
import { createSessionCookie } from './users/session-cookie.js';
import { sessionsHandlers } from './users/sessions.routes.js';
import { sweepSessions } from './users/sessions.service.js';
import { createSetupToken } from './users/setup-token.store.js';
import { keepUsers } from './users/users.repository.js';
import { usersHandlers } from './users/users.routes.js';

export interface AppOptions {
  readonly config: Config;
  /** Already migrated. */
  readonly database: Database;
  readonly logger: Logger;
  readonly clock: Clock;
  /** Cost of hashing a password; the usual one when absent. */
  readonly passwordCost?: ScryptCost;
  /** Tells the operator one line, such as the setup token; standard error when absent. */
  readonly announce?: (line: string) => void;
  readonly renewals?: RenewalOptions;
  readonly orders?: OrderOptions;
}

/** How ACME orders are worked on, where it differs from the usual. */
export interface OrderOptions {
  /** Waits for the CA. */
  readonly pause?: Pause;
  /** Milliseconds that a worker may be silent before its job passes to others; 1 minute when absent. */
  readonly leaseMs?: number;
  /** Told of each moment of an order; an error that it throws ends the work as a crash would. */
  readonly atMoment?: (moment: OrderMoment) => Promise<void>;
}

/** How the queue is worked on, where it differs from the usual. */
export interface RenewalOptions {
  /** Milliseconds that a worker may be silent before its entries pass to others; 2 minutes when absent. */
  readonly leaseMs?: number;
  /** Renewals under way at once by one provider; 8 when absent. */
  readonly concurrency?: number;
  /** Milliseconds for which one run begins new work; 30 s when absent. */
  readonly budgetMs?: number;
  /** Told of each step of a renewal; an error that it throws ends the work as a crash would. */
  readonly atStep?: (step: RenewalStep, entry: { readonly id: string }) => Promise<void>;
}

export interface CertManager {
  readonly http: Express;
  /** Answers http-01 challenges and nothing else. */
  readonly challengeHttp: Express;
  /** From here on the service says that it takes no more requests, though it still answers them. */
  drain(): void;
  /** Works on the renewal queue once, or once more after the run under way. */
  runRenewals(): Promise<RunReport>;
  /** Takes up requests that nobody works on any more. */
  takeUpJobs(): Promise<void>;
  /** Begins the recurring work. */
  startPollers(): void;
  /** Ends the recurring work and writes what is still to be written; the database stays open. */
  close(): Promise<void>;
}

/** Builds every part of the service once, and connects them. */
export async function createApp(options: AppOptions): Promise<CertManager> {
  const { config, database: db, logger, clock } = options;
  const keyRing = config.encryptionKeys;
  await proveKeyRing({ db, clock }, keyRing);
  const denials = createDenials({ db, clock, logger });
  const publicOrigin = config.publicUrl === undefined ? undefined : new URL(config.publicUrl).origin;
  const isSecure = publicOrigin?.startsWith('https:') === true;
  const cookie = createSessionCookie(isSecure);
  const isOpen = config.authMode === 'open';
  if (isOpen) warnOfOpenMode(logger);
  const accounts = accountParts(options, denials);
  await prepareSetup(accounts, builtInCaller('cli', internalOrigin('start')));

  const addresses = { 'dummy-ca': config.dummyCaUrl, acme: config.acmeDirectoryUrl };
  await ensureProviders({ db, clock, logger }, addresses);
  const outgoing = createOutgoing({
    trusted: Object.values(addresses).filter((address) => address !== undefined),
  });
  const stopping = new AbortController();
  const opener = createProviderOpener({
    outgoing,
    keyRing,
    clock,
    db,
    logger,
    stopping: stopping.signal,
    pause: pauseUntil(stopping.signal),
    atMoment: async () => undefined,
    ...options.orders,
  });
  const renewals = renewalParts(options, opener);
  const { scheduler } = renewals;
  const { leaseMs = 60_000 } = options.orders ?? {};
  const issuance = createIssuanceRunner({ db, clock, logger, opener, leaseMs, ...scheduler });

  const challengeHttp = createHttpApp({ logger });
  challengeHttp.use(http01Responder({ db }));
  challengeHttp.use(answerNothing);

  let isDraining = false;
  const http = createHttpApp({ logger, trustedProxies: config.trustedProxies });
  http.use(http01Responder({ db }));
  http.use(securityHeaders(isSecure));
  http.use(answerHeaders);
  if (isOpen) http.use(guardOpenMode({ hosts: config.openHosts, publicOrigin }));
  http.use(
    bind(
      certManagerContract,
      {
        ...auditHandlers({ db, clock, logger, denials, mayDelete: config.auditDelete === 'allow' }),
        ...sessionsHandlers({ ...accounts, cookie }),
        ...apiTokensHandlers({ db, clock }),
        ...permissionGroupsHandlers({ db, clock, keepSpaces, keepUsers }),
        ...avatarsHandlers({ db, clock }),
        ...usersHandlers({ ...accounts, listSpaceIds }),
        ...spacesHandlers({ db, clock, countFqdns: countFqdnRows }),
        ...fqdnsHandlers({ db, clock, fingerprintsUnder, ...scheduler }),
        ...csrsHandlers({ db, clock, ...scheduler }),
        ...providersHandlers({ db, clock, outgoing, opener, keyRing, addresses }),
        ...certificatesHandlers({ db }),
        ...issuanceHandlers({ db, clock, opener, runner: issuance, renewAtOf, isBeingRenewed, ...scheduler }),
        ...renewalsHandlers({ db, clock, opener, triggerRun: () => void renewals.job.run() }),
        ...systemHandlers({ db, clock, isDraining: () => isDraining }),
      },
      {
        context: callerOf({ db, clock, cookie, publicOrigin, isOpen }),
        bodyBytes: config.bodyBytes,
        fileBytes: { uploadCsr: config.csrBytes, uploadAvatar: config.avatarBytes },
      },
    ),
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

  const pollers: Poller[] = [];
  return {
    http,
    challengeHttp,
    drain: () => {
      isDraining = true;
    },
    runRenewals: () => renewals.runner.run(),
    takeUpJobs: () => issuance.takeUp(),
    startPollers: () => {
      pollers.push(
        startPoller({ name: 'audit.denials', everyMs: 10_000, tick: () => denials.flush(), logger }),
        startPoller({
          name: 'sessions.sweep',
          everyMs: 600_000,
          tick: () => sweepSessions({ db, clock }),
          logger,
        }),
        ...issuancePollers(options, issuance),
        ...openModeReminder(isOpen, logger),
        ...renewalPollers(options, renewals),
      );
    },
    close: async () => {
      stopping.abort(new Error('the service stops'));
      // the runner first, as a poller waits for its tick and that for what the runner has begun
      await issuance.stop();
      await renewals.runner.stop();
      for (const poller of pollers.reverse()) await poller.stop();
      await renewals.job.idle();
      await denials.flush();
      await outgoing.close();
    },
  };
}

/** What sign-in and accounts need. */
function accountParts({ config, database: db, clock, passwordCost, announce }: AppOptions, denials: Denials) {
  const { bootstrapUsername: username, bootstrapEmail: email, bootstrapPassword: password } = config;
  const isGiven = username !== undefined && email !== undefined && password !== undefined;
  const { passwordMinLength, setupTokenPath } = config;
  return {
    db,
    clock,
    denials,
    passwordMinLength,
    setupTokenPath,
    passwords: createPasswords(passwordCost),
    throttle: createLoginThrottle(clock),
    setupToken: createSetupToken(setupTokenPath, clock),
    givenAdmin: isGiven ? { username, email, password } : undefined,
    announce: announce ?? ((line: string) => void process.stderr.write(`cert-manager: ${line}\n`)),
  };
}

async function listSpaceIds(tx: Tx, scope: 'all' | readonly string[]): Promise<string[]> {
  return (await listSpaceRows(tx, scope)).map(({ id }) => id);
}

/** Says that nobody needs to sign in; said at the start and every minute. */
function warnOfOpenMode(logger: Logger): void {
  logger.warn({ authMode: 'open' }, 'auth.open_mode');
}

function openModeReminder(isOpen: boolean, logger: Logger): Poller[] {
  const tick = async () => warnOfOpenMode(logger);
  return isOpen ? [startPoller({ name: 'auth.open_mode', everyMs: 60_000, tick, logger })] : [];
}

/** Takes up what another process has left, at once and then every period. */
function issuancePollers({ database: db, clock, logger }: AppOptions, runner: IssuanceRunner): Poller[] {
  const takeUp = startPoller({ name: 'issuance', everyMs: 10_000, tick: () => runner.takeUp(), logger });
  takeUp.trigger();
  const tick = async () => {
    await runner.sweep();
    await db.transaction((tx) => deleteOldChallengeTokens(tx, clock.now()));
  };
  return [takeUp, startPoller({ name: 'issuance.sweep', everyMs: 3_600_000, tick, logger })];
}

/** The queue, what keeps it in line, and what works on it. */
function renewalParts(options: AppOptions, opener: ProviderOpener) {
  const { database: db, clock, logger } = options;
  const scheduler = createRenewalScheduler(clock);
  const runner = createRenewalRunner({
    db,
    clock,
    logger,
    opener,
    scheduler,
    leaseMs: 120_000,
    concurrency: 8,
    budgetMs: 30_000,
    atStep: async () => undefined,
    ...options.renewals,
  });
  const heartbeat = heartbeatOf(options);
  const job = oneAtATime(() => runRenewalJob({ db, clock, logger, heartbeat, runQueue: runner.run }));
  return { scheduler, runner, job, opener };
}

/** Tells the monitor of each run of the renewal job; nothing when there is no monitor. */
function heartbeatOf({ config, logger }: AppOptions): Heartbeat | undefined {
  const { checkMonitorUrl: url, checkMonitorApiKey: apiKey, heartbeatSeconds: periodSeconds } = config;
  if (url === undefined || apiKey === undefined) return undefined;
  return createHeartbeat({ monitor: { url, apiKey }, periodSeconds, logger });
}

/** Begins to work on the queue, at once and then every period. */
function renewalPollers(
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

/** What the audit log keeps of what goes with a deleted FQDN. */
async function fingerprintsUnder(tx: Tx, fqdnId: string) {
  const certificates = await listCertificates(tx, fqdnId);
  return {
    csrKeys: await listKeyFingerprints(tx, fqdnId),
    certificates: certificates.slice(-20).map(({ serialNumber }) => serialNumber),
  };
}
