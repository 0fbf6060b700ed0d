import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { cachedRead } from '../concurrency/cached-read.js';
import { countedRejections } from '../process/unexpected-errors.js';
import { countedLostLines } from './log-output.js';
import type { Logger } from './logger.js';
import type { EndRequest, RequestWatch } from './request-watch.js';

/** One series of a metric and its value. */
export interface Sample<L extends string = string> {
  readonly labels: Readonly<Record<L, string>>;
  readonly value: number;
}

/** Name by Prometheus' conventions (unit in the name, `_total` for counters), a sentence, names of labels. */
export interface Instrument<L extends string> {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly L[];
}

/** Gauges that one reading fills: `read` gives the samples of each by its key. */
export interface Reading<K extends string> {
  /** Name of the reading, in the log when it fails. */
  readonly name: string;
  readonly gauges: Readonly<Record<K, Instrument<string>>>;
  readonly read: () => Promise<Readonly<Record<K, readonly Sample[]>>>;
  /** A costly reading is done a twelfth as often: once a minute at most. */
  readonly isCostly?: boolean;
}

/**
 * The metrics of one app; tests run many apps in a process, so nothing here is global. A label may only take
 * values of a short list: never an address, a name or an id that callers choose.
 */
export interface Metrics extends RequestWatch {
  readonly registry: Registry;
  counter<const L extends string>(instrument: Instrument<L>): Count<L>;
  /** `buckets` are upper bounds, rising. */
  histogram<const L extends string>(
    instrument: Instrument<L> & { readonly buckets: readonly number[] },
  ): Observe<L>;
  /** Counter over totals that others count as plain numbers; `read` is called at each scrape. */
  counterOf<const L extends string>(instrument: Instrument<L> & { readonly read: () => Sample<L>[] }): void;
  /**
   * Gauges over what must be asked for, such as a database: once in a few seconds at most, and not waited for
   * longer than 2 s. A reading that fails leaves its gauges without series and is counted; the scrape goes on.
   */
  gaugesOf<const K extends string>(reading: Reading<K>): void;
  /** Everything in Prometheus' text format. */
  scrape(): Promise<{ readonly contentType: string; readonly text: string }>;
}

/** Adds `by`, or 1. */
export type Count<L extends string> = (labels: Readonly<Record<L, string>>, by?: number) => void;

export type Observe<L extends string> = (labels: Readonly<Record<L, string>>, value: number) => void;

export interface MetricsOptions {
  readonly logger: Logger;
  /** Milliseconds for which what a reading gave stays good; 5 s when absent. */
  readonly maxAgeMs?: number;
}

const requestSeconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Metrics of one app, those of its requests among them. Those of the process begin with the first scrape. */
export function createMetrics({ logger, maxAgeMs = 5_000 }: MetricsOptions): Metrics {
  const registry = new Registry();
  const beforeScrape: (() => Promise<void> | void)[] = [];
  const requests = requestMetrics(registry);
  const failures = new Counter({
    name: 'metrics_readings_failed_total',
    help: 'Readings at a scrape that failed or took too long',
    labelNames: ['reading'],
    registers: [registry],
  });
  beforeScrape.push(...processCounters(registry));
  let watchesProcess = false;

  return {
    registry,
    counter: (instrument) => {
      const counter = new Counter(configOf(instrument, registry));
      return (labels, by = 1) => void counter.inc({ ...labels }, by);
    },
    histogram: ({ buckets, ...instrument }) => {
      const histogram = new Histogram({ ...configOf(instrument, registry), buckets: [...buckets] });
      return (labels, value) => histogram.observe({ ...labels }, value);
    },
    counterOf: ({ read, ...instrument }) => {
      const counter = new Counter(configOf(instrument, registry));
      beforeScrape.push(() => {
        counter.reset();
        for (const { labels, value } of read()) counter.inc({ ...labels }, value);
      });
    },
    gaugesOf: ({ name, gauges, read, isCostly = false }) => {
      const kinds = Object.keys(gauges) as (keyof typeof gauges)[];
      const filled = kinds.map((key) => ({ key, gauge: new Gauge(configOf(gauges[key], registry)) }));
      const seldom = cachedRead(read, isCostly ? 12 * maxAgeMs : maxAgeMs);
      // from the start, since Prometheus does not see the first rise of a series that did not exist
      failures.inc({ reading: name }, 0);
      beforeScrape.push(async () => {
        const samples = await seldom().catch((error: unknown) => {
          failures.inc({ reading: name });
          logger.warn({ reading: name, error }, 'metrics.reading_failed');
          return undefined;
        });
        for (const { key, gauge } of filled) fill(gauge, samples?.[key] ?? []);
      });
    },
    beginRequest: requests.begin,
    scrape: async () => {
      // an observer of the garbage collector costs something: only who is scraped pays for it
      if (!watchesProcess) collectDefaultMetrics({ register: registry });
      watchesProcess = true;
      await Promise.all(beforeScrape.map((prepare) => prepare()));
      return { contentType: registry.contentType, text: await registry.metrics() };
    },
  };
}

/** Counters over totals of the process; returns what brings each up to date. */
function processCounters(registry: Registry): (() => void)[] {
  const totals = [
    {
      name: 'process_unhandled_rejections_total',
      help: 'Errors of asynchronous code that nothing handled',
      read: countedRejections,
    },
    {
      name: 'log_lines_lost_total',
      help: 'Lines of the log that could not be written',
      read: countedLostLines,
    },
  ];
  return totals.map(({ read, ...instrument }) => {
    const counter = new Counter({ ...instrument, registers: [registry] });
    return () => {
      counter.reset();
      counter.inc(read());
    };
  });
}

function configOf<L extends string>({ name, help, labels }: Instrument<L>, registry: Registry) {
  return { name, help, labelNames: [...labels], registers: [registry] };
}

function fill(gauge: Gauge, samples: readonly Sample[]): void {
  gauge.reset();
  // a gauge without labels would say 0 where nothing is known
  if (samples.length === 0) gauge.remove({});
  for (const { labels, value } of samples) gauge.set({ ...labels }, value);
}

function requestMetrics(registry: Registry) {
  const seconds = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the arrival of a request to the end of its answer',
    labelNames: ['method', 'route', 'status'],
    buckets: requestSeconds,
    registers: [registry],
  });
  const inFlight = new Gauge({
    name: 'http_requests_in_flight',
    help: 'Requests that are being answered',
    registers: [registry],
  });
  const begin = (): EndRequest => {
    const began = performance.now();
    inFlight.inc();
    return (request) => {
      inFlight.dec();
      seconds.observe({ ...request }, (performance.now() - began) / 1000);
    };
  };
  return { begin };
}
