import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useRef } from 'react';

export interface Column<Row> {
  readonly key: string;
  readonly title: string;
  readonly cell: (row: Row) => ReactNode;
  /** Width in CSS, such as `12rem`; columns without one share what is left. */
  readonly width?: string;
}

export interface DataTableProps<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
  /** All rows there are, also those that are not loaded. */
  readonly total?: number | undefined;
  /** Called with the rows that are drawn, when these change. */
  readonly onShown?: ((rows: readonly Row[]) => void) | undefined;
}

const plainRows = 200;

/**
 * Rows as a table. Up to 200 are all drawn, so that the search of the browser finds them; of more only those on the
 * screen. On a narrow screen each row becomes a card that begins with its first cell.
 */
export function DataTable<Row>(props: DataTableProps<Row>) {
  return props.rows.length > plainRows ? <VirtualTable {...props} /> : <PlainTable {...props} />;
}

function PlainTable<Row>(props: DataTableProps<Row>) {
  const { rows, rowKey, columns, onShown } = props;
  useEffect(() => onShown?.(rows), [onShown, rows]);
  return (
    <Frame {...props}>
      <tbody>
        {rows.map((row) => (
          <tr key={rowKey(row)}>
            <Cells row={row} columns={columns} />
          </tr>
        ))}
      </tbody>
    </Frame>
  );
}

function VirtualTable<Row>(props: DataTableProps<Row>) {
  const { rows, rowKey, columns, onShown } = props;
  const table = useRef<HTMLTableElement>(null);
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => 49,
    overscan: 8,
    scrollMargin: table.current?.offsetTop ?? 0,
  });
  const items = virtual.getVirtualItems();
  const [first, last] = [items[0], items.at(-1)];
  const [from, to] = [first?.index ?? 0, last?.index ?? 0];
  useEffect(() => onShown?.(rows.slice(from, to + 1)), [onShown, rows, from, to]);
  const margin = virtual.options.scrollMargin;
  return (
    <Frame {...props} tableRef={table}>
      <tbody>
        <Spacer columns={columns.length} height={(first?.start ?? margin) - margin} />
        {items.map(({ index }) => {
          const row = rows[index];
          return (
            row !== undefined && (
              <tr key={rowKey(row)} data-index={index} aria-rowindex={index + 2} ref={virtual.measureElement}>
                <Cells row={row} columns={columns} />
              </tr>
            )
          );
        })}
        <Spacer columns={columns.length} height={virtual.getTotalSize() + margin - (last?.end ?? margin)} />
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
  tableRef,
  children,
}: DataTableProps<Row> & {
  readonly tableRef?: React.Ref<HTMLTableElement>;
  readonly children: ReactNode;
}) {
  return (
    <table
      className="cl-table"
      aria-label={label}
      aria-rowcount={tableRef === undefined ? undefined : (total ?? rows.length) + 1}
      ref={tableRef}
    >
      <colgroup>
        {columns.map(({ key, width }) => (
          <col key={key} style={width === undefined ? undefined : { width }} />
        ))}
      </colgroup>
      <thead>
        <tr>
          {columns.map(({ key, title }) => (
            <th key={key} scope="col">
              {title}
            </th>
          ))}
        </tr>
      </thead>
      {children}
    </table>
  );
}

function Cells<Row>({ row, columns }: { readonly row: Row; readonly columns: readonly Column<Row>[] }) {
  return columns.map(({ key, title, cell }, place) =>
    place === 0 ? (
      <th key={key} scope="row">
        {cell(row)}
      </th>
    ) : (
      <td key={key} data-title={title}>
        {cell(row)}
      </td>
    ),
  );
}
