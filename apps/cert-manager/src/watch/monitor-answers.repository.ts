import { column, defineTable, executeSql, type Tx } from '@certloop/db';

/** When the monitor last answered any process of this service. There is one row. */
export interface MonitorAnswersRow {
  readonly id: string;
  readonly answeredAt: Date;
  /** When an event said that it does not answer; null while it does, or since it has again. */
  readonly awayNoticedAt: Date | null;
}

export const monitorAnswers = defineTable<MonitorAnswersRow>('monitor_answers', {
  columns: {
    id: column.word(16).primary(),
    answeredAt: column.instant(),
    awayNoticedAt: column.instant().nullable(),
  },
});

const id = 'monitor';

/** Notes that the monitor answered; true for the first process that does so after an event said that it was away. */
export async function noteAnswer(tx: Tx, now: Date): Promise<boolean> {
  const back = `update monitor_answers set answered_at = $2, away_noticed_at = null
    where id = $1 and away_noticed_at is not null`;
  if ((await executeSql(tx, back, [id, now])) === 1) return true;
  await executeSql(
    tx,
    `insert into monitor_answers (id, answered_at) values ($1, $2) on conflict (id) do update set answered_at = $2`,
    [id, now],
  );
  return false;
}

/**
 * Notes that the monitor has not answered since before `before`; true for the first process that finds so. An answer
 * from the future is from before the clock was set back.
 */
export async function noteAway(
  tx: Tx,
  { now, before }: { readonly now: Date; readonly before: Date },
): Promise<boolean> {
  await executeSql(
    tx,
    `insert into monitor_answers (id, answered_at) values ($1, $2) on conflict (id) do nothing`,
    [id, before],
  );
  const away = `update monitor_answers set away_noticed_at = $2
    where id = $1 and away_noticed_at is null and (answered_at <= $3 or answered_at > $2)`;
  return (await executeSql(tx, away, [id, now, before])) === 1;
}
