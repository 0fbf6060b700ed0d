import type { ReactNode } from 'react';
import { Loaded } from '../../parts/page-parts.js';
import { ListEnd } from '../pages/list-end.js';
import type { useList } from '../pages/use-list.browser.js';
import { DataTable, type DataTableProps } from './data-table.js';
import { WaitingTable } from './waiting-table.js';

interface ListTableProps<Row> extends Omit<DataTableProps<Row>, 'rows' | 'total'> {
  readonly list: ReturnType<typeof useList<Row>>;
  /** One row, and several where that is not the same with an s. */
  readonly noun: string;
  readonly nouns?: string;
  /** Shown instead of the table while the list has no rows. */
  readonly empty: ReactNode;
}

/** A list as a table, with the number of its rows and a button for the next ones. */
export function ListTable<Row>({ list, noun, nouns, empty, ...table }: ListTableProps<Row>) {
  const { query, rows = [], total, more, isLoadingMore } = list;
  return (
    <Loaded
      query={query}
      waiting={<WaitingTable columns={table.columns} canSelect={table.selection !== undefined} />}
    >
      {() =>
        rows.length === 0 ? (
          empty
        ) : (
          <>
            <DataTable {...table} rows={rows} total={total} />
            <ListEnd
              shown={rows.length}
              total={total}
              noun={noun}
              {...(nouns !== undefined && { nouns })}
              more={more}
              isLoadingMore={isLoadingMore}
            />
          </>
        )
      }
    </Loaded>
  );
}
