import { readFileSync } from 'node:fs';
import type { Schema } from '../database.js';
import type { Dialect } from '../dialect.js';

/** A row of the tables in docs/clocks.md. */
interface ClockRow {
  readonly table: string;
  readonly columns: readonly string[];
  readonly bound: string;
}

const rowForm = /^\| ([a-z_]+) \| ([a-z_, ]+) \| ([^|]+) \|/;

/** The rows below the heading of a service. */
export function clockRowsOf(service: string): ClockRow[] {
  const page = readFileSync(new URL('../../../../../docs/clocks.md', import.meta.url), 'utf8');
  const [, rest = ''] = page.split(`\n## ${service}\n`);
  const [part = ''] = rest.split('\n## ');
  return part.split('\n').flatMap((line) => {
    const [, table, columns, bound] = rowForm.exec(line) ?? [];
    return table && columns && bound ? [{ table, columns: columns.split(', '), bound: bound.trim() }] : [];
  });
}

/** `table.column` of each column of a schema that has the type, in the order of names; keys that count up are omitted. */
export function columnsOfType({ entities }: Schema, dialect: Dialect, kind: 'instant' | 'bigint'): string[] {
  const columns = entities(dialect).flatMap(({ options }) =>
    Object.values(options.columns).flatMap((column) =>
      column?.type === dialect.types[kind] && column.generated === undefined
        ? [`${options.name}.${column.name}`]
        : [],
    ),
  );
  return columns.toSorted();
}
