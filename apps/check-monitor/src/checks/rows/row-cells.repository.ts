import { type Column, columnName } from '@certloop/db';

/** How rows are selected and read as arrays of cells, from one list of their columns. */
export interface RowCells<Row, Given extends object = object> {
  /** SQL of each cell, in the order in which `read` takes them; more cells may follow. */
  readonly select: readonly string[];
  /** The row of its cells, as either database sends them: numbers may be digits. `given` has what is not read. */
  readonly read: (cells: readonly unknown[], given: Given) => Row;
}

type Columns<Row> = { readonly [Name in keyof Row]-?: Column<Row[Name]> };

/**
 * Cells of rows with these columns and with the members `given`. Flags that cannot be null are the bits of one number in
 * the last cell. The function that reads is compiled once from the list, with each member named, as the text of a
 * program would have it: a loop over the names takes longer than everything else that is done with a row.
 */
export function rowCells<Row extends object, Given extends object = object>(
  columns: Columns<Row>,
  given: readonly (keyof Given & string)[] = [],
): RowCells<Row & Given, Given> {
  const entries = Object.entries(columns) as [string, Column<unknown>][];
  const isBit = ([, { kind, isNullable }]: [string, Column<unknown>]) => kind === 'boolean' && !isNullable;
  const cells = entries.filter((entry) => !isBit(entry));
  const flags = entries.filter(isBit).map(([name]) => name);
  const bits = flags.map((name, bit) => `${2 ** bit} * cast(${columnName(name)} as integer)`);
  const members = [
    ...given.map((name) => `${name}: given.${name}`),
    ...cells.map(([name, spec], place) => `${name}: ${readerOf(spec, `cells[${place}]`)}`),
    ...flags.map((name, bit) => `${name}: (flags & ${2 ** bit}) !== 0`),
  ];
  const text = `const flags = Number(cells[${cells.length}]); return { ${members.join(', ')} };`;
  return {
    select: [
      ...cells.map(([name, spec]) => selectOf(name, spec)),
      ...(flags.length === 0 ? [] : [bits.join(' + ')]),
    ],
    read: new Function('cells', 'given', text) as RowCells<Row & Given, Given>['read'],
  };
}

/** SQL of a cell. */
function selectOf(name: string, { kind }: Column<unknown>): string {
  return kind === 'boolean' ? `cast(${columnName(name)} as integer)` : columnName(name);
}

/** Program text that reads a cell. */
function readerOf({ kind, isNullable }: Column<unknown>, cell: string): string {
  if (kind === 'uuid' || kind === 'word' || kind === 'text') return cell;
  if (kind === 'boolean') return `${cell} === null ? null : Number(${cell}) !== 0`;
  if (kind !== 'key' && kind !== 'integer' && kind !== 'bigint') throw new Error(`no cell holds ${kind}`);
  return isNullable ? `${cell} === null ? null : Number(${cell})` : `Number(${cell})`;
}
