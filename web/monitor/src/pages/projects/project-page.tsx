import type { Check, CheckStatus, ReadOnlyCheck } from '@certloop/contracts/browser';
import {
  type Column,
  countOf,
  DataTable,
  EmptyState,
  Loaded,
  Moment,
  StateChip,
  type StateShape,
  type Tone,
  useTitle,
} from '@certloop/web-kit';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { api } from '../../service.js';

type SeenCheck = Check | ReadOnlyCheck;

const states: Readonly<
  Record<CheckStatus, { readonly tone: Tone; readonly shape: StateShape; readonly word: string }>
> = {
  down: { tone: 'bad', shape: 'octagon', word: 'down' },
  grace: { tone: 'warn', shape: 'clock', word: 'late' },
  new: { tone: 'idle', shape: 'circle', word: 'new' },
  up: { tone: 'ok', shape: 'check', word: 'up' },
  paused: { tone: 'idle', shape: 'bars', word: 'paused' },
};
/** Which state a person looks at first. */
const order = Object.keys(states) as readonly CheckStatus[];

const columns: readonly Column<SeenCheck>[] = [
  { key: 'name', title: 'Check', cell: ({ name }) => (name === '' ? 'unnamed' : name) },
  {
    key: 'status',
    title: 'State',
    width: '8rem',
    cell: ({ status }) => {
      const { tone, shape, word } = states[status];
      return (
        <StateChip tone={tone} shape={shape}>
          {word}
        </StateChip>
      );
    },
  },
  { key: 'tags', title: 'Tags', cell: ({ tags }) => tags },
  {
    key: 'last',
    title: 'Last ping',
    width: '10rem',
    cell: ({ last_ping }) => (last_ping === null ? 'never' : <Moment at={last_ping} />),
  },
  {
    key: 'next',
    title: 'Next ping',
    width: '10rem',
    cell: ({ next_ping }) => (next_ping === null ? null : <Moment at={next_ping} />),
  },
];

const route = getRouteApi('/inside/projects/$projectId');

/** The checks of a project, those in need first. */
export function ProjectPage() {
  const { projectId } = route.useParams();
  const project = useQuery({
    queryKey: ['projects', projectId],
    queryFn: async ({ signal }) => (await api.getProject({ params: { projectId }, signal })).body,
  });
  const checks = useQuery({
    queryKey: ['projects', projectId, 'checks'],
    queryFn: async ({ signal }) =>
      (await api.listAccountChecks({ params: { projectId }, signal })).body.checks,
  });
  const name = project.data?.name ?? 'Project';
  useTitle(name, 'monitor');
  return (
    <>
      <h1>{name}</h1>
      <Loaded query={checks}>
        {(found) =>
          found.length === 0 ? (
            <EmptyState title="This project has no check yet">
              <p>A check waits for the pings of a job, and alerts people when one does not come.</p>
            </EmptyState>
          ) : (
            <>
              <p className="cl-dim">{headingOf(found)}</p>
              <DataTable
                label="Checks"
                columns={columns}
                rows={found.toSorted((one, other) => order.indexOf(one.status) - order.indexOf(other.status))}
                rowKey={(check) => ('unique_key' in check ? check.unique_key : check.ping_url)}
              />
            </>
          )
        }
      </Loaded>
    </>
  );
}

/** Counts by state, the bad ones first, such as `2 down, 1 late, 41 up`. */
function headingOf(checks: readonly SeenCheck[]): string {
  const counts = order.map(
    (status) => [status, checks.filter((check) => check.status === status).length] as const,
  );
  const said = counts
    .filter(([, count]) => count > 0)
    .map(([status, count]) => `${count} ${states[status].word}`);
  return `${countOf(checks.length, 'check')}: ${said.join(', ')}`;
}
