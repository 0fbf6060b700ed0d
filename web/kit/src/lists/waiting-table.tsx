import { placesUpTo } from '../frame/places.js';
import type { Column } from './data-table.js';

/** What stands in the place of a table until its first rows are loaded: its head, and rows of their height. */
export function WaitingTable<Row>({
  columns,
  canSelect = false,
  rows = 8,
}: {
  readonly columns: readonly Pick<Column<Row>, 'key' | 'title' | 'width'>[];
  /** Whether the rows will have check boxes. */
  readonly canSelect?: boolean;
  readonly rows?: number;
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
                  <span className="cl-bar" />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
