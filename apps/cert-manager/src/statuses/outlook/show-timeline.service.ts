import type { certManagerContract, QueryOf } from '@certloop/contracts';
import type { Caller } from '../../access/caller.js';
import { bucketAt, type Timeline, timelineOf } from './expiry-timeline.js';
import { countBeside, listEnding, readDays } from './expiry-timeline.repository.js';
import type { EndingRow } from './outlook.repository.js';
import { type OutlookDeps, scopeOf, sharedOrOwn } from './show-outlook.service.js';

export type TimelineQuery = QueryOf<typeof certManagerContract.getExpiryTimeline>;

/** How many certificates end in each bucket, by what happens to them. */
export interface TimelineReport {
  readonly buckets: readonly { start: Date; willRenew: number; needsHand: number; failing: number }[];
  readonly overdue: number;
  readonly later: number;
  /** Where they are few. */
  readonly names: readonly EndingRow[] | undefined;
}

const maxNames = 12;

/** The ends of the newest certificates in spaces that the caller may read. Throws InvalidInput for too many buckets. */
export function showExpiryTimeline(
  { db, clock, timelines }: OutlookDeps,
  caller: Caller,
  { bucket = 'week', from, to, spaceId }: TimelineQuery,
): Promise<TimelineReport> {
  const scope = scopeOf(caller, spaceId);
  const moment = (text: string | undefined) => (text === undefined ? undefined : new Date(text));
  const timeline = timelineOf({ bucket, from: moment(from), to: moment(to) }, clock.now());
  const read = () =>
    db.longRead(async (tx) => {
      const days = await readDays(tx, scope, timeline);
      const names = await listEnding(tx, scope, timeline, maxNames + 1);
      return {
        buckets: bucketsOf(timeline, days),
        ...(await countBeside(tx, scope, timeline)),
        names: names.length <= maxNames ? names : undefined,
      };
    });
  const key = `${timeline.start.getTime()} ${timeline.end.getTime()} ${bucket} ${spaceId ?? ''}`;
  return sharedOrOwn(timelines, caller, key, read);
}

function bucketsOf(timeline: Timeline, days: Awaited<ReturnType<typeof readDays>>) {
  const buckets = Array.from({ length: timeline.count }, (_, index) => ({
    start: new Date(timeline.start.getTime() + index * timeline.lengthMs),
    willRenew: 0,
    needsHand: 0,
    failing: 0,
  }));
  for (const { day, willRenew, needsHand, failing } of days) {
    const bucket = buckets[bucketAt(timeline, new Date(`${day}T00:00:00Z`)) ?? -1];
    if (bucket === undefined) continue;
    bucket.willRenew += willRenew;
    bucket.needsHand += needsHand;
    bucket.failing += failing;
  }
  return buckets;
}
