import type { AccountChannel } from '@certloop/contracts/browser';
import { DataTable, ListEnd, MovedRows, useSelection } from '@certloop/web-kit';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { nameOfCheck, statusOrder, sumOf } from '../../check-states.js';
import { type CheckSearch, channelsQuery, checkListsKey, type LiveCheck } from '../../lookups.js';
import { BulkBar } from './bulk-bar.js';
import { BulkOutcome } from './bulk-outcome.js';
import { checkColumns } from './check-columns.js';
import { ChecksToolbar, isNarrowed } from './checks-toolbar.js';
import type { BulkChange } from './use-bulk-change.js';
import type { LiveChecks } from './use-live-checks.js';

const fewRows = 5;
const noChannels: readonly AccountChannel[] = [];

export interface CheckListProps {
  readonly projectId: string;
  readonly search: CheckSearch;
  /** Narrows or sorts the list by another search. */
  readonly change: (search: CheckSearch) => void;
  readonly live: LiveChecks;
  readonly canChange: boolean;
  readonly bulk: BulkChange;
}

/** The checks that match as rows, with changes of one and of many. */
export function CheckList({ projectId, search, change, live, canChange, bulk }: CheckListProps) {
  const { list, rows = [], counts, onShown } = live;
  const { total = 0 } = list;
  const channels = useQuery(channelsQuery(projectId)).data ?? noChannels;
  const unfit = new Set(rows.filter((row) => !fitsStatus(row, search)).map(({ id }) => id));
  const selection = useSelection(
    rows.map(({ id }) => id),
    JSON.stringify([projectId, search]),
    unfit,
  );
  const { ofRows } = bulk;
  const columns = useMemo(
    () => checkColumns({ projectId, channels, canChange, bulk: ofRows }),
    [projectId, channels, canChange, ofRows],
  );
  return (
    <>
      {counts !== undefined &&
        (isNarrowed(search) || sumOf(counts) > fewRows ? (
          <ChecksToolbar counts={counts} search={search} change={change} />
        ) : (
          <p className="cl-dim">
            A check goes down, and its integrations are notified, if no ping arrives in time.
          </p>
        ))}
      <Moved projectId={projectId} rows={rows} search={search} unfit={unfit} />
      <BulkOutcome bulk={bulk} />
      {canChange && (
        <BulkBar search={search} total={total} selection={selection} channels={channels} bulk={bulk} />
      )}
      {rows.length === 0 ? (
        <p className="cl-dim">No check matches.</p>
      ) : (
        <DataTable
          label="Checks"
          columns={columns}
          rows={rows}
          rowKey={({ id }) => id}
          total={total}
          onShown={onShown}
          selection={canChange ? { ...selection, labelOf: nameOfCheck } : undefined}
        />
      )}
      <ListEnd
        shown={rows.length}
        total={total}
        noun="check"
        more={list.more}
        isLoadingMore={list.isLoadingMore}
      />
    </>
  );
}

/** Says how many rows are not where a new load would put them: rows do not jump while someone reads them. */
function Moved({ projectId, rows, search, unfit }: MovedProps) {
  const queries = useQueryClient();
  const fitting = rows.filter(({ id }) => !unfit.has(id));
  const sortAnew = () => void queries.invalidateQueries({ queryKey: checkListsKey(projectId) });
  return <MovedRows moved={movedRows(fitting, search)} unfit={unfit.size} sortAnew={sortAnew} />;
}

interface MovedProps extends Pick<CheckListProps, 'projectId' | 'search'> {
  readonly rows: readonly LiveCheck[];
  /** Ids of the rows that the filter no longer finds. */
  readonly unfit: ReadonlySet<string>;
}

/** Whether the list of this search still has a check, by its newest state. */
function fitsStatus({ status: now, started }: LiveCheck, { status }: CheckSearch): boolean {
  return status === undefined || (status === 'started' ? started : now === status);
}

function movedRows(rows: readonly LiveCheck[], { sort }: CheckSearch): number {
  if ((sort ?? 'attention') !== 'attention') return 0;
  const ranks = rows.map(({ status }) => statusOrder.indexOf(status));
  const sorted = ranks.toSorted((one, other) => one - other);
  return ranks.filter((rank, place) => rank !== sorted[place]).length;
}
