import { column, defineTable, executeSql, insertMany, querySql, type Tx, updateRows } from '@certloop/db';
import type { Micros } from '../instants.js';
import type { Check, CheckSettings } from './check.js';
import type { CheckKind, StateChange, StoredStatus } from './check-state.js';

export const checks = defineTable<Check>('checks', {
  columns: {
    id: column.key(),
    projectId: column.uuid(),
    uuid: column.uuid(),
    badgeUuid: column.uuid(),
    uniqueKey: column.word(40),
    name: column.word(100),
    slug: column.word(100),
    tags: column.word(500),
    description: column.text(),
    kind: column.word<CheckKind>(10),
    timeoutSeconds: column.integer(),
    graceSeconds: column.integer(),
    schedule: column.word(100),
    tz: column.word(36),
    manualResume: column.boolean(),
    methods: column.word<'' | 'POST'>(4),
    startKeywords: column.word(200),
    successKeywords: column.word(200),
    failureKeywords: column.word(200),
    filterSubject: column.boolean(),
    filterBody: column.boolean(),
    filterHttpBody: column.boolean(),
    filterDefaultFail: column.boolean(),
    storedStatus: column.word<StoredStatus>(6),
    lastPing: column.preciseInstant().nullable(),
    lastStart: column.preciseInstant().nullable(),
    lastStartRunId: column.uuid().nullable(),
    lastDuration: column.bigint().nullable(),
    alertAfter: column.preciseInstant().nullable(),
    pingCount: column.bigint(),
    createdAt: column.preciseInstant(),
  },
  indexes: [
    { columns: ['uuid'], unique: true },
    { columns: ['badgeUuid'], unique: true },
    { columns: ['projectId', 'id'] },
    { columns: ['projectId', 'slug'] },
    { columns: ['projectId', 'uniqueKey'] },
    { columns: ['alertAfter'], where: 'alert_after is not null' },
  ],
  references: [{ columns: ['projectId'], table: 'projects', onDelete: 'CASCADE' }],
});

/** Checks of a project in the order of their making; of one slug if given. */
export async function listProjectChecks(tx: Tx, projectId: string, slug?: string): Promise<Check[]> {
  const bySlug = slug === undefined ? '' : 'and slug = $2';
  const text = `select * from checks where project_id = $1 ${bySlug} order by id`;
  return querySql(tx, checks.columns, text, slug === undefined ? [projectId] : [projectId, slug]);
}

export async function findCheckByUuid(tx: Tx, uuid: string): Promise<Check | undefined> {
  const [found] = await querySql(tx, checks.columns, 'select * from checks where uuid = $1', [uuid]);
  return found;
}

export async function findCheckByBadgeUuid(tx: Tx, badgeUuid: string): Promise<Check | undefined> {
  const text = 'select * from checks where badge_uuid = $1';
  const [found] = await querySql(tx, checks.columns, text, [badgeUuid]);
  return found;
}

export async function findCheckByUniqueKey(
  tx: Tx,
  projectId: string,
  uniqueKey: string,
): Promise<Check | undefined> {
  const text = 'select * from checks where project_id = $1 and unique_key = $2';
  const [found] = await querySql(tx, checks.columns, text, [projectId, uniqueKey]);
  return found;
}

/** Up to two checks of that slug: enough to know that it means several. */
export async function findChecksBySlug(tx: Tx, projectId: string, slug: string): Promise<Check[]> {
  const text = 'select * from checks where project_id = $1 and slug = $2 order by id limit 2';
  return querySql(tx, checks.columns, text, [projectId, slug]);
}

/** The oldest check of the project that has all these settings. */
export async function findMatchingCheck(
  tx: Tx,
  projectId: string,
  settings: Partial<CheckSettings>,
): Promise<Check | undefined> {
  const [found] = await tx.find(checks, { where: { ...settings, projectId }, order: { id: 'ASC' }, take: 1 });
  return found;
}

/** The check, held until the transaction ends: what is read here nobody else changes meanwhile. */
export async function holdCheck(tx: Tx, uuid: string): Promise<Check | undefined> {
  // a writer of SQLite is alone anyway
  const lock = tx.dataSource.options.type === 'postgres' ? 'for update' : '';
  const [found] = await querySql(tx, checks.columns, `select * from checks where uuid = $1 ${lock}`, [uuid]);
  return found;
}

export async function insertCheck(tx: Tx, check: Omit<Check, 'id'>): Promise<void> {
  await insertMany(tx, checks, [check]);
}

export async function updateCheck(tx: Tx, id: number, changes: Partial<Omit<Check, 'id'>>): Promise<void> {
  await updateRows<Check>(tx, checks, { id }, changes);
}

/** Writes what a ping changed, and its number. */
export async function updateCheckState(
  tx: Tx,
  id: number,
  pingCount: number,
  state: StateChange,
): Promise<void> {
  const text = `update checks set ping_count = $1, stored_status = $2, last_ping = $3, last_start = $4,
    last_start_run_id = $5, last_duration = $6, alert_after = $7 where id = $8`;
  const { storedStatus, lastPing, lastStart, lastStartRunId, lastDuration, alertAfter } = state;
  const values = [pingCount, storedStatus, lastPing, lastStart, lastStartRunId, lastDuration, alertAfter, id];
  await executeSql(tx, text, values);
}

export async function deleteCheck(tx: Tx, id: number): Promise<void> {
  await executeSql(tx, 'delete from checks where id = $1', [id]);
}

/** Checks whose `alertAfter` has passed, the earliest first. */
export async function listOverdueChecks(tx: Tx, now: Micros, most: number): Promise<Check[]> {
  const text = `select * from checks where alert_after is not null and alert_after < $1
    and stored_status <> 'down' order by alert_after limit $2`;
  return querySql(tx, checks.columns, text, [now, most]);
}

/** Sets these where nothing has happened to the check since it was read; tells whether that was so. */
export async function updateOverdueCheck(
  tx: Tx,
  { id, storedStatus, alertAfter }: Check,
  changes: Partial<Pick<Check, 'storedStatus' | 'alertAfter'>>,
): Promise<boolean> {
  return (
    (await updateRows<Check>(tx, checks, { id, storedStatus, alertAfter: alertAfter ?? 0 }, changes)) === 1
  );
}
