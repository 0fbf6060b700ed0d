/**
 * Databases of the apps: SQLite and PostgreSQL behind one interface, which reads and writes. An app declares each table beside its queries:
 *
 *     export const spaces = defineTable('spaces', {
 *       columns: {
 *         id: column.uuid().primary(),
 *         name: column.word(100),
 *         description: column.text().nullable(),
 *         createdAt: column.instant(), // column created_at
 *       },
 *       indexes: [{ columns: ['name'], unique: true }], // uq_spaces_name
 *     });
 *     export type SpaceRow = RowOf<typeof spaces>;
 *
 * and writes `migrations/0001-initial.ts` by the same words, but as a declaration of its own, since the table in
 * the slice will change and a merged migration may not:
 *
 *     const tables = [defineTable('spaces', { columns: { … }, indexes: [ … ] })]; // referred to before referring
 *     export const initial: Migration = {
 *       name: '0001-initial',
 *       up: (runner, dialect) => createTables(runner, dialect, tables),
 *       down: (runner) => dropTables(runner, tables),
 *     };
 *
 * `database.ts` lists both manually, and a test shows that they agree (`schemaDrift()` is empty):
 *
 *     export const schema: Schema = {
 *       entities: (dialect) => entitiesOf(dialect, [spaces]),
 *       migrations: [initial],
 *     };
 *     const database = await openDatabase({ url: 'sqlite:./data/app.sqlite', schema });
 *     await database.migrate();
 *     await database.transaction((tx) => insertMany(tx, spaces, [space]));
 *     const found = await database.read((tx) => tx.findOneBy(spaces, { id }));
 */

export {
  type Database,
  type DatabaseOptions,
  type DatabaseWarning,
  openDatabase,
  type Schema,
  type Tx,
} from './database.js';
export { type Capabilities, capabilitiesOf, type Dialect, type DialectName, inDialect } from './dialect.js';
export {
  type ConstraintKind,
  type ConstraintViolation,
  constraintViolation,
  onUniqueViolation,
} from './faults/constraint-errors.js';
export { DatabaseMissing, DatabaseUnavailable } from './faults/failures.js';
export { isDiskFault } from './faults/write-faults.js';
export { makeFolder } from './folder.js';
export { connectionName } from './postgres/connection-name.js';
export type { Autocommit, AutocommitStatement } from './postgres/postgres-autocommit.js';
export { keepsPrepared } from './postgres/postgres-client.js';
export { type BatchClaim, type Claim, claimDue, claimDueBatch } from './rows/claim.js';
export { databaseClock } from './rows/database-clock.js';
export { type Equalities, findRow, findRows, hasRow, type RowOrder } from './rows/find.js';
export {
  isWholeList,
  type ListPage,
  type ListWindow,
  mapPage,
  readList,
  readListPage,
  type SortedList,
} from './rows/list-page.js';
export { lockForChange, lockForShare, lockForUpdate } from './rows/lock-rows.js';
export { placeholders } from './rows/plain-sql.js';
export { type FutureMoment, type PullBackTerms, pullBackMoments } from './rows/pull-back.js';
export { newRowId } from './rows/row-id.js';
export { changeInSlices } from './rows/row-slices.js';
export { executeSql, querySql, querySqlInSlices, type SqlValue } from './rows/sql.js';
export {
  deleteRows,
  insertIfAbsent,
  insertMany,
  insertOrUpdate,
  insertUnlessTaken,
  type NewRow,
  updateRows,
} from './rows/write.js';
export { Column, type ColumnSpec, column, columnName } from './tables/columns.js';
export type { Migration } from './tables/migrations.js';
export { addColumns, addIndexes, createTables, dropIndexes, dropTables } from './tables/schema-changes.js';
export {
  type AnyTable,
  defineTable,
  entitiesOf,
  type RowOf,
  type TableIndex,
  type TableOf,
  type TableReference,
  type TableSpec,
} from './tables/table.js';
export { afterCommit } from './transactions/after-commit.js';
export { slicesOf, yieldBetween } from './transactions/yield-between.js';
