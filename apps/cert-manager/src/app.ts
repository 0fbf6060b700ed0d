import { certManagerContract } from '@certloop/contracts';
import type { Tx } from '@certloop/db';
import {
  apiPages,
  bind,
  createHttpApp,
  createJobWatch,
  createLoginThrottle,
  createMetrics,
  createPasswords,
  createSessionCookie,
  createTurns,
  errorHandler,
  metricsPage,
  type Poller,
  refuseUnknownPath,
  startPoller,
} from '@certloop/server';
import type { Express } from 'express';
import { answerHeaders, securityHeaders } from './access/answer.middleware.js';
import { answerMs } from './access/answer-times.js';
import { builtInCaller, internalOrigin, nilUuid } from './access/caller.js';
import { describeProblem } from './access/problem.js';
import { createRequestLimits } from './access/request-limits.store.js';
import { answerNothing, http01Responder } from './acme/http01.responder.js';
import { pauseUntil } from './acme/order-run.service.js';
import type { AppOptions } from './app-options.js';
import { auditHandlers } from './audit/audit.routes.js';
import { createAuditCounts } from './audit/audit-counts.store.js';
import { createDenials, type Denials } from './audit/denials.service.js';
import { indexAuditTexts } from './audit/index-audit-texts.service.js';
import { createRunningExports } from './audit/running-exports.store.js';
import { listLastCertificates } from './certificates/certificate-list.repository.js';
import { certificatesHandlers } from './certificates/certificates.routes.js';
import { listKeyFingerprints } from './csrs/csrs.repository.js';
import { csrsHandlers } from './csrs/csrs.routes.js';
import { createNotices } from './events/notices.service.js';
import { countFqdnRows } from './fqdns/fqdns.repository.js';
import { fqdnsHandlers } from './fqdns/fqdns.routes.js';
import { challengeSetupHandlers } from './issuance/challenge-setup.routes.js';
import { issuanceHandlers } from './issuance/issuance.routes.js';
import { createIssuanceRunner } from './issuance/issuance-runner.service.js';
import { recoverSigning } from './issuance/recover-signing.service.js';
import { createSignPlaces } from './issuance/sign-places.store.js';
import { ownAddress } from './issuance/web-server-lines.js';
import { noticeDestinations } from './notice-settings.js';
import { permissionGroupsHandlers } from './permission-groups/permission-groups.routes.js';
import { issuancePolicyHandlers } from './policies/issuance-policy.routes.js';
import { proveKeyRing } from './providers/encryption.service.js';
import { ensureProviders } from './providers/ensure-providers.service.js';
import { createProviderOpener } from './providers/open-provider.service.js';
import { createOutgoing } from './providers/outgoing.client.js';
import { providersHandlers } from './providers/providers.routes.js';
import {
  issuancePollers,
  noticePollers,
  openModeReminder,
  policyPollers,
  renewalParts,
  renewalPollers,
  revocationPoller,
  sweepNotices,
  warnOfOpenMode,
  watchPollers,
} from './recurring-work.service.js';
import { hasRenewalWithOrder, isBeingRenewed } from './renewals/renewals.repository.js';
import { renewalsHandlers } from './renewals/renewals.routes.js';
import type { RunReport } from './renewals/run-report.js';
import { renewAtOf } from './renewals/schedule-renewals.service.js';
import { finishRevocations } from './revocations/finish-revocations.service.js';
import { revocationsHandlers } from './revocations/revocations.routes.js';
import { keepSpaces, listSpaceRows } from './spaces/spaces.repository.js';
import { spacesHandlers } from './spaces/spaces.routes.js';
import { listProviderUses } from './system/provider-uses.service.js';
import { createServiceMetrics } from './system/service-metrics.service.js';
import { systemHandlers } from './system/system.routes.js';
import { apiTokensHandlers } from './users/api-tokens.routes.js';
import { avatarsHandlers } from './users/avatars.routes.js';
import { prepareSetup } from './users/bootstrap.service.js';
import { callerOf } from './users/caller.middleware.js';
import { recordDenials } from './users/denials.middleware.js';
import { guardOpenMode } from './users/open-mode.middleware.js';
import { sessionsHandlers } from './users/sessions.routes.js';
import { sweepSessions } from './users/sessions.service.js';
import { createSetupToken } from './users/setup-token.store.js';
import { keepUsers } from './users/users.repository.js';
import { usersHandlers } from './users/users.routes.js';
import { sweepWatch } from './watch/sweep-watch.service.js';

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
  /** Tells the monitor what it does not know yet of certificates, and begins to watch what should be watched. */
  runWatch(): Promise<void>;
  /** Reviews the FQDNs of spaces whose policies were changed. */
  reviewPolicies(): Promise<void>;
  /** Sends notices that are due; false when some are left. */
  runNotices(): Promise<boolean>;
  /** Finds certificates that expire soon, and deletes old events. */
  sweepNotices(): Promise<void>;
  /** Works on the renewal queue once and reports to the monitor, as the poller does. */
  runRenewalJob(): Promise<boolean>;
  /** Takes up requests that nobody works on any more. */
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
  const keyRing = config.encryptionKeys;
  await proveKeyRing({ db, clock }, keyRing);
  const metrics = options.metrics ?? createMetrics({ logger });
  const watch = createServiceMetrics(metrics, { db, clock });
  const denials = watch.watchDenials(createDenials({ db, clock, logger }));
  const publicOrigin = config.publicUrl === undefined ? undefined : new URL(config.publicUrl).origin;
  const isSecure = publicOrigin?.startsWith('https:') === true;
  const cookie = createSessionCookie({ plainName: 'cm_session', isSecure });
  const isOpen = config.authMode === 'open';
  if (isOpen) warnOfOpenMode(logger);
  const accounts = accountParts(options, denials, watch.onThrottled);
  await prepareSetup(accounts, builtInCaller('cli', internalOrigin('start')));

  const addresses = { 'dummy-ca': config.dummyCaUrl, acme: config.acmeDirectoryUrl };
  await ensureProviders({ db, clock, logger }, addresses);
  const outgoing = createOutgoing({
    trusted: Object.values(addresses).filter((address) => address !== undefined),
    onRefused: watch.onRefusedCall,
  });
  const stopping = new AbortController();
  const unwatched = createProviderOpener({
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
  const opener = watch.watchOpener(unwatched, 'issuance');
  const watchJob = createJobWatch(metrics, clock);
  const source = config.publicUrl ?? 'urn:certloop:cert-manager';
  const notices = createNotices({
    ...{ db, clock, logger, source, stop: stopping.signal },
    ...noticeDestinations(config),
  });
  const renewals = renewalParts({ ...options, watchJob }, watch.watchOpener(unwatched, 'renewal'), notices);
  const { scheduler, review } = renewals;
  const beginReview = () => {
    review.run().catch((error: unknown) => logger.error({ error }, 'policy.review_failed'));
  };
  const revocations = { db, clock, logger, opener, ...scheduler };
  const limits = createRequestLimits(clock, {
    perPrincipal: config.requestsPerMinute,
    perSpace: config.spaceRequestsPerMinute,
  });
  const { leaseMs = 60_000 } = options.orders ?? {};
  const issuance = createIssuanceRunner({
    ...{ db, clock, logger, opener, leaseMs, ...scheduler },
    isOrderOfRenewal: (tx, url) => hasRenewalWithOrder(tx, url, nilUuid),
  });

  const takeOverSigning = () =>
    recoverSigning({ ...{ db, clock, logger, opener, pauseMs: leaseMs }, ...scheduler });

  const challengeHttp = createHttpApp({ logger });
  challengeHttp.use(http01Responder({ db }));
  challengeHttp.use(answerNothing);

  let isDraining = false;
  const http = createHttpApp({ logger, trustedProxies: config.trustedProxies, metrics });
  http.use(http01Responder({ db }));
  http.use(securityHeaders(isSecure));
  http.use(answerHeaders);
  http.use(metricsPage(metrics, config));
  if (isOpen) http.use(guardOpenMode({ hosts: config.openHosts, publicOrigin }));
  http.use(apiPages({ title: 'Certificate management service' }));
  http.use(
    bind(
      certManagerContract,
      {
        ...auditHandlers({
          db,
          clock,
          logger,
          denials,
          counts: createAuditCounts(db.dialect),
          // so that some of the database's readers are left for others
          searchTurns: createTurns({ atOnce: 2, mostWaiting: 50 }),
          exports: createRunningExports(),
          mayDelete: config.auditDelete === 'allow',
        }),
        ...sessionsHandlers({ ...accounts, cookie }),
        ...apiTokensHandlers({ db, clock }),
        ...permissionGroupsHandlers({ db, clock, keepSpaces, keepUsers }),
        ...avatarsHandlers({ db, clock }),
        ...usersHandlers({ ...accounts, listSpaceIds }),
        ...spacesHandlers({ db, clock, countFqdns: countFqdnRows, ...scheduler }),
        ...issuancePolicyHandlers({ db, clock, beginReview }),
        ...fqdnsHandlers({ db, clock, fingerprintsUnder, ...scheduler }),
        ...csrsHandlers({ db, clock, ...scheduler }),
        ...providersHandlers({
          ...{ db, clock, outgoing, opener, keyRing, addresses },
          listUses: listProviderUses,
        }),
        ...certificatesHandlers({ db, clock, ...scheduler }),
        ...issuanceHandlers({
          ...{ db, clock, opener, renewAtOf, isBeingRenewed, ...scheduler },
          runner: issuance,
          signPlaces: createSignPlaces(),
          reviewRefused: review.one,
        }),
        ...revocationsHandlers(revocations),
        ...challengeSetupHandlers({ db, own: ownAddress(config), challengePort: config.http01Port }),
        ...renewalsHandlers({ db, clock, opener, triggerRun: () => void renewals.job.run() }),
        ...systemHandlers({ db, clock, isDraining: () => isDraining }),
      },
      {
        context: callerOf({ db, clock, logger, cookie, publicOrigin, isOpen, limits }),
        answerMs,
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
    runAdvice: () => renewals.advise(),
    runWatch: async () => {
      if (renewals.watcher === undefined) return;
      await sweepWatch({ db, clock, logger });
      await renewals.watcher.run();
    },
    reviewPolicies: () => review.run(),
    runNotices: async () => (await notices?.run()) ?? true,
    sweepNotices: () => sweepNotices(options, notices),
    runRenewalJob: () => renewals.job.run(),
    takeUpJobs: () => issuance.takeUp(),
    finishRevocations: () => finishRevocations(revocations),
    recoverSigning: takeOverSigning,
    startPollers: () => {
      void indexAuditTexts({ db, logger });
      pollers.push(
        startPoller({ name: 'audit.denials', everyMs: 10_000, tick: () => denials.flush(), logger }),
        startPoller({
          name: 'sessions.sweep',
          everyMs: 600_000,
          tick: () => sweepSessions({ db, clock }),
          logger,
        }),
        revocationPoller(revocations),
        ...issuancePollers(options, issuance, takeOverSigning),
        ...openModeReminder(isOpen, logger),
        ...renewalPollers(options, renewals),
        ...watchPollers(options, renewals),
        ...policyPollers(options, review),
        ...noticePollers({ ...options, watchJob }, notices),
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
      await renewals.job.idle();
      await denials.flush();
      await outgoing.close();
      await notices?.close();
    },
  };
}

/** What sign-in and accounts need. */
function accountParts(
  { config, database: db, clock, passwordCost, announce }: AppOptions,
  denials: Denials,
  onThrottled: () => void,
) {
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
    throttle: createLoginThrottle(clock, onThrottled),
    setupToken: createSetupToken(setupTokenPath, { db, clock }),
    givenAdmin: isGiven ? { username, email, password } : undefined,
    announce: announce ?? ((line: string) => void process.stderr.write(`cert-manager: ${line}\n`)),
  };
}

async function listSpaceIds(tx: Tx, scope: 'all' | readonly string[]): Promise<string[]> {
  return (await listSpaceRows(tx, scope)).map(({ id }) => id);
}

/** What the audit log keeps of what goes with a deleted FQDN. */
async function fingerprintsUnder(tx: Tx, fqdnId: string) {
  const certificates = await listLastCertificates(tx, fqdnId, 20);
  return {
    csrKeys: await listKeyFingerprints(tx, fqdnId),
    certificates: certificates.map(({ serialNumber }) => serialNumber),
  };
}
