import { createJobWatch, createMetrics, type Poller, watchClock } from '@certloop/server';
import { builtInCaller, internalOrigin, nilUuid } from './access/caller.js';
import { accountParts } from './account-parts.service.js';
import type { AppOptions } from './app-options.js';
import { createDenials } from './audit/denials.service.js';
import { indexAuditTexts } from './audit/search/index-audit-texts.service.js';
import { createNotices, type Notices } from './events/notices.service.js';
import { createIssuanceRunner } from './issuance/jobs/issuance-runner.service.js';
import { recoverSigning } from './issuance/signing/recover-signing.service.js';
import { canaryJob, canaryPollers } from './monitor-parts.service.js';
import { createNoticeJob } from './notice-parts.service.js';
import { noticeDestinations } from './notice-settings.js';
import { applyDefaultPolicy } from './policies/default-policy.service.js';
import { providerParts } from './provider-parts.service.js';
import type { ProviderOpener } from './providers/open-provider.service.js';
import { proveKeyRing } from './providers/secrets/encryption.service.js';
import {
  accessPollers,
  clockPollers,
  issuancePollers,
  noticePollers,
  openModeReminder,
  policyPollers,
  probePollers,
  renewalPollers,
  revocationPoller,
  standingPollers,
  warnOfOpenMode,
  watchPollers,
} from './recurring-work.service.js';
import { type RenewalParts, renewalParts } from './renewal-parts.service.js';
import { hasRenewalWithOrder } from './renewals/renewal-history.repository.js';
import type { RevocationDeps } from './revocations/settle-revocation.service.js';
import type { LeaseTimes } from './system/clock/future-moments.repository.js';
import { pullBackStored } from './system/clock/pull-back-moments.service.js';
import { createServiceMetrics } from './system/service-metrics.service.js';
import { targetParts } from './target-parts.service.js';
import { prepareSetup } from './users/setup/bootstrap.service.js';
import { revocationRecorder } from './watch/notices/issuance-events.service.js';

export type ServiceParts = Awaited<ReturnType<typeof serviceParts>>;

/** Every part of the service, built once; each gets what it needs of those before it. */
export async function serviceParts(options: AppOptions) {
  const { config, database: db, logger, clock } = options;
  await proveKeyRing({ db, clock }, config.encryptionKeys);
  await applyDefaultPolicy({ db, clock, logger }, config.issuancePolicyDefault);
  if (config.authMode === 'open') warnOfOpenMode(logger);
  const stopping = new AbortController();
  const stop = stopping.signal;
  const metrics = options.metrics ?? createMetrics({ logger });
  const watch = createServiceMetrics(metrics, { db, clock });
  if (options.steady !== undefined) watchClock(metrics, options.steady);
  const watchJob = createJobWatch(metrics, clock);

  const denials = watch.watchDenials(createDenials({ db, clock, logger }));
  const accounts = accountParts(options, denials, watch.onThrottled);
  await prepareSetup(accounts, builtInCaller('cli', internalOrigin('start')));
  const { addresses, outgoing, opener, renewalOpener } = await providerParts(options, watch, stop);

  const notices = await openNotices(options, stop);
  const noticeJob = notices && createNoticeJob({ ...options, watchJob }, notices);
  const renewals = renewalParts({ ...options, watchJob, stop }, renewalOpener, notices);
  const canary = canaryJob({ ...options, watchJob }, notices);
  const { onInService } = watch;
  const targets = targetParts({ ...options, watchJob, onInService, notices, stop }, renewals);
  const issuance = issuanceParts({ ...options, stop }, { opener, scheduler: renewals.scheduler, notices });
  const pullBack = () => pullBackStored({ db, clock, logger, ...leaseTimes(options) });
  return {
    stopping,
    metrics,
    watchJob,
    onUntrustedProxy: watch.onUntrustedProxy,
    denials,
    accounts,
    addresses,
    outgoing,
    opener,
    notices,
    noticeJob,
    renewals,
    canary,
    targets,
    issuance,
    pullBack,
  };
}

function leaseTimes({ config, renewals, orders }: AppOptions): LeaseTimes {
  const { leaseMs: renewalLeaseMs = config.renewalLeaseSeconds * 1000 } = renewals ?? {};
  return { renewalLeaseMs, jobLeaseMs: orders?.leaseMs ?? usualJobLeaseMs };
}

const usualJobLeaseMs = 60_000;

/** Where notices go, open for sending; undefined where there is no destination. */
async function openNotices(
  { config, database: db, logger, clock }: AppOptions,
  stop: AbortSignal,
): Promise<Notices | undefined> {
  const source = config.publicUrl ?? 'urn:certloop:cert-manager';
  const notices = createNotices({ db, clock, logger, source, stop, ...noticeDestinations(config) });
  await notices?.open();
  return notices;
}

interface IssuanceNeeds {
  readonly opener: ProviderOpener;
  readonly scheduler: RenewalParts['scheduler'];
  readonly notices: Notices | undefined;
}

/** What obtains and revokes certificates for callers, and ends what a process that died has begun. */
function issuanceParts(
  options: AppOptions & { readonly stop: AbortSignal },
  { opener, scheduler, notices }: IssuanceNeeds,
) {
  const { database: db, clock, logger, stop: stopping } = options;
  const { jobLeaseMs: leaseMs } = leaseTimes(options);
  const deps = { ...scheduler, db, clock, logger, opener };
  const revocations: RevocationDeps = { ...deps, recordRevocation: revocationRecorder(notices) };
  return {
    revocations,
    runner: createIssuanceRunner({
      ...deps,
      leaseMs,
      stopping,
      isOrderOfRenewal: (tx, url) => hasRenewalWithOrder(tx, url, nilUuid),
    }),
    recoverSigning: () => recoverSigning({ ...deps, pauseMs: leaseMs }),
  };
}

/** Begins the recurring work. */
export function startPollers(options: AppOptions, parts: ServiceParts): Poller[] {
  const { config, database: db, logger } = options;
  const { denials, renewals, targets, issuance, canary, notices, noticeJob, watchJob } = parts;
  void indexAuditTexts({ db, logger });
  return [
    ...accessPollers(options, denials),
    revocationPoller(options, issuance.revocations),
    ...issuancePollers(options, issuance.runner, issuance.recoverSigning),
    ...openModeReminder(config.authMode === 'open', logger),
    ...clockPollers(options, parts),
    ...renewalPollers(options, renewals),
    ...standingPollers(options, renewals),
    ...probePollers(options, targets),
    ...watchPollers(options, renewals),
    ...canaryPollers(options, canary),
    ...policyPollers(options, renewals.review),
    ...noticePollers({ ...options, watchJob }, notices, noticeJob),
  ];
}

/** Ends the recurring work and writes what is still to be written. */
export async function closeParts(parts: ServiceParts, pollers: readonly Poller[]): Promise<void> {
  const { stopping, renewals, targets, issuance, denials, outgoing, notices } = parts;
  stopping.abort(new Error('the service stops'));
  // the runners first, as a poller waits for its tick and that for what the runner has begun; all of them know that the
  // service stops before their calls break off
  await Promise.all([
    issuance.runner.stop(),
    renewals.review.stop(),
    renewals.runner.stop(),
    renewals.watcher?.stop(),
  ]);
  for (const poller of pollers.toReversed()) await poller.stop();
  await targets.job.idle();
  await renewals.job.idle();
  await denials.flush();
  await outgoing.close();
  await renewals.close();
  await notices?.close();
}
