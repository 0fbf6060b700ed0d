import { createJobWatch, type Metrics, type WatchJob, watchDisk } from '@certloop/server';
import type { DbDeps } from '../db-deps.js';
import { wholeMs } from '../instants.js';
import { channelKindNames, findKind } from '../integrations/channel-kinds.js';
import { type DeliveryFacts, deliveryOutcomes } from '../notifications/delivery.service.js';
import type { PingIntake } from '../pings/intake/receive-ping.service.js';
import { createPingCounts } from './ping-counts.service.js';
import { readQueues } from './queue-metrics.service.js';
import { countChecksByStatus, maxChecks } from './scrape.repository.js';

/** Metrics of this service beyond those of requests. */
export interface ServiceMetrics {
  readonly metrics: Metrics;
  readonly watchJob: WatchJob;
  watchIntake(intake: PingIntake): PingIntake;
  /** Pings were stored together. */
  onBatch(size: number): void;
  /** A message to a channel was delivered, or not. */
  onDelivered(delivery: DeliveryFacts): void;
  /** A change of status reached no channel. */
  onUnheardFlip(): void;
  /** A call to the address of a channel was refused. */
  onRefusedCall(): void;
  /** An attempt to sign in was turned away for the many before it. */
  onThrottled(): void;
  /** A request had X-Forwarded-For from a peer that is no trusted proxy. */
  onUntrustedProxy(): void;
}

/** Declares the metrics of this service. What lies in the database is asked for at a scrape. */
export function createServiceMetrics(metrics: Metrics, deps: DbDeps): ServiceMetrics {
  readQueues(metrics, deps);
  readChecks(metrics, deps);
  watchDisk(metrics, deps.db);
  const pings = createPingCounts();
  metrics.counterOf({
    name: 'check_monitor_pings_total',
    help: 'Pings by what their address says of them, and by what became of them',
    labels: ['kind', 'answer'],
    read: pings.read,
  });
  const observeBatch = metrics.histogram({
    name: 'check_monitor_ping_batch_size',
    help: 'Pings that were stored together',
    labels: [],
    buckets: [1, 2, 5, 10, 20, 50, 100, 200],
  });
  const countRefused = metrics.counter({
    name: 'check_monitor_outgoing_calls_refused_total',
    help: 'Calls to addresses of channels that were rejected because of their target',
    labels: [],
  });
  const countUnheard = metrics.counter({
    name: 'check_monitor_flips_without_channel_total',
    help: 'Changes of status that reach no one, as the check has no channel that can send them',
    labels: [],
  });
  const countThrottled = metrics.counter({
    name: 'check_monitor_logins_throttled_total',
    help: 'Attempts to sign in that were rejected after too many earlier ones',
    labels: [],
  });
  const countUntrusted = metrics.counter({
    name: 'check_monitor_untrusted_proxy_requests_total',
    help: 'Requests whose X-Forwarded-For did not count, as their peer is no trusted proxy',
    labels: [],
  });
  return {
    metrics,
    watchJob: createJobWatch(metrics, { now: () => new Date(wholeMs(deps.clock.now())) }),
    watchIntake: pings.watch,
    onBatch: (size) => observeBatch({}, size),
    onDelivered: deliveryWatch(metrics),
    onUnheardFlip: () => countUnheard({}),
    onRefusedCall: () => countRefused({}),
    onThrottled: () => countThrottled({}),
    onUntrustedProxy: () => countUntrusted({}),
  };
}

function deliveryWatch(metrics: Metrics): (delivery: DeliveryFacts) => void {
  const count = metrics.counter({
    name: 'check_monitor_deliveries_total',
    help: 'Calls to channels, by kind of channel and outcome',
    labels: ['kind', 'outcome'],
  });
  const observe = metrics.histogram({
    name: 'check_monitor_delivery_duration_seconds',
    help: 'Time that a call to a channel took',
    labels: ['kind'],
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
  });
  // from the start, since Prometheus does not see the first rise of a series that did not exist
  for (const kind of channelKindNames) for (const outcome of deliveryOutcomes) count({ kind, outcome }, 0);
  return ({ kind: written, outcome, seconds }) => {
    const kind = findKind(written) ?? 'unknown';
    count({ kind, outcome });
    observe({ kind }, seconds);
  };
}

function readChecks(metrics: Metrics, { db }: DbDeps): void {
  metrics.gaugesOf({
    name: 'checks',
    isCostly: true,
    gauges: {
      checks: {
        name: 'check_monitor_checks',
        help: `Checks by status as stored: one that is late but in its grace time counts as up; of up to ${maxChecks}`,
        labels: ['status'],
      },
    },
    read: async () => {
      const counted = await db.read(countChecksByStatus);
      return {
        checks: counted.map(({ storedStatus: status, count: value }) => ({ labels: { status }, value })),
      };
    },
  });
}
