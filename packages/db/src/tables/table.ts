import { EntitySchema, type QueryRunner, TableIndex as SchemaIndex, Table, TableColumn } from 'typeorm';
import type { Dialect } from '../dialect.js';
import { type Column, type ColumnSpec, columnName, entityColumn, tableColumn } from './columns.js';

export interface TableIndex<Property extends string = string> {
  readonly columns: readonly Property[];
  readonly unique?: boolean;
  /** SQL condition of a partial index, over column names, such as `sent_at is null`. */
  readonly where?: string;
  /** Needed only where two indexes share their columns; else made of table and columns. */
  readonly name?: string;
}

export interface TableReference<Property extends string = string> {
  readonly columns: readonly Property[];
  /** Name of the table referred to. */
  readonly table: string;
  /** Columns referred to, as properties; `['id']` when absent. */
  readonly to?: readonly string[];
  readonly onDelete: 'CASCADE' | 'RESTRICT' | 'SET NULL';
}

export interface TableSpec<Row> {
  readonly columns: { readonly [Name in keyof Row]-?: Column<Row[Name]> };
  readonly indexes?: readonly TableIndex<keyof Row & string>[];
  readonly references?: readonly TableReference<keyof Row & string>[];
}

/** A table whatever its rows; what lists of tables hold. */
export interface AnyTable {
  readonly name: string;
  readonly columns: Readonly<Record<string, ColumnSpec>>;
  readonly indexes?: readonly TableIndex[];
  readonly references?: readonly TableReference[];
}

/** A table of rows; serves as TypeORM's entity target: `tx.findOneBy(spaces, { id })`. */
export interface TableOf<Row> extends EntitySchema<Row>, TableSpec<Row> {
  readonly name: string;
}

/**
 * Declares a table once for both databases. The names of columns are those of the properties in snake case.
 * `table` and its columns name every constraint: `pk_<table>`, `uq_<table>_<columns>`, `ix_…`, `fk_…`.
 * Throws when such a name exceeds the 63 characters that PostgreSQL keeps.
 */
export function defineTable<Row>(name: string, spec: TableSpec<Row>): TableOf<Row> {
  for (const index of spec.indexes ?? []) checkLength(indexName(name, index));
  for (const reference of spec.references ?? []) checkLength(referenceName(name, reference));
  // TypeORM knows by its name which of the entities of the database in hand is meant
  return Object.assign(new EntitySchema<Row>({ name, columns: {} }), spec, { name });
}

/** TypeORM's entities of the tables. */
export function entitiesOf(
  dialect: Dialect,
  tables: readonly AnyTable[],
): EntitySchema<Record<string, unknown>>[] {
  return tables.map(
    (table) =>
      new EntitySchema<Record<string, unknown>>({
        name: table.name,
        columns: Object.fromEntries(
          Object.entries(table.columns).map(([property, spec]) => [
            property,
            entityColumn(dialect, property, spec, `pk_${table.name}`),
          ]),
        ),
        indices: (table.indexes ?? []).map((index) => ({
          name: indexName(table.name, index),
          columns: [...index.columns],
          unique: index.unique === true,
          ...(index.where !== undefined && { where: index.where }),
        })),
        foreignKeys: (table.references ?? []).map((reference) => ({
          name: referenceName(table.name, reference),
          target: reference.table,
          columnNames: [...reference.columns],
          referencedColumnNames: [...(reference.to ?? ['id'])],
          onDelete: reference.onDelete,
        })),
      }),
  );
}

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
 * Adds columns to a table that is there; they must be nullable where it may have rows. On SQLite this copies the whole
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

/** Adds indexes to a table that is there. */
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

function indexName(table: string, index: TableIndex): string {
  return index.name ?? constraintName(index.unique === true ? 'uq' : 'ix', table, index.columns);
}

function referenceName(table: string, reference: TableReference): string {
  return constraintName('fk', table, reference.columns);
}

/** Name of a constraint after the table and its columns, given as properties or as columns. */
export function constraintName(
  prefix: 'fk' | 'ix' | 'uq',
  table: string,
  columns: readonly string[],
): string {
  return [prefix, table, ...columns.map(columnName)].join('_');
}

function checkLength(name: string): void {
  if (name.length > 63) throw new RangeError(`${name}: PostgreSQL keeps only 63 characters of a name`);
}
