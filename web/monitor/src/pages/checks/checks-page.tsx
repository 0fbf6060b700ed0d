import type { CheckCounts } from '@certloop/contracts/browser';
import {
  CodeBlock,
  countOf,
  DataTable,
  EmptyState,
  ErrorPanel,
  Icon,
  ListEnd,
  Loaded,
  serviceUrl,
  useKey,
  useList,
  useNow,
  useSettled,
  useTabIcon,
  useTitle,
} from '@certloop/web-kit';
import { Button, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useCallback, useEffect, useRef, useState } from 'react';
import { countsText, statusOrder, wordOf, worstOf } from '../../check-states.js';
import {
  type CheckSearch,
  type LiveCheck,
  loadChecks,
  mayChange,
  projectQuery,
  statesQuery,
  withStates,
} from '../../lookups.js';
import { ProjectHead } from '../../project-head.js';
import { checkColumns } from './check-columns.js';
import { NewCheck } from './new-check.js';

const route = getRouteApi('/inside/projects/$projectId');
const fewRows = 5;

/** The checks of a project, those in need first, with their states as they change. */
export function ChecksPage() {
  const { projectId } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const queries = useQueryClient();
  const [isAdding, setAdding] = useState(false);
  const tick = useNow(10_000);
  const announced = useRef({ tick, text: '' });
  const [shown, setShown] = useState<readonly LiveCheck[]>([]);
  const project = useQuery(projectQuery(projectId));
  const states = useQuery(
    statesQuery(
      projectId,
      shown.map(({ id }) => id),
    ),
  );
  const list = useList(['projects', projectId, 'checks', search], (cursor, signal) =>
    loadChecks(projectId, search, cursor, signal),
  );
  const { rows: loaded, total = 0 } = list;
  const rows = loaded === undefined ? undefined : withStates(loaded, states.data?.checks ?? []);
  const onShown = useCallback((some: readonly LiveCheck[]) => setShown(some), []);
  const counts = states.data?.counts;
  const name = project.data?.name ?? 'Project';
  useTitle(counts !== undefined && counts.down > 0 ? `${counts.down} down – ${name}` : name, 'monitor');
  useTabIcon(counts === undefined ? undefined : worstOf(counts));
  const canChange = mayChange(project.data);
  useKey('c', () => setAdding(canChange));
  if (project.isError && project.data === undefined) {
    return <ErrorPanel error={project.error} retry={() => void project.refetch()} />;
  }
  const moved = movedRows(rows, search);
  const isFiltered = [search.q, search.status, search.tag, search.channel].some((one) => one !== undefined);
  // screen readers hear about a change at most every 10 s
  const downText = counts !== undefined && counts.down > 0 ? `${countOf(counts.down, 'check')} down` : '';
  if (announced.current.tick !== tick) announced.current = { tick, text: downText };
  const all = counts === undefined ? 0 : statusOrder.reduce((sum, status) => sum + counts[status], 0);
  const add = (
    <Button leftSection={<Icon name="plus" />} onClick={() => setAdding(true)}>
      New check
    </Button>
  );
  return (
    <>
      <ProjectHead projectId={projectId} project={project.data}>
        {canChange && (isFiltered || all > 0) && add}
      </ProjectHead>
      <p className="cl-visually-hidden" role="status">
        {announced.current.text}
      </p>
      {counts !== undefined && all > 0 && <p className="cl-dim">{countsText(counts)}</p>}
      <Loaded query={list.query}>
        {() =>
          rows === undefined || (rows.length === 0 && !isFiltered) ? (
            <EmptyState title="This project has no check yet">
              <p>A check waits for the pings of a job, and alerts people when one does not come.</p>
              {canChange ? add : null}
              <p className="cl-dim">The same by the API:</p>
              <CodeBlock text={createCommand()} />
            </EmptyState>
          ) : (
            <>
              {(isFiltered || all > fewRows) && counts !== undefined && (
                <Toolbar
                  counts={counts}
                  search={search}
                  change={(next) => navigate({ search: next, replace: true })}
                />
              )}
              {moved > 0 && (
                <div className="cl-row">
                  <Button
                    size="xs"
                    variant="default"
                    onClick={() =>
                      void queries.invalidateQueries({ queryKey: ['projects', projectId, 'checks'] })
                    }
                  >
                    {countOf(moved, 'row')} moved. Sort anew
                  </Button>
                </div>
              )}
              {rows.length === 0 ? (
                <p className="cl-dim">No check matches.</p>
              ) : (
                <DataTable
                  label="Checks"
                  columns={checkColumns(projectId)}
                  rows={rows}
                  rowKey={({ id }) => id}
                  total={total}
                  onShown={onShown}
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
          )
        }
      </Loaded>
      {/* also after the right has gone: it holds what was typed, and the refusal */}
      <NewCheck projectId={projectId} isOpen={isAdding} close={() => setAdding(false)} />
    </>
  );
}

/** How many rows are not where their state would put them by need. */
function movedRows(rows: readonly LiveCheck[] | undefined, { sort }: CheckSearch): number {
  if (rows === undefined || (sort ?? 'attention') !== 'attention') return 0;
  const ranks = rows.map(({ status }) => statusOrder.indexOf(status));
  const sorted = ranks.toSorted((one, other) => one - other);
  return ranks.filter((rank, place) => rank !== sorted[place]).length;
}

const sorts = [
  ['attention', 'by need'],
  ['name', 'by name'],
  ['created', 'by age'],
] as const;

interface Narrowing {
  readonly search: CheckSearch;
  readonly change: (search: CheckSearch) => void;
}

function Toolbar({ counts, search, change }: Narrowing & { readonly counts: CheckCounts }) {
  const field = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(search.q ?? '');
  useKey('/', () => field.current?.focus());
  const newest = useRef({ search, change });
  newest.current = { search, change };
  const settled = useSettled(text).trim();
  useEffect(() => {
    const { search: current, change: apply } = newest.current;
    const { q = '', ...rest } = current;
    if (q !== settled) apply(settled === '' ? rest : { ...rest, q: settled });
  }, [settled]);
  const { status, ...others } = search;
  return (
    <div className="cl-toolbar">
      <TextInput
        ref={field}
        aria-label="Search by name, slug or tag"
        placeholder="Search by name, slug or tag"
        leftSection={<Icon name="search" size={16} />}
        value={text}
        onChange={({ currentTarget: { value } }) => setText(value)}
        type="search"
        maxLength={200}
      />
      <fieldset className="cl-group cl-row" aria-label="Filter by state">
        {[...statusOrder, 'started' as const]
          .filter((one) => counts[one] > 0 || one === status)
          .map((one) => (
            <button
              key={one}
              type="button"
              className="cl-filter"
              aria-pressed={one === status}
              onClick={() => change(one === status ? others : { ...search, status: one })}
            >
              {counts[one]} {one === 'started' ? 'running' : wordOf(one)}
            </button>
          ))}
      </fieldset>
      <NarrowedBy search={search} change={change} />
      <select
        className="cl-select"
        aria-label="Order"
        value={search.sort ?? 'attention'}
        onChange={({ currentTarget: { value } }) =>
          change({ ...search, sort: value as NonNullable<CheckSearch['sort']> })
        }
      >
        {sorts.map(([sort, label]) => (
          <option key={sort} value={sort}>
            {label}
          </option>
        ))}
      </select>
    </div>
  );
}

/** What else of the address narrows the list, to be taken away. */
function NarrowedBy({ search, change }: Narrowing) {
  const { tag, channel } = search;
  return (
    <>
      {tag !== undefined && (
        <button
          type="button"
          className="cl-filter"
          aria-pressed
          onClick={() => change(without(search, 'tag'))}
        >
          tag {tag} ×
        </button>
      )}
      {channel !== undefined && (
        <button
          type="button"
          className="cl-filter"
          aria-pressed
          onClick={() => change(without(search, 'channel'))}
        >
          checks of one integration ×
        </button>
      )}
    </>
  );
}

function without(search: CheckSearch, name: keyof CheckSearch): CheckSearch {
  const { [name]: _gone, ...others } = search;
  return others;
}

function createCommand(): string {
  return `curl -H "X-Api-Key: $KEY" -d '{"name":"Nightly backup","timeout":86400,"channels":"*"}' \\
  ${serviceUrl()}/api/v3/checks/`;
}
