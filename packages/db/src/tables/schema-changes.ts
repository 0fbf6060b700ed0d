import { type QueryRunner, TableIndex as SchemaIndex, Table, TableColumn } from 'typeorm';
import type { Dialect } from '../dialect.js';
import { type ColumnSpec, columnName, tableColumn } from './columns.js';
import { type AnyTable, indexName, referenceName, type TableIndex } from './table.js';

/** Creates the tables in the order given; for migrations, each with a declaration of its own. */
export async function createTables(
  runner: QueryRunner,
  dialect: Dialect,
  tables: readonly AnyTable[],
): Promise<void> {
  for (const table of tables) await runner.createTable(schemaTable(dialect, table));
}

/** Drops the tables in the reverse of the order given. */
export async function dropTables(runner: QueryRunner, tables: readonly AnyTable[]): Promise<void> {
  for (const table of tables.toReversed()) await runner.dropTable(table.name);
}

/**
 * Adds columns to a table that exists; they must be nullable where it may have rows. On SQLite this copies the whole
 * table: to a table of many rows, add them by `alter table … add column`.
 */
export async function addColumns(
  runner: QueryRunner,
  dialect: Dialect,
  table: string,
  columns: Readonly<Record<string, ColumnSpec>>,
): Promise<void> {
  const added = Object.entries(columns).map(
    ([property, spec]) => new TableColumn(tableColumn(dialect, property, spec, `pk_${table}`)),
  );
  // read again: the copy would lack what an earlier migration of this run added by SQL
  await runner.addColumns((await runner.getTable(table)) ?? table, added);
}

/** Adds indexes to a table that exists. */
export async function addIndexes(
  runner: QueryRunner,
  table: string,
  indexes: readonly TableIndex[],
): Promise<void> {
  for (const index of indexes) await runner.createIndex(table, new SchemaIndex(schemaIndex(table, index)));
}

/** Drops indexes by the words that they were added by. */
export async function dropIndexes(
  runner: QueryRunner,
  table: string,
  indexes: readonly TableIndex[],
): Promise<void> {
  for (const index of indexes) await runner.dropIndex(table, indexName(table, index));
}

function schemaIndex(table: string, index: TableIndex) {
  return {
    name: indexName(table, index),
    columnNames: index.columns.map(columnName),
    isUnique: index.unique === true,
    ...(index.where !== undefined && { where: index.where }),
  };
}

function schemaTable(dialect: Dialect, table: AnyTable): Table {
  return new Table({
    name: table.name,
    columns: Object.entries(table.columns).map(([property, spec]) =>
      tableColumn(dialect, property, spec, `pk_${table.name}`),
    ),
    indices: (table.indexes ?? []).map((index) => schemaIndex(table.name, index)),
    foreignKeys: (table.references ?? []).map((reference) => ({
      name: referenceName(table.name, reference),
      columnNames: reference.columns.map(columnName),
      referencedTableName: reference.table,
      referencedColumnNames: (reference.to ?? ['id']).map(columnName),
      onDelete: reference.onDelete,
    })),
  });
}
