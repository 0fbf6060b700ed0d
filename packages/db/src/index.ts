export { type Claim, claimDue } from './claim.js';
export { Column, type ColumnSpec, column } from './columns.js';
export {
  type ConstraintKind,
  type ConstraintViolation,
  constraintViolation,
  onUniqueViolation,
} from './constraint-errors.js';
export {
  type Database,
  type DatabaseOptions,
  type DatabaseWarning,
  openDatabase,
  type Schema,
  type Tx,
} from './database.js';
export type { Dialect, DialectName } from './dialect.js';
export { DatabaseUnavailable } from './failures.js';
export type { Migration } from './migrations.js';
export { findPage, type Page, type PageRequest } from './page.js';
export { executeSql, querySql, type SqlValue } from './sql.js';
export {
  type AnyTable,
  addColumns,
  createTables,
  defineTable,
  dropTables,
  entitiesOf,
  type TableIndex,
  type TableOf,
  type TableReference,
  type TableSpec,
} from './table.js';
export { deleteRows, insertMany, type NewRow, updateRows } from './write.js';
