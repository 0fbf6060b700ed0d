import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { type PerformanceEntry, PerformanceObserver, performance } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';
import { excessMs } from '@certloop/contracts/testing';

/** From one look at the clock of the main thread's CPU to the next: moments in milliseconds of `performance.now()`. */
interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly cpuMs: number;
}

/** Channel on which Node reports a request, before it calls the server's handler. */
const requestStart = 'http.server.request.start';

/**
 * Measures how much CPU time the main thread takes without a turn for others. Time that it waits for a core does not
 * count, so that a busy machine does not make a stretch longer; nor do collections of garbage, which come when the
 * process has grown, whatever runs then. A request on another connection than the one before it is a turn of another:
 * timers run only after all connections that were ready together. `stop` returns the longest stretch in milliseconds,
 * to which a turn of some milliseconds before it may have added; undefined where the system does not report CPU time
 * by thread.
 */
export function watchStretches(): { readonly stop: () => Promise<number | undefined> } {
  const stretches: Stretch[] = [];
  const collections: PerformanceEntry[] = [];
  const observer = new PerformanceObserver((list) => collections.push(...list.getEntries()));
  observer.observe({ entryTypes: ['gc'] });
  let last = { at: performance.now(), cpuMs: mainThreadMs() };
  const look = () => {
    const next = { at: performance.now(), cpuMs: mainThreadMs() };
    if (next.cpuMs !== undefined && last.cpuMs !== undefined) {
      stretches.push({ from: last.at, to: next.at, cpuMs: next.cpuMs - last.cpuMs });
    }
    last = next;
  };
  let served: Socket | undefined;
  const lookAtRequest = (message: unknown) => {
    const { socket } = message as { readonly socket: Socket };
    // requests that arrive together on one connection may be served in one turn
    if (socket !== served) look();
    served = socket;
  };
  const timer = setInterval(look, 1);
  subscribe(requestStart, lookAtRequest);
  return {
    stop: async () => {
      clearInterval(timer);
      unsubscribe(requestStart, lookAtRequest);
      look();
      // the last collections are reported in a turn of their own
      await setImmediate();
      collections.push(...observer.takeRecords());
      observer.disconnect();
      if (last.cpuMs === undefined) return undefined;
      return Math.max(0, ...stretches.map((stretch) => stretch.cpuMs - collectingMs(collections, stretch)));
    },
  };
}

/**
 * The longest stretch of the work, in CPU milliseconds, if it is more than is allowed each of three times; else
 * undefined. `prepare` makes the work possible again and is not measured.
 */
export function stretchExcess(
  allowedMs: number,
  work: () => PromiseLike<unknown>,
  prepare: () => PromiseLike<unknown> = () => Promise.resolve(),
): Promise<number | undefined> {
  return excessMs(allowedMs, async () => {
    await prepare();
    const watch = watchStretches();
    await work();
    return watch.stop();
  });
}

/** How long collections took within a stretch. */
function collectingMs(collections: readonly PerformanceEntry[], { from, to }: Stretch): number {
  let ms = 0;
  for (const { startTime, duration } of collections) {
    ms += Math.max(0, Math.min(to, startTime + duration) - Math.max(from, startTime));
  }
  return ms;
}

/** CPU time of the main thread since its start. */
function mainThreadMs(): number | undefined {
  try {
    const [nanoseconds] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ');
    return Number(nanoseconds) / 1e6;
  } catch {
    return undefined;
  }
}
