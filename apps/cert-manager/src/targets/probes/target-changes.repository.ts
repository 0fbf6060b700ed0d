import { column, defineTable, executeSql, insertMany, type RowOf, type Tx } from '@certloop/db';
import type { TargetStateRow } from './target-states.repository.js';

export const targetChanges = defineTable('target_changes', {
  columns: {
    id: column.uuid().primary(),
    targetId: column.uuid(),
    address: column.word(45),
    at: column.instant(),
    class: column.word<TargetStateRow['class']>(20),
    serialNumber: column.word(64).nullable(),
    leafSha256: column.word(64).nullable(),
  },
  indexes: [{ columns: ['targetId', 'at', 'id'] }, { columns: ['at', 'id'] }],
  references: [{ columns: ['targetId'], table: 'targets', onDelete: 'CASCADE' }],
});

/** A change of what an address serves. */
export type TargetChangeRow = RowOf<typeof targetChanges>;

const maxChanges = 200;

/** Records changes of a target; the newest 200 stay. */
export async function insertChanges(
  tx: Tx,
  targetId: string,
  rows: readonly TargetChangeRow[],
): Promise<void> {
  if (rows.length === 0) return;
  await insertMany(tx, targetChanges, rows);
  await executeSql(
    tx,
    `delete from target_changes where target_id = $1 and id in (
       select id from target_changes where target_id = $1 order by at desc, id desc limit 1000 offset ${maxChanges})`,
    [targetId],
  );
}

/** Deletes changes from before the moment; how many, at most `limit`. */
export function deleteOldChanges(tx: Tx, before: Date, limit: number): Promise<number> {
  return executeSql(
    tx,
    `delete from target_changes where id in (
       select id from target_changes where at < $1 order by at, id limit ${limit})`,
    [before],
  );
}
