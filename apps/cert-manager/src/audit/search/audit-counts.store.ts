import type { Dialect } from '@certloop/db';
import { LRUCache } from 'lru-cache';
import type { AuditEnds, AuditStretch, TransactionHorizon } from './audit-stretches.js';

/**
 * How many entries filters let through, remembered up to a position: nothing will be added below it, so that only
 * what came since has to be counted. The log loses entries only at its beginning, and is counted again then.
 */
export interface AuditCounts {
  /**
   * The exact number of entries between the ends that something lets through, which `key` identifies;
   * `count` counts in a stretch of the log. On PostgreSQL, `horizon` is that of the transaction which reads.
   */
  total(
    key: string,
    ends: AuditEnds,
    count: (stretch: AuditStretch) => Promise<number>,
    horizon?: TransactionHorizon,
  ): Promise<number>;
}

interface Remembered {
  readonly count: number;
  readonly first: number;
  readonly upTo: number;
}

const maxStored = 500;
// no transaction of this service lasts as long
const settlesAfterMs = 60_000;
// longer than a statement takes from its position to the number of its transaction, which is all that it has to do
const settlesEarliestMs = 2_000;
const markEveryMs = 1_000;

/** `nowMs` is a clock that is never set back. */
export function createAuditCounts(
  { name }: Pick<Dialect, 'name'>,
  nowMs: () => number = () => performance.now(),
): AuditCounts {
  const known = new LRUCache<string, Remembered>({ max: maxStored });
  const settled: Settled = name === 'sqlite' ? (last) => last : createMarks(nowMs);
  return {
    total: async (key, { first, last }, count, horizon) => {
      const before = known.get(key);
      // the log lost entries since, or this is the first time
      let base = before?.first === first ? before : { count: 0, first, upTo: first - 1 };
      const upTo = settled(last, horizon);
      if (upTo > base.upTo) {
        base = { count: base.count + (await count({ above: base.upTo, upTo })), first, upTo };
        known.set(key, base);
      }
      return last > base.upTo ? base.count + (await count({ above: base.upTo, upTo: last })) : base.count;
    },
  };
}

type Settled = (last: number, horizon: TransactionHorizon | undefined) => number;

interface Mark {
  readonly atMs: number;
  readonly last: number;
  /** Number of the first transaction that had not begun then; unknown without a horizon. */
  readonly next: number | undefined;
}

/**
 * Position below which nothing will be added. PostgreSQL hands positions out before it commits: what was the
 * newest entry a while ago has nothing unfinished below it once every transaction of that time has ended, or after a
 * minute; 0 when nothing is known of that time. SQLite's writers take turns, so that there the newest entry is always
 * such a one.
 */
function createMarks(nowMs: () => number): Settled {
  let marks: Mark[] = [];
  return (last, horizon) => {
    const now = nowMs();
    const newest = marks.at(-1);
    if (newest === undefined || now - newest.atMs >= markEveryMs) {
      marks = [...marks, { atMs: now, last, next: horizon?.next }];
    }
    const settled = marks.findLast(({ atMs, next = Number.POSITIVE_INFINITY }) => {
      const age = now - atMs;
      return age >= settlesAfterMs || (age >= settlesEarliestMs && (horizon?.oldest ?? 0) >= next);
    });
    if (settled !== undefined) marks = marks.slice(marks.indexOf(settled));
    return settled?.last ?? 0;
  };
}
