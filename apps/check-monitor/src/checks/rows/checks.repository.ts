import {
  type Column,
  column,
  defineTable,
  deleteRows,
  findRow,
  insertMany,
  placeholders,
  querySql,
  type SqlValue,
  type Tx,
  updateRows,
} from '@certloop/db';
import { whereKeyPings } from '../../projects/projects.repository.js';
import type { Check, CheckState, PingSettings, UniqueSettings } from '../check.js';
import type { CheckKind, PeriodSettings } from '../check-timing.js';
import {
  checkStates,
  insertCheckState,
  insertCheckStates,
  lockState,
  stateColumns,
  updateCheckState,
} from './check-states.repository.js';

/** A check without what pings change of it. */
export type CheckRow = Omit<Check, keyof CheckState>;

type ColumnsOf<Row> = { readonly [Name in keyof Row]-?: Column<Row[Name]> };

/** Columns of the settings that decide when pings are expected. */
export const periodColumns: ColumnsOf<PeriodSettings> = {
  kind: column.word<CheckKind>(10),
  timeoutSeconds: column.integer(),
  graceSeconds: column.integer(),
  schedule: column.word(100),
  tz: column.word(36),
};

/** Columns of the settings that decide how pings count. */
export const pingSettingColumns: ColumnsOf<PingSettings> = {
  manualResume: column.boolean(),
  methods: column.word<'' | 'POST'>(4),
  startKeywords: column.word(200),
  successKeywords: column.word(200),
  failureKeywords: column.word(200),
  filterSubject: column.boolean(),
  filterBody: column.boolean(),
  filterHttpBody: column.boolean(),
  filterDefaultFail: column.boolean(),
};

export const checks = defineTable<CheckRow>('checks', {
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
    ...periodColumns,
    ...pingSettingColumns,
    createdAt: column.preciseInstant(),
  },
  indexes: [
    { columns: ['uuid'], unique: true },
    { columns: ['badgeUuid'], unique: true },
    { columns: ['projectId', 'id'] },
    { columns: ['projectId', 'slug'] },
    { columns: ['projectId', 'name'] },
    { columns: ['projectId', 'uniqueKey'] },
    { columns: ['uniqueKey'] },
  ],
  references: [{ columns: ['projectId'], table: 'projects', onDelete: 'CASCADE' }],
});

const {
  checkId: _checkId,
  revision: _revision,
  firstSlot: _firstSlot,
  lastSlot: _lastSlot,
  slotCount: _slotCount,
  ...ofState
} = checkStates.columns;

/** Columns of `wholeChecks`. */
export const wholeCheckColumns: ColumnsOf<Check> = {
  ...ofState,
  ...checks.columns,
};

/** Checks with their states, to select from. */
export const wholeChecks = 'checks join check_states on check_states.check_id = checks.id';

export async function findCheckByUuid(tx: Tx, uuid: string): Promise<Check | undefined> {
  return (await listWhere(tx, 'uuid = $1', [uuid]))[0];
}

/** The checks with these ids, in any order. */
export async function listChecksById(tx: Tx, ids: readonly number[]): Promise<Check[]> {
  return ids.length === 0 ? [] : listWhere(tx, `id in (${placeholders(ids.length, 1)})`, ids);
}

export async function findCheckByBadgeUuid(tx: Tx, badgeUuid: string): Promise<Check | undefined> {
  return (await listWhere(tx, 'badge_uuid = $1', [badgeUuid]))[0];
}

export async function findCheckByUniqueKey(
  tx: Tx,
  projectId: string,
  uniqueKey: string,
): Promise<Check | undefined> {
  return (await listWhere(tx, 'project_id = $1 and unique_key = $2', [projectId, uniqueKey]))[0];
}

/** Unique keys of checks by their ids, but for checks with the tag. */
export async function listUniqueKeysWithout(
  tx: Tx,
  ids: readonly number[],
  tag: string,
): Promise<Map<number, string>> {
  if (ids.length === 0) return new Map();
  const places = ids.map((_, index) => `$${index + 1}`).join(', ');
  const { id, uniqueKey, tags } = checks.columns;
  const text = `select id, unique_key, tags from checks where id in (${places})`;
  const rows = await querySql(tx, { id, uniqueKey, tags }, text, ids);
  const others = rows.filter((row) => !row.tags.split(' ').includes(tag));
  return new Map(others.map((row) => [row.id, row.uniqueKey]));
}

/** Checks of that unique key in all projects: one, unless uuids that were brought in begin alike. */
export function listChecksByUniqueKey(tx: Tx, uniqueKey: string): Promise<Check[]> {
  return listWhere(tx, 'unique_key = $1 order by id limit 10', [uniqueKey]);
}

/** Up to two checks of that slug: enough to know that it means several. */
export function findChecksBySlug(tx: Tx, projectId: string, slug: string): Promise<Check[]> {
  return listWhere(tx, 'project_id = $1 and slug = $2 order by id limit 2', [projectId, slug]);
}

/** Uuids of up to two checks of that slug in the project of a ping key. */
export async function findUuidsBySlug(tx: Tx, pingKey: string, slug: string): Promise<string[]> {
  const where = whereKeyPings(tx, pingKey, 2);
  const text = `select c.uuid from projects p join checks c on c.project_id = p.id
    where p.id ${where.text} and c.slug = $1 order by c.id limit 2`;
  const rows = await querySql(tx, { uuid: checks.columns.uuid }, text, [slug, ...where.values]);
  return rows.map(({ uuid }) => uuid);
}

/** The oldest check of the project that has all these settings. */
export async function findMatchingCheck(
  tx: Tx,
  projectId: string,
  settings: Partial<UniqueSettings>,
): Promise<Pick<Check, 'uuid'> | undefined> {
  return findRow(tx, checks, { ...settings, projectId }, { by: ['id'], direction: 'asc' });
}

/** The check as it is now, locked until the transaction ends. */
export async function lockCheck(tx: Tx, uuid: string): Promise<Check | undefined> {
  await lockState(tx, uuid);
  return findCheckByUuid(tx, uuid);
}

export async function insertCheck(tx: Tx, check: Omit<Check, 'id'>): Promise<void> {
  await insertMany(tx, checks, [parts(check).row as Omit<CheckRow, 'id'>]);
  await insertCheckState(tx, check.uuid, check);
}

/** Inserts many checks at once. */
export async function insertChecks(tx: Tx, made: readonly Omit<Check, 'id'>[]): Promise<void> {
  if (made.length === 0) return;
  const rows = made.map((check) => parts(check));
  await insertMany(
    tx,
    checks,
    rows.map(({ row }) => row as Omit<CheckRow, 'id'>),
  );
  await insertCheckStates(
    tx,
    made.map(({ uuid }, index) => ({ uuid, state: rows[index]?.state as CheckState })),
  );
}

/** Sets what `changes` names. Nothing else may change a check, or pings would not learn of it. */
export async function updateCheck(tx: Tx, id: number, changes: Partial<Omit<Check, 'id'>>): Promise<void> {
  const { row, state } = parts(changes);
  if (Object.keys(row).length > 0) await updateRows<CheckRow>(tx, checks, { id }, row);
  await updateCheckState(tx, id, state);
}

export async function deleteCheck(tx: Tx, id: number): Promise<void> {
  await deleteRows(tx, checks, { id });
}

/** Whole checks that meet the condition, which may go on with an order and a limit. */
function listWhere(tx: Tx, condition: string, values: readonly SqlValue[]): Promise<Check[]> {
  return querySql(tx, wholeCheckColumns, `select * from ${wholeChecks} where ${condition}`, values);
}

/** Returns the changes of a check by the table of their columns. */
function parts(changes: Partial<Check>): { row: Partial<CheckRow>; state: Partial<CheckState> } {
  const isState = ([property]: [string, unknown]) => property in stateColumns;
  const entries = Object.entries(changes);
  return {
    row: Object.fromEntries(entries.filter((entry) => !isState(entry))),
    state: Object.fromEntries(entries.filter(isState)),
  };
}
