import { FindOperator } from 'typeorm';
import { type ColumnSpec, columnName } from '../tables/columns.js';
import type { AnyTable } from '../tables/table.js';
import type { SqlValue } from './sql.js';

/** A piece of SQL with placeholders, and what they take. */
export interface PlainSql {
  readonly text: string;
  readonly values: readonly SqlValue[];
}

/**
 * The condition of a `where` that is no more than equalities, lists, `LessThanOrEqual` and `Not(In(…))`, its
 * placeholders numbered from `first`; undefined for whatever else TypeORM understands, such as alternatives and null.
 */
export function plainCondition(table: AnyTable, where: object, first = 1): PlainSql | undefined {
  if (Array.isArray(where)) {
    const [only, ...others] = where as object[];
    return only === undefined || others.length > 0 ? undefined : plainCondition(table, only, first);
  }
  const entries = Object.entries(where);
  if (entries.length === 0) return undefined;
  const parts: string[] = [];
  const values: SqlValue[] = [];
  for (const [property, value] of entries) {
    const comparison = readComparison(table.columns[property], value);
    if (comparison === undefined) return undefined;
    const { sign, operands } = comparison;
    const from = first + values.length;
    const right = comparison.isList ? `(${placeholders(operands.length, from)})` : `$${from}`;
    parts.push(`${columnName(property)} ${sign} ${right}`);
    values.push(...operands);
  }
  return { text: parts.join(' and '), values };
}

interface Comparison {
  readonly sign: '=' | '<=' | 'in' | 'not in';
  readonly operands: readonly SqlValue[];
  readonly isList?: true;
}

function readComparison(spec: ColumnSpec | undefined, value: unknown): Comparison | undefined {
  if (spec === undefined || spec.kind === 'json' || spec.kind === 'bytes') return undefined;
  if (isComparable(value)) return { sign: '=', operands: [value] };
  if (Array.isArray(value)) return listOf('in', value);
  if (!(value instanceof FindOperator)) return undefined;
  const operator: FindOperator<unknown> = value;
  if (operator.type === 'lessThanOrEqual' && isComparable(operator.value)) {
    return { sign: '<=', operands: [operator.value] };
  }
  if (operator.type === 'in') return listOf('in', operator.value);
  const isNotIn = operator.type === 'not' && operator.child?.type === 'in';
  return isNotIn ? listOf('not in', operator.child?.value) : undefined;
}

function listOf(sign: 'in' | 'not in', list: unknown): Comparison | undefined {
  // no list is empty in PostgreSQL
  if (!Array.isArray(list) || list.length === 0 || !list.every(isComparable)) return undefined;
  return { sign, operands: list, isList: true };
}

function isComparable(value: unknown): value is string | number | boolean | Date {
  return ['string', 'number', 'boolean'].includes(typeof value) || value instanceof Date;
}

/** Columns and values of a row to write, or of a part of one; what is undefined is omitted. */
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
