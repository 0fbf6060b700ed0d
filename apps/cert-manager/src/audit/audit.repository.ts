import type { AuditAction } from '@certloop/contracts';
import {
  capabilitiesOf,
  column,
  defineTable,
  executeSql,
  insertMany,
  querySql,
  type Tx,
  updateRows,
} from '@certloop/db';
import type { AuditClearingRow, AuditLogRow, AuditOutcome } from './audit-entry.js';

export const auditLogs = defineTable<AuditLogRow>('audit_logs', {
  columns: {
    id: column.key(),
    entryId: column.uuid(),
    timestamp: column.instant(),
    action: column.word<AuditAction>(64),
    resourceType: column.word(64),
    resourceId: column.uuid(),
    spaceId: column.uuid().nullable(),
    userId: column.uuid(),
    username: column.word(64),
    outcome: column.word<AuditOutcome>(16),
    details: column.json<Readonly<Record<string, unknown>>>(),
    ipAddress: column.word(45),
    ipKey: column.word(32),
    userAgent: column.text(),
  },
  // each ends with the position, which every list is ordered by
  indexes: [
    { columns: ['entryId'], unique: true },
    { columns: ['timestamp', 'id'] },
    { columns: ['action', 'id'] },
    { columns: ['resourceId', 'id'] },
    { columns: ['spaceId', 'id'] },
    { columns: ['userId', 'id'] },
    { columns: ['username', 'id'] },
    { columns: ['resourceType', 'id'] },
    { columns: ['outcome', 'id'] },
    { columns: ['ipKey', 'id'] },
  ],
});

export const auditClearings = defineTable<AuditClearingRow>('audit_clearings', {
  columns: {
    id: column.key(),
    at: column.instant(),
    count: column.integer(),
    firstSeq: column.bigint().nullable(),
    lastSeq: column.bigint().nullable(),
    userId: column.uuid(),
    username: column.word(64),
    ipAddress: column.word(45),
  },
});

export async function insertAuditLogs(tx: Tx, rows: readonly Omit<AuditLogRow, 'id'>[]): Promise<void> {
  await insertMany(tx, auditLogs, rows);
}

/** Replaces the details of an entry; false when it is gone. */
export async function updateAuditDetails(
  tx: Tx,
  entryId: string,
  details: Readonly<Record<string, unknown>>,
): Promise<boolean> {
  return (await updateRows(tx, auditLogs, { entryId }, { details })) === 1;
}

/** Position of the newest entry; 0 if there is none. */
export async function findLastSeq(tx: Tx): Promise<number> {
  const columns = { lastSeq: column.bigint().nullable() };
  const [found] = await querySql(tx, columns, 'select max(id) as last_seq from audit_logs');
  return found?.lastSeq ?? 0;
}

/** When and by whom something was last done to a resource, as far as the log has it. */
export async function findLastAct(
  tx: Tx,
  resourceId: string,
  action: AuditAction,
): Promise<Pick<AuditLogRow, 'timestamp' | 'username'> | undefined> {
  const { timestamp, username } = auditLogs.columns;
  const text = `select timestamp, username from audit_logs
    where resource_id = $1 and action = $2 order by id desc limit 1`;
  const [row] = await querySql(tx, { timestamp, username }, text, [resourceId, action]);
  return row;
}

/** Every name in the log, each once; costs as many steps as there are names. */
export async function listAuditUsernames(tx: Tx): Promise<string[]> {
  const rows = await querySql(
    tx,
    { username: column.word(64) },
    `with recursive names(username) as (
       select min(username) from audit_logs
       union all
       select (select min(l.username) from audit_logs l where l.username > names.username)
       from names where names.username is not null)
     select username from names where username is not null`,
  );
  return rows.map(({ username }) => username);
}

/** Deletes the entries up to the newest one that the transaction saw and returns how many there still were. */
export async function deleteAuditLogsTo(tx: Tx, lastSeq: number): Promise<number> {
  // Without a condition SQLite frees whole pages, for a million entries in a second instead of a minute; as its
  // transactions have no other writer beside them, these are the same entries.
  if (!capabilitiesOf(tx).hasConcurrentWriters) return executeSql(tx, 'delete from audit_logs');
  return executeSql(tx, 'delete from audit_logs where id <= $1', [lastSeq]);
}

export async function insertAuditClearing(tx: Tx, row: Omit<AuditClearingRow, 'id'>): Promise<void> {
  await insertMany(tx, auditClearings, [row]);
}

/** Every emptying of the log, oldest first. */
export async function listClearingRows(tx: Tx): Promise<AuditClearingRow[]> {
  return tx.find(auditClearings, { order: { id: 'ASC' } });
}
