import type { CheckChange, CheckChangeResult } from '@certloop/contracts/browser';

/** Ids in one request; the service takes no more. */
const maxIds = 1_000;

/** How far a change of checks has come. */
export interface BulkProgress {
  readonly change: CheckChange;
  /** What came of the requests so far. */
  readonly sum: CheckChangeResult;
  /** How many of its ids were sent. */
  readonly sent: number;
  /** Where the rest of a filter begins. */
  readonly after: number | undefined;
  readonly isDone: boolean;
}

/** A change before its first request, or where an earlier run of the same change has stopped. */
export function startOf(change: CheckChange, stopped: BulkProgress | undefined): BulkProgress {
  if (stopped !== undefined && JSON.stringify(stopped.change) === JSON.stringify(change)) return stopped;
  const sum = { matched: 0, changed: 0, unchanged: 0, skipped: 0, results: [] };
  return { change, sum, sent: 0, after: undefined, isDone: false };
}

/** The next request of a change. */
export function requestOf({ change, sent, after }: BulkProgress): CheckChange {
  const { ids, ...rest } = change;
  if (ids !== undefined) return { ...rest, ids: ids.slice(sent, sent + maxIds) };
  return { ...rest, ...(after !== undefined && { after }) };
}

/** The change after the response to its next request. */
export function advanced({ change, sum, sent }: BulkProgress, reply: CheckChangeResult): BulkProgress {
  const sentThen = sent + maxIds;
  return {
    change,
    sum: {
      matched: sum.matched + reply.matched,
      changed: sum.changed + reply.changed,
      unchanged: sum.unchanged + reply.unchanged,
      skipped: sum.skipped + reply.skipped,
      results: [...sum.results, ...reply.results],
    },
    sent: sentThen,
    after: reply.next,
    isDone: change.ids === undefined ? reply.next === undefined : sentThen >= change.ids.length,
  };
}
