import type { Signal } from '../checks/check-state.js';
import { type Micros, microsPerSecond } from '../instants.js';

/** A run that took this long or longer is taken for two that have nothing to do with each other. */
export const maxRunDuration = 72 * 3600 * microsPerSecond;

const usualLookups = 10;

export interface RunEvent {
  readonly n: number;
  readonly at: Micros;
  readonly signal: Signal;
  readonly runId: string | null;
}

export interface PagePairs {
  /** Microseconds by the number of the ping that ended a run. */
  readonly durations: ReadonlyMap<number, number>;
  /** Pings whose start, if any, lies before the page. */
  readonly lookups: readonly RunEvent[];
}

const none: PagePairs = { durations: new Map(), lookups: [] };

/**
 * Pairs the ends of runs on a page with their starts. Pings come oldest first. When more than `maxLookups`
 * would have to be looked up beyond the page, the whole page goes without durations.
 */
export function pairRuns(oldestFirst: readonly RunEvent[], maxLookups = usualLookups): PagePairs {
  const durations = new Map<number, number>();
  const lookups: RunEvent[] = [];
  const open = new Map<string | null, Micros | undefined>();
  const pageBegins = oldestFirst[0]?.at ?? 0;
  for (const ping of oldestFirst) {
    if (ping.signal === 'start') open.set(ping.runId, ping.at);
    if (ping.signal !== 'success' && ping.signal !== 'fail') continue;
    const startedAt = open.get(ping.runId);
    if (startedAt !== undefined && ping.at - startedAt < maxRunDuration)
      durations.set(ping.n, Math.max(0, ping.at - startedAt));
    if (!open.has(ping.runId) && ping.n > 1 && ping.at - pageBegins < maxRunDuration) lookups.push(ping);
    open.set(ping.runId, undefined);
  }
  return lookups.length > maxLookups ? none : { durations, lookups };
}

/** Seconds with two decimals, halves to the even one. */
export function roundedSeconds(micros: number): number {
  const hundredths = Math.floor(micros / 10_000);
  const isExactHalf = micros % 125_000 === 0 && micros % 10_000 === 5000;
  if (isExactHalf) return (hundredths % 2 === 0 ? hundredths : hundredths + 1) / 100;
  return Number((micros / microsPerSecond).toFixed(2));
}
