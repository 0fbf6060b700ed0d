import type { Fqdn } from '@certloop/contracts/browser';
import {
  type Column,
  DataTable,
  EmptyState,
  ListEnd,
  Loaded,
  Moment,
  StateChip,
  useList,
  useSelection,
} from '@certloop/web-kit';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { FqdnStateChip } from '../fqdn-state.js';
import { loadFqdns } from '../lookups.js';
import { BulkBar } from './bulk-bar.js';
import { NamesToolbar, type NamesToolbarProps, withSort } from './names-toolbar.js';

const columns: readonly Column<Fqdn>[] = [
  {
    key: 'fqdn',
    title: 'Name',
    sort: 'fqdn',
    cell: ({ id, spaceId, fqdn }) => (
      <Link to="/spaces/$spaceId/fqdns/$fqdnId" params={{ spaceId, fqdnId: id }}>
        {fqdn}
      </Link>
    ),
  },
  { key: 'description', title: 'Description', cell: ({ description }) => description },
  {
    key: 'state',
    title: 'State',
    width: '11rem',
    sort: 'attention',
    cell: ({ status }) => status && <FqdnStateChip status={status} />,
  },
  {
    key: 'expires',
    title: 'Expires',
    width: '9rem',
    sort: 'expiresAt',
    cell: ({ status }) => status?.certificate && <Moment at={status.certificate.expiresAt} />,
  },
  {
    key: 'renewal',
    title: 'Renewal',
    width: '9rem',
    sort: 'renewAt',
    cell: ({ renewalEnabled, status }) =>
      renewalEnabled ? (
        status?.renewAt === undefined ? (
          'automatic'
        ) : (
          <Moment at={status.renewAt} />
        )
      ) : (
        <StateChip tone="idle" shape="bars">
          off
        </StateChip>
      ),
  },
];

// without a toolbar: all of them are seen at once
const fewNames = 5;
// lists of more names load the next page as people scroll
const rowsAtOnce = 200;

export interface NamesListProps extends Omit<NamesToolbarProps, 'counts'> {
  /** Undefined for the names of all spaces. */
  readonly spaceId: string | undefined;
  readonly counts: NamesToolbarProps['counts'] | undefined;
  /** Whether the user may change names here, so that they can be selected. */
  readonly canWrite: boolean;
  /** Shown where there is no name at all. */
  readonly empty: ReactNode;
}

/** Names with their states, a search, an order, and changes of many at once. */
export function NamesList({ spaceId, filter, setFilter, counts, canWrite, empty }: NamesListProps) {
  const isFiltered = filter.state !== undefined || filter.q !== undefined;
  const key = spaceId === undefined ? ['ahead', 'names', filter] : ['space', spaceId, 'fqdns', filter];
  const { query, rows, total, more, isLoadingMore } = useList<Fqdn>(key, (cursor, signal) =>
    loadFqdns(spaceId, filter, cursor, signal),
  );
  const isLong = total !== undefined && total > rowsAtOnce;
  const selection = useSelection(rows?.map(({ id }) => id) ?? [], JSON.stringify([spaceId, filter]));
  return (
    <>
      {counts !== undefined && (isFiltered || counts.total > fewNames) && (
        <NamesToolbar counts={counts} filter={filter} setFilter={setFilter} />
      )}
      <Loaded query={query}>
        {() =>
          rows !== undefined && rows.length === 0 && isFiltered ? (
            <EmptyState title="No name matches">
              <p>Change the search or the state above.</p>
            </EmptyState>
          ) : rows === undefined || rows.length === 0 ? (
            empty
          ) : (
            <>
              {canWrite && (
                <BulkBar
                  spaceId={spaceId}
                  filter={filter}
                  total={total ?? rows.length}
                  selection={selection}
                />
              )}
              <DataTable
                label="Names"
                columns={columns}
                rows={rows}
                rowKey={({ id }) => id}
                total={total}
                onShown={(shown) => {
                  // the next page comes before its rows are needed
                  if (shown.at(-1) === rows.at(-1) && !isLoadingMore && isLong) more?.();
                }}
                sort={filter.sort ?? 'attention'}
                onSort={(sort) => setFilter(withSort(filter, sort))}
                selection={canWrite ? { ...selection, labelOf: ({ fqdn }) => fqdn } : undefined}
              />
              <ListEnd
                shown={rows.length}
                total={total}
                noun="name"
                more={more}
                isLoadingMore={isLoadingMore}
              />
            </>
          )
        }
      </Loaded>
    </>
  );
}
