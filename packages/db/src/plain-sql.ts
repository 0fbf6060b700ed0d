import { type ColumnSpec, columnName } from './columns.js';
import type { SqlValue } from './sql.js';
import type { AnyTable } from './table.js';

/** A piece of SQL with placeholders, and what they take. */
export interface PlainSql {
  readonly text: string;
  readonly values: readonly SqlValue[];
}

/**
 * The condition of a `where` that is no more than equalities, its placeholders numbered from `first`; undefined for
 * whatever else TypeORM understands, such as operators, alternatives and null.
 */
export function plainCondition(table: AnyTable, where: object, first = 1): PlainSql | undefined {
  if (Array.isArray(where)) return undefined;
  const entries = Object.entries(where);
  const isPlain = entries.every(([property, value]) => isComparable(table.columns[property], value));
  if (!isPlain || entries.length === 0) return undefined;
  const parts = entries.map(([property], index) => `${columnName(property)} = $${first + index}`);
  return { text: parts.join(' and '), values: entries.map(([, value]) => value as SqlValue) };
}

function isComparable(spec: ColumnSpec | undefined, value: unknown): boolean {
  if (spec === undefined || spec.kind === 'json' || spec.kind === 'bytes') return false;
  return ['string', 'number', 'boolean'].includes(typeof value) || value instanceof Date;
}

/** Columns and values of a row to write, or of a part of one; what is undefined is left out. */
export function writtenColumns(
  table: AnyTable,
  row: object,
): { readonly names: readonly string[]; readonly values: readonly SqlValue[] } {
  const names: string[] = [];
  const values: SqlValue[] = [];
  for (const [property, value] of Object.entries(row)) {
    const spec = table.columns[property];
    // as TypeORM does: what the table does not have is not written
    if (spec === undefined || value === undefined) continue;
    names.push(columnName(property));
    // whatever the value, such as a text: JSON of it
    values.push(spec.kind === 'json' && value !== null ? JSON.stringify(value) : (value as SqlValue));
  }
  return { names, values };
}

/** Names of a table's columns, as a list to select. */
export function columnList(table: AnyTable): string {
  let list = columnLists.get(table);
  if (list === undefined) {
    list = Object.keys(table.columns).map(columnName).join(', ');
    columnLists.set(table, list);
  }
  return list;
}

const columnLists = new WeakMap<AnyTable, string>();

/** `count` placeholders from `first` on, as a list. */
export function placeholders(count: number, first = 1): string {
  return Array.from({ length: count }, (_, index) => `$${first + index}`).join(', ');
}
