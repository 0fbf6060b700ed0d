import type { Fqdn } from '@certloop/contracts/browser';
import {
  type Column,
  DataTable,
  EmptyState,
  Icon,
  ListEnd,
  Loaded,
  MovedRows,
  queryOptions,
  type Selection,
  showing,
  useList,
  useSelection,
  useSteadyList,
  WaitingTable,
} from '@certloop/web-kit';
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { overview } from '../changes/overview.js';
import { conditionOf, fqdnList, fqdnLookUp } from '../lookups.js';
import { spaceResource } from '../resources.js';
import { useRights } from '../rights.js';
import { api } from '../service.js';
import { BulkBar } from './bulk-bar.js';
import { ExportNames } from './export-names.js';
import { canStopFitting, fitsFilter } from './fits-filter.js';
import { useNameColumns } from './name-columns.js';
import { NamesToolbar, type NamesToolbarProps, withSort } from './names-toolbar.js';

// without a toolbar: all of them are seen at once
const fewNames = 5;
// lists of more names load the next page as people scroll
const rowsAtOnce = 200;

export interface NamesListProps extends Omit<NamesToolbarProps, 'counts'> {
  /** Undefined for the names of all spaces. */
  readonly spaceId: string | undefined;
  /** Name of that space. */
  readonly spaceName?: string | undefined;
  /** Of all names here. */
  readonly counts: NamesToolbarProps['counts'];
  /** Whether the user may change a name, so that it can be selected. */
  readonly canWrite: (fqdn: Fqdn) => boolean;
  /** Shown where there is no name at all. */
  readonly empty: ReactNode;
}

/** Names with their states, a search, an order, and changes of many at once. */
export function NamesList(props: NamesListProps) {
  const { spaceId, spaceName, filter, setFilter, counts, canWrite, empty } = props;
  const isFiltered = Object.keys(conditionOf(filter)).length > 0;
  const hasToolbar = isFiltered || (counts !== undefined && counts.total > fewNames);
  const subject = JSON.stringify([spaceId, filter]);
  const list = useNames(spaceId, filter);
  const { query, rows, total, moved, unfit, sortAnew } = list;
  const shownCounts = useShownCounts(spaceId, filter, counts);
  const writable = rows?.filter(canWrite).map(({ id }) => id) ?? [];
  const selection = useSelection(writable, subject, unfit);
  const columns = useNameColumns({ rows: rows ?? [], isOfAllSpaces: spaceId === undefined, canWrite });
  return (
    <>
      {hasToolbar ? (
        <NamesToolbar counts={shownCounts} filter={filter} setFilter={setFilter} />
      ) : (
        counts !== undefined &&
        counts.total > 0 && <FewNames mayWrite={rows === undefined || writable.length > 0} />
      )}
      <Loaded query={query} waiting={<WaitingNames columns={columns} />}>
        {() =>
          rows !== undefined && rows.length === 0 && isFiltered ? (
            <EmptyState title="No name matches">
              <p>Change the search, the state or the conditions above.</p>
            </EmptyState>
          ) : rows === undefined || rows.length === 0 ? (
            empty
          ) : (
            <>
              <div className="cl-row">
                {writable.length > 0 && <UploadCsrs />}
                {hasToolbar && <ExportNames spaceId={spaceId} spaceName={spaceName} filter={filter} />}
              </div>
              {writable.length > 0 && (
                <BulkBar
                  spaceId={spaceId}
                  filter={filter}
                  total={total ?? rows.length}
                  selection={selection}
                  sortAnew={sortAnew}
                />
              )}
              <MovedRows moved={moved} unfit={unfit.size} sortAnew={sortAnew} />
              <NamesTable
                {...props}
                list={{ ...list, rows }}
                columns={columns}
                selection={writable.length > 0 ? selection : undefined}
              />
            </>
          )
        }
      </Loaded>
    </>
  );
}

/** Stands above a few names in the place of a search. */
function FewNames({ mayWrite }: { readonly mayWrite: boolean }) {
  return (
    <p className="cl-dim">
      Open a name {mayWrite && 'to upload a CSR, to request a certificate, or '}to see when and why it is
      renewed.
    </p>
  );
}

/** The names that the filter matches, which keep their places while someone reads them. */
function useNames(spaceId: string | undefined, filter: NamesListProps['filter']) {
  const list = useList(fqdnList(spaceId, filter));
  return useSteadyList<Fqdn>(list, {
    keyOf: ({ id }) => id,
    subject: JSON.stringify([spaceId, filter, useRights()]),
    find: (row) => fqdnLookUp(row.spaceId, row.id),
    fits: canStopFitting(filter) ? (row) => fitsFilter(row, filter) : undefined,
  });
}

/** The place of the buttons above the names, and of the names. */
function WaitingNames({ columns }: { readonly columns: readonly Column<Fqdn>[] }) {
  return (
    <>
      <div className="cl-row cl-waiting-buttons" />
      <WaitingTable columns={columns} canSelect />
    </>
  );
}

function UploadCsrs() {
  return (
    <Button
      size="xs"
      variant="default"
      leftSection={<Icon name="upload" size={16} />}
      renderRoot={(props) => <Link {...props} to="/upload-csrs" />}
    >
      Upload CSRs
    </Button>
  );
}

interface NamesTableProps extends Pick<NamesListProps, 'filter' | 'setFilter' | 'canWrite'> {
  readonly list: Omit<ReturnType<typeof useList<Fqdn>>, 'rows'> & { readonly rows: readonly Fqdn[] };
  readonly columns: readonly Column<Fqdn>[];
  /** Undefined if no name can be selected. */
  readonly selection: Selection | undefined;
}

/** The names that are loaded, and a way to more of them. */
function NamesTable({ filter, setFilter, canWrite, list, columns, selection }: NamesTableProps) {
  const { rows, total, more, isLoadingMore } = list;
  const isLong = total !== undefined && total > rowsAtOnce;
  return (
    <>
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
        selection={selection && { ...selection, labelOf: ({ fqdn }) => fqdn, canSelect: canWrite }}
      />
      <ListEnd shown={rows.length} total={total} noun="name" more={more} isLoadingMore={isLoadingMore} />
    </>
  );
}

/** How many names each state would show; undefined with conditions by which the service does not count. */
function useShownCounts(
  spaceId: string | undefined,
  filter: NamesToolbarProps['filter'],
  all: NamesToolbarProps['counts'],
): NamesToolbarProps['counts'] {
  const { state: _, q, ...others } = conditionOf(filter);
  const isPlain = Object.keys(others).length === 0;
  const options = queryOptions(api.countFqdnStates, {
    query: { ...(spaceId !== undefined && { spaceId }), q: q ?? '' },
  });
  const found = useQuery({
    ...(spaceId === undefined ? overview(options) : showing(options, [spaceResource(spaceId)])),
    enabled: isPlain && q !== undefined,
  });
  if (!isPlain) return undefined;
  return q === undefined ? all : found.data;
}
