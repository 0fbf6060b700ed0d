import { column, defineTable, executeSql, insertMany, querySql, type Tx, updateRows } from '@certloop/db';
import type { Micros } from '../instants.js';
import type { Check, CheckSettings } from './check.js';
import type { CheckKind, StoredStatus } from './check-state.js';
import { jsonRows } from './json-rows.js';

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

export async function findCheckById(tx: Tx, id: number): Promise<Check | undefined> {
  const [found] = await querySql(tx, checks.columns, 'select * from checks where id = $1', [id]);
  return found;
}

const mostNamed = 10;

/** How the other checks of a check's project are doing; those that are down, if they are 10 at most. */
export async function summariseOthers(
  tx: Tx,
  { id, projectId }: Pick<Check, 'id' | 'projectId'>,
): Promise<{ total: number; downCount: number; down: Check[] }> {
  const text = `select count(*) as total, count(case when stored_status = 'down' then 1 end) as down_count
    from checks where project_id = $1 and id <> $2`;
  const columns = { total: column.bigint(), downCount: column.bigint() };
  const [counts] = await querySql(tx, columns, text, [projectId, id]);
  const { total, downCount } = counts ?? { total: 0, downCount: 0 };
  if (downCount === 0 || downCount > mostNamed) return { total, downCount, down: [] };
  const named = `select * from checks where project_id = $1 and id <> $2 and stored_status = 'down'
    order by name, id`;
  return { total, downCount, down: await querySql(tx, checks.columns, named, [projectId, id]) };
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
  const text = `select * from checks where uuid = $1 ${lockClause(tx)}`;
  const [found] = await querySql(tx, checks.columns, text, [uuid]);
  return found;
}

export async function insertCheck(tx: Tx, check: Omit<Check, 'id'>): Promise<void> {
  await insertMany(tx, checks, [check]);
}

export async function updateCheck(tx: Tx, id: number, changes: Partial<Omit<Check, 'id'>>): Promise<void> {
  await updateRows<Check>(tx, checks, { id }, changes);
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

/** Puts off the next look at a check, where nothing has happened to it since it was read. */
export async function postponeCheck(tx: Tx, check: Check, alertAfter: Micros | null): Promise<void> {
  const text = 'update checks set alert_after = $1 where id = $2 and alert_after = $3';
  await executeSql(tx, text, [alertAfter, check.id, check.alertAfter]);
}

const seenColumns = { id: 'bigint', stored_status: 'text', alert_after: 'bigint' } as const;

/** Turns the checks down to which nothing has happened since they were read; returns the ids of these. */
export async function turnDown(tx: Tx, seen: readonly Check[]): Promise<Set<number>> {
  const text = `update checks set stored_status = 'down', alert_after = null from ${jsonRows(seenColumns, isPostgres(tx))}
    where checks.id = v.id and checks.stored_status = v.stored_status and checks.alert_after = v.alert_after
    returning checks.id`;
  const rows = seen.map(({ id, storedStatus, alertAfter }) => {
    return { id, stored_status: storedStatus, alert_after: alertAfter };
  });
  const fallen = await querySql(tx, { id: checks.columns.id }, text, [rows]);
  return new Set(fallen.map(({ id }) => id));
}

function isPostgres(tx: Tx): boolean {
  return tx.dataSource.options.type === 'postgres';
}

/** A writer of SQLite is alone anyway. */
function lockClause(tx: Tx): string {
  return isPostgres(tx) ? 'for update' : '';
}
