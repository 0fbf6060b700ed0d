import type { TimelineBucket } from '@certloop/contracts';
import { invalidField } from '../../http/problem.js';

const day = 86_400_000;
const lengthMs: Readonly<Record<TimelineBucket, number>> = { day, week: 7 * day };
const usualMs = 26 * 7 * day;
const maxBuckets = 400;
// 1970-01-01 was a Thursday
const firstMonday = 4 * day;

/** Buckets of a timeline: the first begins at `start`, the last ends at `end`. */
export interface Timeline {
  readonly start: Date;
  readonly end: Date;
  readonly count: number;
  readonly lengthMs: number;
}

/**
 * The buckets that hold the moments from `from` on and before `to`. Throws InvalidInput where there would be none, or more
 * than 400.
 */
export function timelineOf(
  { bucket, from, to }: { bucket: TimelineBucket; from?: Date | undefined; to?: Date | undefined },
  now: Date,
): Timeline {
  const length = lengthMs[bucket];
  const origin = bucket === 'week' ? firstMonday : 0;
  const first = from ?? now;
  const start = Math.floor((first.getTime() - origin) / length) * length + origin;
  const last = to ?? new Date(first.getTime() + usualMs);
  if (last <= first) throw invalidField('query.to', 'must be after from');
  const count = Math.ceil((last.getTime() - start) / length);
  if (count > maxBuckets)
    throw invalidField('query.to', `makes ${count} buckets; ask for at most ${maxBuckets}`);
  return { start: new Date(start), end: new Date(start + count * length), count, lengthMs: length };
}

/** Number of the bucket that holds a moment, from 0; undefined beside them all. */
export function bucketAt({ start, count, lengthMs: length }: Timeline, moment: Date): number | undefined {
  const index = Math.floor((moment.getTime() - start.getTime()) / length);
  return index >= 0 && index < count ? index : undefined;
}
