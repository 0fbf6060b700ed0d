import type { DurationBucket } from '@certloop/contracts';
import { isoSeconds } from '../../../instants.js';
import { pairRuns, type RunEvent, roundedSeconds } from '../../../pings/durations.js';

/** Durations of the runs among pings, in at most `points` buckets of about as many runs. Pings come oldest first. */
export function durationBuckets(oldestFirst: readonly RunEvent[], points: number): DurationBucket[] {
  const { durations } = pairRuns(oldestFirst, Number.POSITIVE_INFINITY);
  const runs = oldestFirst.filter(({ n }) => durations.has(n));
  const size = Math.max(1, Math.ceil(runs.length / points));
  return Array.from({ length: Math.ceil(runs.length / size) }, (_, place) => {
    const some = runs.slice(place * size, (place + 1) * size);
    const taken = some.map(({ n }) => durations.get(n) ?? 0).sort((one, other) => one - other);
    return {
      at: isoSeconds(some.at(-1)?.at ?? 0),
      min: roundedSeconds(taken[0] ?? 0),
      p50: roundedSeconds(taken[Math.floor((taken.length - 1) / 2)] ?? 0),
      max: roundedSeconds(taken.at(-1) ?? 0),
      runs: some.length,
      fails: some.filter(({ signal }) => signal === 'fail').length,
    };
  });
}
