import { EntitySchema } from 'typeorm';
import type { Dialect } from '../dialect.js';
import { type Column, type ColumnSpec, columnName, entityColumn } from './columns.js';

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

/** Row of a table, or of a query that names its columns, as these declare it. */
export type RowOf<Table extends Pick<AnyTable, 'columns'>> = {
  readonly [Name in keyof Table['columns']]: Table['columns'][Name] extends Column<infer Value>
    ? Value
    : never;
};

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

export function indexName(table: string, index: TableIndex): string {
  return index.name ?? constraintName(index.unique === true ? 'uq' : 'ix', table, index.columns);
}

export function referenceName(table: string, reference: TableReference): string {
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
