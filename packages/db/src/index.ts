export { Column, type ColumnSpec, column } from './columns.js';
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
export {
  type AnyTable,
  createTables,
  defineTable,
  dropTables,
  entitiesOf,
  type TableIndex,
  type TableOf,
  type TableReference,
  type TableSpec,
} from './table.js';
