import { column, defineTable, executeSql, insertIfAbsent, insertOrUpdate, type Tx } from '@certloop/db';

/** Part of the monitor that is watched: whether it answers, has room for all checks, and raises alerts. */
export type MonitorPart = 'monitor' | 'room' | 'alerts';

/** When that part last worked, as any process of this service saw. One row for each part. */
export const monitorAnswers = defineTable('monitor_answers', {
  columns: {
    id: column.word<MonitorPart>(16).primary(),
    answeredAt: column.instant(),
    /** When an event said that it does not work; null while it does, or since it has again. */
    awayNoticedAt: column.instant().nullable(),
  },
});

/** Notes that the part works; true for the first process that does so after an event said that it does not. */
export async function noteBack(tx: Tx, part: MonitorPart, now: Date): Promise<boolean> {
  const back = `update monitor_answers set answered_at = $2, away_noticed_at = null
    where id = $1 and away_noticed_at is not null`;
  return (await executeSql(tx, back, [part, now])) === 1;
}

/** Stores that the monitor answered now; call it after `noteBack`. */
export async function noteAnswer(tx: Tx, now: Date): Promise<void> {
  await insertOrUpdate(tx, monitorAnswers, { id: 'monitor', answeredAt: now });
}

/**
 * Notes that the part has not worked since before `before`; true for the first process that finds so. An answer
 * from the future is from before the clock was set back.
 */
export async function noteAway(
  tx: Tx,
  part: MonitorPart,
  { now, before }: { readonly now: Date; readonly before: Date },
): Promise<boolean> {
  await insertIfAbsent(tx, monitorAnswers, { id: part, answeredAt: before });
  const away = `update monitor_answers set away_noticed_at = $2
    where id = $1 and away_noticed_at is null and (answered_at <= $3 or answered_at > $2)`;
  return (await executeSql(tx, away, [part, now, before])) === 1;
}
