import { type Metrics, watchDisk } from '@certloop/server';
import type { Denials } from '../audit/denials.service.js';
import type { DbDeps } from '../db-deps.js';
import { countWaitingNotices } from '../events/waiting-notices.repository.js';
import { findReceiver } from '../events/webhook-receivers.repository.js';
import type { CountOrder } from '../front/count-order.js';
import { countServedAddresses } from '../targets/probes/target-states.repository.js';
import { countWaitingChecks } from '../watch/missing-watch.repository.js';
import { createOrderCounter } from './count-client-orders.service.js';
import { listNearExpiry, listSpaceExpiry, type SpaceExpiry } from './expiry-scrape.repository.js';
import {
  countFqdnsByState,
  countRenewals,
  countUnattended,
  findLastJobSuccess,
  readDueRenewals,
} from './scrape.repository.js';
import { listDrifted } from './served-scrape.repository.js';
import { createProviderWatch, type WatchOpener } from './watched-providers.service.js';

/** Metrics of this service beyond those of requests. */
export interface ServiceMetrics {
  readonly watchOpener: WatchOpener;
  /** The same denials, counted. */
  watchDenials(denials: Denials): Denials;
  /** An attempt to sign in was turned away for the many before it. */
  onThrottled(): void;
  /** A request had X-Forwarded-For from a peer that is no trusted proxy. */
  onUntrustedProxy(): void;
  /** A certificate was served at all addresses, so many seconds after it was stored. */
  onInService(seconds: number): void;
  /** Counts an order of an ACME client by how it went. */
  readonly countOrder: CountOrder;
  /** A call to the address of a provider was refused. */
  onRefusedCall(): void;
}

/** Declares the metrics of this service. What lies in the database is asked for at a scrape. */
export function createServiceMetrics(metrics: Metrics, deps: DbDeps): ServiceMetrics {
  watchDisk(metrics, deps.db);
  readQueue(metrics, deps);
  readExpiry(metrics, deps);
  readServed(metrics, deps);
  readNotices(metrics, deps);
  readWatch(metrics, deps);
  const observeInService = metrics.histogram({
    name: 'cert_manager_time_to_in_service_seconds',
    help: 'Time from storing a certificate to its being served at all addresses of its targets',
    labels: [],
    buckets: [60, 300, 900, 3600, 21_600, 86_400, 259_200, 604_800],
  });
  const countDenial = metrics.counter({
    name: 'cert_manager_denials_total',
    help: 'Refusals that the audit log keeps',
    labels: ['action'],
  });
  const countThrottled = metrics.counter({
    name: 'cert_manager_logins_throttled_total',
    help: 'Attempts to sign in that were rejected after too many earlier ones',
    labels: [],
  });
  const countUntrusted = metrics.counter({
    name: 'cert_manager_untrusted_proxy_requests_total',
    help: 'Requests whose X-Forwarded-For did not count, as their peer is no trusted proxy',
    labels: [],
  });
  const countRefused = metrics.counter({
    name: 'cert_manager_outgoing_calls_refused_total',
    help: 'Calls to addresses of providers that were rejected because of their target',
    labels: [],
  });
  return {
    watchOpener: createProviderWatch(metrics),
    watchDenials: (denials) => ({
      ...denials,
      record: (caller, denial) => {
        countDenial({ action: denial.action });
        return denials.record(caller, denial);
      },
    }),
    onThrottled: () => countThrottled({}),
    onUntrustedProxy: () => countUntrusted({}),
    onInService: (seconds) => observeInService({}, seconds),
    onRefusedCall: () => countRefused({}),
    countOrder: createOrderCounter(metrics),
  };
}

const alone = (value: number) => [{ labels: {}, value }];
const seconds = (instant: Date) => instant.getTime() / 1000;

function readQueue(metrics: Metrics, { db, clock }: DbDeps): void {
  metrics.gaugesOf({
    name: 'renewals',
    gauges: {
      entries: {
        name: 'cert_manager_renewal_entries',
        help: 'Entries of the renewal queue, up to 100000 of each status',
        labels: ['status'],
      },
      due: {
        name: 'cert_manager_renewals_due',
        help: 'Entries that are due and that no worker has claimed, up to 100000',
        labels: [],
      },
      lag: {
        name: 'cert_manager_renewal_lag_seconds',
        help: 'How long the entry that is due for the longest time has been due; 0 when none is',
        labels: [],
      },
      run: {
        name: 'cert_manager_renewal_run_timestamp_seconds',
        help: 'When a run of the renewal queue last came to a good end in any process, in seconds since 1970',
        labels: [],
      },
    },
    read: () =>
      db.longRead(async (tx) => {
        const now = clock.now();
        const due = await readDueRenewals(tx, now);
        const lastRun = await findLastJobSuccess(tx, 'renewals');
        return {
          entries: (await countRenewals(tx)).map(({ status, count }) => ({
            labels: { status },
            value: count,
          })),
          due: alone(due.count),
          lag: alone(due.earliest === null ? 0 : seconds(now) - seconds(due.earliest)),
          run: lastRun === undefined ? [] : alone(seconds(lastRun)),
        };
      }),
  });
}

function readServed(metrics: Metrics, { db }: DbDeps): void {
  metrics.gaugesOf({
    name: 'served',
    isCostly: true,
    gauges: {
      addresses: {
        name: 'cert_manager_served_addresses',
        help: 'Addresses of targets by the class of what they serve, of up to 100000',
        labels: ['class'],
      },
      drifted: {
        name: 'cert_manager_served_drifted',
        help: 'FQDNs whose check fails for what their servers serve; of the 50 spaces that have most',
        labels: ['space_id', 'space'],
      },
    },
    read: () =>
      db.longRead(async (tx) => {
        const counts = await countServedAddresses(tx);
        const drifted = await listDrifted(tx);
        return {
          addresses: counts.map(({ class: found, count }) => ({ labels: { class: found }, value: count })),
          drifted: drifted.map((space) => ({ labels: spaceLabels(space), value: space.count })),
        };
      }),
  });
}

function readNotices(metrics: Metrics, { db, clock }: DbDeps): void {
  metrics.gaugesOf({
    name: 'notices',
    gauges: {
      waiting: {
        name: 'cert_manager_notices_waiting',
        help: 'Notices that are recorded and not delivered yet, up to 100000',
        labels: ['destination'],
      },
      age: {
        name: 'cert_manager_oldest_notice_seconds',
        help: 'Age of the oldest notice that is not delivered yet; 0 when there is none',
        labels: ['destination'],
      },
      disabled: {
        name: 'cert_manager_webhook_disabled',
        help: '1 when the webhook of notices is switched off, as its receiver took nothing for 5 days; else 0',
        labels: [],
      },
    },
    read: () =>
      db.longRead(async (tx) => {
        const now = clock.now();
        const counted = await countWaitingNotices(tx);
        const receiver = await findReceiver(tx);
        const ageOf = (oldest: Date | null) => (oldest === null ? 0 : seconds(now) - seconds(oldest));
        return {
          waiting: counted.map(({ destination, count }) => ({ labels: { destination }, value: count })),
          age: counted.map(({ destination, oldest }) => ({ labels: { destination }, value: ageOf(oldest) })),
          disabled: alone((receiver?.disabledAt ?? null) === null ? 0 : 1),
        };
      }),
  });
}

function readWatch(metrics: Metrics, { db }: DbDeps): void {
  metrics.gaugesOf({
    name: 'watch',
    gauges: {
      noRoom: {
        name: 'cert_manager_watch_no_room',
        help: 'FQDNs whose check the monitor has no room for, by what is watched, up to 100000',
        labels: ['mode'],
      },
    },
    read: async () => {
      const { renewal, expiry } = await db.read(countWaitingChecks);
      const counts = Object.entries({ renewal, expiry });
      return { noRoom: counts.map(([mode, value]) => ({ labels: { mode }, value })) };
    },
  });
}

function readExpiry(metrics: Metrics, { db, clock }: DbDeps): void {
  metrics.gaugesOf({
    name: 'certificates',
    isCostly: true,
    gauges: {
      soonest: {
        name: 'cert_manager_certificate_soonest_expiry_timestamp_seconds',
        help: 'When the first certificate in use of a space expires, in seconds since 1970; of the 50 spaces that come first',
        labels: ['space_id', 'space'],
      },
      counts: {
        name: 'cert_manager_certificates',
        help: 'Certificates in use by when they expire: expired in the last 30 days, within 7d, then 30d, then 90d, or later; of those that come first',
        labels: ['space_id', 'space', 'expiry'],
      },
      near: {
        name: 'cert_manager_certificates_near_expiry',
        help: 'Certificates in use that expire within 3 days with less than a tenth of their lifetime left, or have expired; of the 50 spaces that have most',
        labels: ['space_id', 'space'],
      },
      fqdns: {
        name: 'cert_manager_fqdns',
        help: 'FQDNs that are not valid, by state, up to 100000 of each',
        labels: ['state'],
      },
      needsYou: {
        name: 'cert_manager_fqdns_needing_people',
        help: 'FQDNs of any state for which people must act, up to 100000',
        labels: [],
      },
      unattended: {
        name: 'cert_manager_certificates_unattended',
        help: 'Certificates in use that expire within 7 days or have expired, and whose renewal is not planned, up to 1000',
        labels: [],
      },
    },
    read: () =>
      db.longRead(async (tx) => {
        const now = clock.now();
        const spaces = await listSpaceExpiry(tx, now);
        const near = await listNearExpiry(tx, now);
        const fqdns = await countFqdnsByState(tx, now);
        return {
          soonest: spaces.map((space) => ({ labels: spaceLabels(space), value: seconds(space.soonest) })),
          counts: spaces.flatMap(countsOf),
          near: near.map((space) => ({ labels: spaceLabels(space), value: space.count })),
          fqdns: fqdns.flatMap(({ word, count }) =>
            word === 'needs_you' ? [] : [{ labels: { state: word }, value: count }],
          ),
          needsYou: alone(fqdns.find(({ word }) => word === 'needs_you')?.count ?? 0),
          unattended: alone(await countUnattended(tx, now)),
        };
      }),
  });
}

function spaceLabels({ spaceId, space }: Pick<SpaceExpiry, 'spaceId' | 'space'>) {
  return { space_id: spaceId, space };
}

function countsOf(space: SpaceExpiry) {
  const counts = {
    expired: space.expired,
    '7d': space.within7Days,
    '30d': space.within30Days,
    '90d': space.within90Days,
    later: space.later,
  };
  const labels = spaceLabels(space);
  return Object.entries(counts).map(([expiry, value]) => ({ labels: { ...labels, expiry }, value }));
}
