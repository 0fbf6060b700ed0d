import { column, querySql, type Tx } from '@certloop/db';

/** Notices that a destination has not got yet. */
export interface WaitingNotices {
  readonly destination: 'mail' | 'webhook';
  /** Up to 100,000. */
  readonly count: number;
  /** When the oldest of them was recorded; null if there are none. */
  readonly oldest: Date | null;
}

const maxCounted = 100_000;

/** Mail first, then webhook; also those of a destination that is no longer set. */
export async function countWaitingNotices(tx: Tx): Promise<WaitingNotices[]> {
  const columns = { count: column.bigint(), oldest: column.instant().nullable() };
  const counted: WaitingNotices[] = [];
  // the routes of mail sort before `webhook`
  for (const [destination, condition] of [
    ['mail', '<'],
    ['webhook', '='],
  ] as const) {
    const [found] = await querySql<Pick<WaitingNotices, 'count' | 'oldest'>>(
      tx,
      columns,
      `select count(*) as count, min(created_at) as oldest from (
         select created_at from notices where destination ${condition} 'webhook' limit ${maxCounted}) as counted`,
    );
    counted.push({ destination, count: found?.count ?? 0, oldest: found?.oldest ?? null });
  }
  return counted;
}
