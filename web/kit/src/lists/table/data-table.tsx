import { measureElement, useWindowVirtualizer } from '@tanstack/react-virtual';
import { memo, type ReactNode, useEffect, useRef } from 'react';
import { LiveCell, type NarrowPlace } from './live-cell.js';
import type { Selection } from './use-selection.browser.js';

export interface Column<Row> {
  readonly key: string;
  readonly title: string;
  readonly cell: (row: Row) => ReactNode;
  /** Word by which the list is sorted after a click on the title; only where the service sorts by it. */
  readonly sort?: string;
  /** Width in CSS, such as `12rem`; columns without one share what is left. */
  readonly width?: string;
  /**
   * Place on a phone. If a column of a table has one, its rows are cards of two lines there: the name with something
   * beside it, then one or two facts, which may begin with the title of the column, or one that fills the line. Cells of
   * the other columns are not shown.
   */
  readonly narrow?: NarrowPlace | undefined;
}

/** Rows that can be chosen, each by a check box. */
export interface TableSelection<Row> extends Pick<Selection, 'keys' | 'toggle' | 'toggleAll'> {
  /** Returns the name of a row, for screen readers. */
  readonly labelOf: (row: Row) => string;
  /** Rows that cannot be chosen have no check box. */
  readonly canSelect?: (row: Row) => boolean;
}

export interface DataTableProps<Row> {
  readonly label: string;
  /** Rows are drawn again where these are another array. */
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
  /** All rows there are, also those that are not loaded. */
  readonly total?: number | undefined;
  /** Word of the column by which the rows are sorted. */
  readonly sort?: string | undefined;
  readonly onSort?: ((sort: string) => void) | undefined;
  readonly selection?: TableSelection<Row> | undefined;
  /** Called with the rows that are drawn, when these change. */
  readonly onShown?: ((rows: readonly Row[]) => void) | undefined;
}

const plainRows = 200;

/**
 * Rows as a table. Of a list of at most 200 all are drawn, so that the search of the browser finds them; of a longer one
 * only those on the screen. On a narrow screen each row becomes a card that begins with its first cell.
 */
export function DataTable<Row>(props: DataTableProps<Row>) {
  return countOf(props) > plainRows ? <VirtualTable {...props} /> : <PlainTable {...props} />;
}

/** All rows there are, with those that are still shown but no longer part of the list. */
function countOf({ rows, total = 0 }: Pick<DataTableProps<unknown>, 'rows' | 'total'>): number {
  return Math.max(total, rows.length);
}

function PlainTable<Row>(props: DataTableProps<Row>) {
  const { rows, rowKey, onShown } = props;
  useEffect(() => onShown?.(rows), [onShown, rows]);
  return (
    <Frame {...props}>
      <tbody>
        {rows.map((row) => (
          <tr key={rowKey(row)}>
            <Cells row={row} table={props} />
          </tr>
        ))}
      </tbody>
    </Frame>
  );
}

function VirtualTable<Row>(props: DataTableProps<Row>) {
  const { rows, rowKey, onShown } = props;
  const table = useRef<HTMLTableElement>(null);
  // a row that is as high as expected needs no second drawing
  const usual = useRef<number>(undefined);
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => usual.current ?? 49,
    measureElement: (row: HTMLTableRowElement, entry, instance) => {
      const height = measureElement(row, entry, instance);
      usual.current ??= height;
      return height;
    },
    overscan: 8,
    scrollMargin: table.current?.offsetTop ?? 0,
  });
  const items = virtual.getVirtualItems();
  const [first, last] = [items[0], items.at(-1)];
  const [from, to] = [first?.index ?? 0, last?.index ?? 0];
  useEffect(() => onShown?.(rows.slice(from, to + 1)), [onShown, rows, from, to]);
  const margin = virtual.options.scrollMargin;
  const columnCount = props.columns.length + (props.selection === undefined ? 0 : 1);
  return (
    <Frame {...props} tableRef={table}>
      <tbody>
        <Spacer columns={columnCount} height={(first?.start ?? margin) - margin} />
        {items.map(({ index }) => {
          const row = rows[index];
          return (
            row !== undefined && (
              <tr key={rowKey(row)} data-index={index} aria-rowindex={index + 2} ref={virtual.measureElement}>
                <Cells row={row} table={props} />
              </tr>
            )
          );
        })}
        <Spacer columns={columnCount} height={virtual.getTotalSize() + margin - (last?.end ?? margin)} />
      </tbody>
    </Frame>
  );
}

/** Room of the rows that are not drawn. */
function Spacer({ columns, height }: { readonly columns: number; readonly height: number }) {
  if (height <= 0) return null;
  return (
    <tr className="cl-spacer">
      <td colSpan={columns} style={{ height }} />
    </tr>
  );
}

function Frame<Row>({
  label,
  columns,
  rows,
  total,
  sort,
  onSort,
  selection,
  tableRef,
  children,
}: DataTableProps<Row> & {
  readonly tableRef?: React.Ref<HTMLTableElement>;
  readonly children: ReactNode;
}) {
  const selectable = rows.filter((row) => selection?.canSelect?.(row) ?? true).length;
  return (
    <table
      className={columns.some(({ narrow }) => narrow !== undefined) ? 'cl-table cl-two-lines' : 'cl-table'}
      aria-label={label}
      aria-rowcount={tableRef === undefined ? undefined : countOf({ rows, total }) + 1}
      ref={tableRef}
    >
      <colgroup>
        {selection !== undefined && <col style={{ width: '2.5rem' }} />}
        {columns.map(({ key, width }) => (
          <col key={key} style={width === undefined ? undefined : { width }} />
        ))}
      </colgroup>
      <thead>
        <tr>
          {selection !== undefined && (
            <td className="cl-tick">
              <input
                type="checkbox"
                aria-label="Select all rows shown"
                checked={selection.keys.size === selectable}
                ref={(box) => {
                  if (box !== null) {
                    box.indeterminate = selection.keys.size > 0 && selection.keys.size < selectable;
                  }
                }}
                onChange={selection.toggleAll}
              />
            </td>
          )}
          {columns.map((column) => (
            <Head key={column.key} column={column} sort={sort} onSort={onSort} />
          ))}
        </tr>
      </thead>
      {children}
    </table>
  );
}

/** Title of a column; a button where the service sorts by it. */
function Head<Row>({
  column: { title, sort: word },
  sort,
  onSort,
}: Pick<DataTableProps<Row>, 'sort' | 'onSort'> & { readonly column: Column<Row> }) {
  if (word === undefined || onSort === undefined) return <th scope="col">{title}</th>;
  const isSorted = word === sort;
  return (
    <th scope="col" aria-sort={isSorted ? 'ascending' : undefined}>
      <button type="button" className="cl-sort" onClick={() => onSort(word)}>
        {title}
        <span aria-hidden="true">{isSorted ? ' ↑' : ''}</span>
      </button>
    </th>
  );
}

function Cells<Row>({
  row,
  table: { columns, rowKey, selection },
}: {
  readonly row: Row;
  readonly table: DataTableProps<Row>;
}) {
  const key = rowKey(row);
  return (
    <>
      {selection !== undefined && (
        <td className="cl-tick">
          {(selection.canSelect?.(row) ?? true) && (
            <Tick
              rowKey={key}
              label={`Select ${selection.labelOf(row)}`}
              isChosen={selection.keys.has(key)}
              toggle={selection.toggle}
            />
          )}
        </td>
      )}
      <CellsOfRow row={row} columns={columns as readonly Column<unknown>[]} />
    </>
  );
}

const Tick = memo(function Tick({
  rowKey,
  label,
  isChosen,
  toggle,
}: {
  readonly rowKey: string;
  readonly label: string;
  readonly isChosen: boolean;
  readonly toggle: (key: string) => void;
}) {
  return <input type="checkbox" aria-label={label} checked={isChosen} onChange={() => toggle(rowKey)} />;
});

/** Drawn again only for another row or other columns: to draw all rows on the screen takes longer than a frame. */
const CellsOfRow = memo(function CellsOfRow({
  row,
  columns,
}: {
  readonly row: unknown;
  readonly columns: readonly Column<unknown>[];
}) {
  return columns.map(({ key, title, narrow, cell }, place) =>
    place === 0 ? (
      <th key={key} scope="row" data-narrow={narrow}>
        {cell(row)}
      </th>
    ) : (
      <LiveCell key={key} title={title} narrow={narrow}>
        {cell(row)}
      </LiveCell>
    ),
  );
});
