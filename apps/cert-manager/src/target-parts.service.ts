import { type OneAtATime, oneAtATime, type WatchJob } from '@certloop/server';
import type { AppOptions } from './app-options.js';
import type { Notices } from './events/notices.service.js';
import { heartbeatOf } from './heartbeat-parts.service.js';
import type { RenewalParts } from './renewal-parts.service.js';
import type { HeartbeatCheck } from './renewals/heartbeat/heartbeat.client.js';
import type { ServiceMetrics } from './system/service-metrics.service.js';
import { createProbeLimits } from './targets/probes/probe-target.service.js';
import { createProber } from './targets/probes/prober.service.js';
import { runProbeJob } from './targets/probes/run-probe-job.service.js';
import { runProbes } from './targets/probes/run-probes.service.js';
import { createServedNews } from './targets/served/served-news.service.js';
import type { targetsHandlers } from './targets/targets.routes.js';

export interface TargetPartsOptions extends AppOptions {
  readonly watchJob: WatchJob;
  readonly onInService: ServiceMetrics['onInService'];
  readonly notices: Notices | undefined;
  /** Ends the probes that are under way. */
  readonly stop: AbortSignal;
}

const budgetMs = 30_000;

/** What probes the targets, and what handles their endpoints. */
export function targetParts(options: TargetPartsOptions, { scheduler }: RenewalParts): TargetParts {
  const { config, database: db, clock, logger, watchJob, stop, onInService, notices, resolve } = options;
  const { probeAllowCidrs: allowCidrs, probePorts: ports, probeTargetsPerSpace: maxPerSpace } = config;
  const prober = createProber({ allowCidrs, ports }, resolve);
  const { onServed } = scheduler;
  const news = createServedNews(notices, clock);
  const deps = { db, clock, logger, prober, onServed, news, onInService, maxPerSpace };
  const heartbeat = heartbeatOf(options, 'targets', missedSeconds, { check });
  const probe = () => watchJob('targets', () => runProbes(deps, { budgetMs, stop }));
  const job = oneAtATime(() => runProbeJob({ logger, probe, heartbeat }));
  return { deps: { ...deps, limits: createProbeLimits(clock) }, job };
}

export interface TargetParts {
  readonly deps: Parameters<typeof targetsHandlers>[0];
  /** One run of the prober; false when more targets are due. */
  readonly job: OneAtATime<boolean>;
}

/** Seconds between two rounds of probes. */
export const probeSeconds = 60;
// servers may take their time to answer
const missedSeconds = 5 * probeSeconds;
const check: HeartbeatCheck = {
  name: 'CertLoop cert-manager: served certificates',
  slug: 'certloop-cert-manager-served',
  desc: 'The certificate manager reports here whenever it has probed which certificates servers serve.',
};
