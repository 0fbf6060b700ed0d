import {
  createJobWatch,
  createLoginThrottle,
  createMetrics,
  createPasswords,
  type SteadyClock,
  watchClock,
} from '@certloop/server';
import { builtInCaller, internalOrigin } from './access/caller.js';
import { pauseUntil } from './acme/orders/order-run.service.js';
import type { AppOptions } from './app-options.js';
import { createDenials, type Denials } from './audit/denials.service.js';
import { watchHeld } from './certificates/delivery/held-metrics.service.js';
import { createHeldRequests } from './certificates/delivery/held-requests.store.js';
import { createEmit, type Emit } from './changes/reactions.service.js';
import { createNotices, type Notices } from './events/notices.service.js';
import { findFqdn, fqdnNotFound } from './fqdns/fqdns.repository.js';
import { readLabels } from './fqdns/labels.repository.js';
import type { FrontDeps } from './front/front-deps.service.js';
import { createFrontNonces } from './front/nonces/front-nonces.service.js';
import { createIssuanceRunner } from './issuance/jobs/issuance-runner.service.js';
import { createIssuanceStore } from './issuance/signing/end-issuance.service.js';
import { createObstacleCheck } from './issuance/signing/find-obstacles.service.js';
import { createSigningWork } from './issuance/signing/signing-work.service.js';
import { noticeDestinations } from './notice-settings.js';
import { applyDefaultPolicy } from './policies/default-policy.service.js';
import { createPolicyReview } from './policies/review-spaces.service.js';
import { ensureProviders, type ProviderAddresses } from './providers/changes/ensure-providers.service.js';
import { createProviderOpener, type ProviderOpener } from './providers/open-provider.service.js';
import { createOutgoing, type Outgoing } from './providers/outgoing.client.js';
import { providerKinds } from './providers/provider-kinds.js';
import { proveKeyRing } from './providers/secrets/encryption.service.js';
import { createClientWindows } from './renewals/client-window.service.js';
import type { ContactFault } from './renewals/heartbeat/heartbeat.client.js';
import { revokePermitted } from './revocations/revoke-certificate.service.js';
import type { RevocationDeps } from './revocations/settle-revocation.service.js';
import { pullBackStored } from './system/clock/pull-back-moments.service.js';
import { createHttpsCertificate } from './system/https/https-certificate.service.js';
import { watchReach } from './system/reach-metrics.service.js';
import { createServiceMetrics, type ServiceMetrics } from './system/service-metrics.service.js';
import { createWatchLimits } from './targets/adoption/watch-servers.service.js';
import { createProbeLimits } from './targets/probes/probe-target.service.js';
import { createProber } from './targets/probes/prober.service.js';
import type { ProbeDeps } from './targets/probes/run-probes.service.js';
import type { targetsHandlers } from './targets/targets.routes.js';
import { warnOfOpenMode } from './users/callers/open-mode.middleware.js';
import { prepareSetup } from './users/setup/bootstrap.service.js';
import { createSetupToken } from './users/setup/setup-token.store.js';
import { createReachReader } from './watch/monitor/alert-reach.client.js';
import { createMonitorContact } from './watch/monitor/monitor-contact.store.js';
import { createMonitorEvents } from './watch/monitor/monitor-events.service.js';
import { monitorOf } from './watch-settings.js';

/** The parts of the service that the API and the jobs share, each built once from those before it. */
export async function createParts(options: AppOptions, triggerRenewals: () => void) {
  const { config, database: db, logger, clock, steady } = options;
  await proveKeyRing({ db, clock }, config.encryptionKeys, config.encryptionKeysName);
  await applyDefaultPolicy({ db, clock, logger }, config.issuancePolicyDefault);
  if (config.authMode === 'open') warnOfOpenMode(logger);
  const stopping = new AbortController();
  const stop = stopping.signal;
  const metrics = options.metrics ?? createMetrics({ logger });
  const watch = createServiceMetrics(metrics, { db, clock });
  if (steady !== undefined) watchClock(metrics, steady);

  const denials = watch.watchDenials(createDenials({ db, clock, logger }));
  const accounts = accountsOf(options, denials, watch.onThrottled);
  await prepareSetup(accounts, builtInCaller('cli', internalOrigin('start')));
  const { addresses, outgoing, opener, renewalOpener } = await providersOf(options, watch, stop);

  const notices = await openNotices(options, stop);
  const { watchesExpiry } = config;
  const held = createHeldRequests();
  watchHeld(metrics, held);
  const { countOrder } = watch;
  const emit = createEmit({
    clock,
    notices,
    watch: monitorOf(config) && { watchesExpiry },
    held,
    countOrder,
  });
  const { readContact, onAnswer } = contactOf(options, notices);
  const issuance = issuanceOf(options, { opener, emit, stopping: stop });
  watchReach(metrics, readContact);
  return {
    stopping,
    metrics,
    watchJob: createJobWatch(metrics, clock),
    onUntrustedProxy: watch.onUntrustedProxy,
    denials,
    accounts,
    addresses,
    outgoing,
    opener,
    renewalOpener,
    notices,
    emit,
    held,
    https: createHttpsCertificate(options, outgoing),
    readContact,
    onAnswer,
    review: createPolicyReview({ db, clock, logger, emit, triggerRenewals }),
    targets: targetsOf(options, emit, watch.onInService),
    ...issuance,
    front: frontOf(options, { denials, opener, emit, countOrder, runner: issuance.issuanceRunner }),
  };
}

/** Creates what sign-in and accounts need. */
function accountsOf(
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

/**
 * Creates what calls certificate authorities, after their rows exist.
 *
 * @param stopping ends the calls that are open, and the waits between them
 */
async function providersOf(
  { config, database: db, logger, clock, steady, orders }: AppOptions,
  watch: ServiceMetrics,
  stopping: AbortSignal,
) {
  const addresses: ProviderAddresses = Object.fromEntries(
    Object.values(providerKinds).map(({ name, addressSetting }) => [
      name,
      addressSetting && config[addressSetting],
    ]),
  );
  await ensureProviders({ db, clock, logger }, addresses);
  const ways = createOutgoing({
    trusted: Object.values(addresses).filter((address) => address !== undefined),
    onRefused: watch.onRefusedCall,
  });
  const outgoing = steady === undefined ? ways : withDates(ways, steady);
  const unwatched = createProviderOpener({
    outgoing,
    keyRing: config.encryptionKeys,
    clock,
    db,
    logger,
    stopping,
    pause: pauseUntil(stopping),
    atMoment: async () => undefined,
    ...orders,
  });
  return {
    addresses,
    outgoing,
    opener: watch.watchOpener(unwatched, 'issuance'),
    renewalOpener: watch.watchOpener(unwatched, 'renewal'),
  };
}

/** Shows the clock what time the CAs say it is. */
function withDates(outgoing: Outgoing, { noteCaDate }: SteadyClock): Outgoing {
  return {
    ...outgoing,
    fetchFor: (target) => {
      const call = outgoing.fetchFor(target);
      return async (...request) => {
        const response = await call(...request);
        noteCaDate(response.headers.get('date'));
        return response;
      };
    },
  };
}

/** Where notices go, open for sending; undefined where there is no destination. */
async function openNotices(
  { config, database: db, logger, clock }: AppOptions,
  stop: AbortSignal,
): Promise<Notices | undefined> {
  const source = config.publicUrl ?? 'urn:certloop:cert-manager';
  const destinations = noticeDestinations(config);
  const notices = createNotices({ db, clock, logger, source, stop, readLabels, ...destinations });
  await notices?.open();
  return notices;
}

/** Creates the record of the contact with the monitor, which follows from how the reports of the queue end. */
function contactOf({ config, database: db, clock }: AppOptions, notices: Notices | undefined) {
  const monitor = monitorOf(config);
  const contact = createMonitorContact(clock);
  const readReach = monitor && createReachReader(monitor);
  const noteMonitor =
    notices && createMonitorEvents({ db, clock, notices, awaySeconds: config.watchAwaySeconds });
  return {
    readContact: contact.read,
    onAnswer: async (fault: ContactFault | undefined) => {
      contact.note(fault === undefined, fault === undefined ? await readReach?.() : undefined);
      await noteMonitor?.(fault);
    },
  };
}

/** Creates what probes the targets, and what handles their endpoints. */
function targetsOf(
  options: AppOptions,
  emit: Emit,
  onInService: ServiceMetrics['onInService'],
): ProbeDeps & Parameters<typeof targetsHandlers>[0] {
  const { config, database: db, clock, logger, resolve } = options;
  const { probeAllowCidrs: allowCidrs, probePorts: ports, probeTargetsPerSpace: maxPerSpace } = config;
  const prober = createProber({ allowCidrs, ports }, resolve);
  const limits = createProbeLimits(clock);
  const watchLimits = createWatchLimits(clock);
  return { db, clock, logger, prober, emit, onInService, maxPerSpace, limits, watchLimits };
}

interface IssuanceNeeds {
  readonly opener: ProviderOpener;
  readonly emit: Emit;
  readonly stopping: AbortSignal;
}

/** Creates what obtains and revokes certificates for callers, and ends what a dead process has begun. */
function issuanceOf(
  { config, database: db, clock, logger, renewals, orders }: AppOptions,
  { opener, emit, stopping }: IssuanceNeeds,
) {
  const { leaseMs: renewalLeaseMs = config.renewalLeaseSeconds * 1000 } = renewals ?? {};
  const { leaseMs = 60_000 } = orders ?? {};
  const deps = { db, clock, logger, opener, emit, check: createObstacleCheck(db, opener) };
  const revocations: RevocationDeps = deps;
  const work = { ...deps, storeIssued: createIssuanceStore(deps), leaseMs, stopping };
  const runner = createIssuanceRunner(work);
  return {
    revocations,
    issuanceRunner: runner,
    signing: createSigningWork({ ...work, runner }),
    pullBack: () => pullBackStored({ db, clock, logger, renewalLeaseMs, jobLeaseMs: leaseMs }),
  };
}

/** Creates what serves ACME clients. */
function frontOf(
  { config, database: db, clock, logger }: AppOptions,
  parts: Pick<FrontDeps, 'denials' | 'opener' | 'runner' | 'countOrder'> & { readonly emit: Emit },
): FrontDeps {
  const { encryptionKeys: keyRing } = config;
  const { opener, emit } = parts;
  const deps = { db, clock, logger, opener };
  return {
    ...deps,
    ...parts,
    keyRing,
    nonces: createFrontNonces({ db, clock, keyRing }),
    renewalWindow: createClientWindows(deps),
    revoke: async (caller, { id: certId, fqdnId }, reason) => {
      const fqdn = await db.read((tx) => findFqdn(tx, fqdnId));
      if (fqdn === undefined) throw fqdnNotFound();
      await revokePermitted({ ...deps, emit }, caller, { spaceId: fqdn.spaceId, fqdnId, certId, reason });
    },
  };
}
