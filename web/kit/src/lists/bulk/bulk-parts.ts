/** Ids in one request; the services take no more. */
const maxIds = 1_000;

/** A change of many rows, which names them by their ids or by a filter. */
interface BulkChange {
  readonly ids?: readonly string[] | undefined;
}

/** Rules by which the results of requests add up. */
export interface BulkRules<Result> {
  readonly none: Result;
  readonly add: (one: Result, other: Result) => Result;
  /** Where the rest of a filter begins after a response; undefined if nothing is left. */
  readonly nextOf: (reply: Result) => number | undefined;
}

/** How far a change in several requests has come. */
export interface BulkProgress<Change extends BulkChange, Result> {
  readonly change: Change;
  /** Result of the requests so far. */
  readonly sum: Result;
  /** How many of its ids were sent. */
  readonly sent: number;
  /** Where the rest of a filter begins. */
  readonly after: number | undefined;
  readonly isDone: boolean;
}

/** A change before its first request, or where an earlier run of the same change has stopped. */
export function startOf<Change extends BulkChange, Result>(
  change: Change,
  stopped: BulkProgress<Change, Result> | undefined,
  { none }: BulkRules<Result>,
): BulkProgress<Change, Result> {
  if (stopped !== undefined && JSON.stringify(stopped.change) === JSON.stringify(change)) return stopped;
  return { change, sum: none, sent: 0, after: undefined, isDone: change.ids?.length === 0 };
}

/** The next request of a change. */
export function nextPartOf<Change extends BulkChange>({
  change,
  sent,
  after,
}: Pick<BulkProgress<Change, unknown>, 'change' | 'sent' | 'after'>): Change & { after?: number } {
  if (change.ids !== undefined) return { ...change, ids: change.ids.slice(sent, sent + maxIds) };
  return { ...change, ...(after !== undefined && { after }) };
}

/**
 * Sends what is left of a change, one request after the other, and returns what came of all of it. `note` gets how far
 * it has come before the first request and after each response.
 */
export async function sendParts<Change extends BulkChange, Result>(
  start: BulkProgress<Change, Result>,
  rules: BulkRules<Result>,
  send: (request: Change & { after?: number }) => Promise<Result>,
  note: (progress: BulkProgress<Change, Result>) => void,
): Promise<Result> {
  let progress = start;
  note(progress);
  while (!progress.isDone) {
    progress = advanced(progress, await send(nextPartOf(progress)), rules);
    note(progress);
  }
  return progress.sum;
}

/** The change after the response to its next request. */
function advanced<Change extends BulkChange, Result>(
  { change, sum, sent }: BulkProgress<Change, Result>,
  reply: Result,
  { add, nextOf }: BulkRules<Result>,
): BulkProgress<Change, Result> {
  const after = nextOf(reply);
  const sentThen = sent + maxIds;
  return {
    change,
    sum: add(sum, reply),
    sent: sentThen,
    after,
    isDone: change.ids === undefined ? after === undefined : sentThen >= change.ids.length,
  };
}
