import { placesUpTo } from '../../parts/places.js';
import type { Column } from './data-table.js';

/** Stands in the place of a table until its first rows are loaded: its head, and rows of their height. */
export function WaitingTable<Row>({
  columns,
  canSelect = false,
  rows = 8,
  textOf,
}: {
  readonly columns: readonly Pick<Column<Row>, 'key' | 'title' | 'width'>[];
  /** Whether the rows will have check boxes. */
  readonly canSelect?: boolean;
  readonly rows?: number;
  /** The name of a row that is known before the rest of it, so that the row is as high as it will be. */
  readonly textOf?: (row: number, key: string) => string | undefined;
}) {
  return (
    <div className="cl-waiting-table" role="status" aria-label="Loading">
      <table className="cl-table" aria-hidden="true">
        <colgroup>
          {canSelect && <col style={{ width: '2.5rem' }} />}
          {columns.map(({ key, width }) => (
            <col key={key} style={width === undefined ? undefined : { width }} />
          ))}
        </colgroup>
        <thead>
          <tr>
            {canSelect && <td className="cl-tick" />}
            {columns.map(({ key, title }) => (
              <th key={key}>{title}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {placesUpTo(rows).map((place) => (
            <tr key={place}>
              {canSelect && <td className="cl-tick" />}
              {columns.map(({ key }) => (
                <td key={key}>
                  <WaitingCell text={textOf?.(place, key)} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function WaitingCell({ text }: { readonly text: string | undefined }) {
  return text === undefined ? <span className="cl-bar" /> : <span className="cl-waiting-name">{text}</span>;
}
