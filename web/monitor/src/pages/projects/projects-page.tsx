import {
  AddButton,
  ClockNotice,
  CodeBlock,
  type Column,
  countOf,
  countText,
  DataTable,
  EmptyState,
  Loaded,
  live,
  Moment,
  StateChip,
  useTabIcon,
  useTitle,
  WaitingTable,
} from '@certloop/web-kit';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { NoOneChip, reachesNoOne } from '../../alert-reach.js';
import { CheckStateChip, CountStrip, statusOrder, sumOf, titleOf, worstOf } from '../../check-states.js';
import { type CountedProject, projectsQuery } from '../../lookups.js';
import { NewProject } from './new-project.js';

const roles: Readonly<Record<CountedProject['role'], string>> = {
  owner: 'owner',
  member: 'member',
  'read-only': 'may look',
};

const columns: readonly Column<CountedProject>[] = [
  {
    key: 'name',
    title: 'Project',
    cell: ({ id, name }) => (
      <Link to="/projects/$projectId" params={{ projectId: id }} className="cl-anywhere">
        <bdi>{name}</bdi>
      </Link>
    ),
  },
  {
    key: 'state',
    title: 'Worst state',
    width: '8rem',
    cell: ({ counts }) => {
      const worst = statusOrder.find((status) => (counts?.[status] ?? 0) > 0);
      return worst === undefined ? null : <CheckStateChip status={worst} />;
    },
  },
  {
    key: 'counts',
    title: 'Checks',
    cell: ({ counts }) => {
      if (counts === undefined) return null;
      return sumOf(counts) === 0 ? 'no check yet' : <CountStrip counts={counts} />;
    },
  },
  {
    key: 'changed',
    title: 'Last change of a state',
    width: '11rem',
    cell: ({ lastFlipAt }) => (lastFlipAt === undefined ? 'none yet' : <Moment at={lastFlipAt} />),
  },
  {
    key: 'channels',
    title: 'Integrations',
    cell: (project) => <Integrations project={project} />,
  },
  { key: 'role', title: 'Your role', width: '8rem', cell: ({ role }) => roles[role] },
];

/** How many integrations a project has, and what is wrong with them. */
function Integrations({ project }: { readonly project: CountedProject }) {
  const { channels = 0, failingChannels = 0, alerts } = project;
  if (reachesNoOne(alerts)) return <NoOneChip />;
  if (failingChannels > 0) {
    return (
      <StateChip
        tone="bad"
        shape="triangle"
        word={`${countText(failingChannels)} of ${countText(channels)} failing`}
      />
    );
  }
  const silent = alerts?.checksWithoutIntegration ?? 0;
  if (silent === 0) return countText(channels);
  return (
    <StateChip
      tone="warn"
      shape="triangle"
      word={`${countOf(silent, 'check notifies', 'checks notify')} no one`}
    />
  );
}

/** The projects that the user owns or is a member of, those with checks that are down first. */
export function ProjectsPage() {
  const [isAdding, setAdding] = useState(false);
  const query = useQuery({ ...projectsQuery, ...live(15_000) });
  const total = (status: 'down' | 'grace' | 'up') =>
    query.data?.reduce((sum, { counts }) => sum + (counts?.[status] ?? 0), 0) ?? 0;
  const counts = { down: total('down'), grace: total('grace'), up: total('up') };
  useTitle(titleOf(counts, 'Projects'), 'monitor');
  useTabIcon(worstOf(counts));
  const add = <AddButton label="Create a project" onClick={() => setAdding(true)} />;
  return (
    <>
      <div className="cl-title">
        <h1>Projects</h1>
        {query.data !== undefined && query.data.length > 0 && add}
      </div>
      <ClockNotice />
      <Loaded query={query} refresh={live(15_000)} waiting={<WaitingTable columns={columns} />}>
        {(projects) =>
          projects.length === 0 ? (
            <EmptyState title="You have no project yet">
              <p>
                A project holds checks, the integrations that they alert, and the keys of the jobs that ping
                them.
              </p>
              {add}
              <p className="cl-dim">The same on the machine of the service:</p>
              <CodeBlock
                text={
                  'node apps/check-monitor/dist/src/cli.js project create --owner you@example.org --name Jobs'
                }
              />
            </EmptyState>
          ) : (
            <DataTable
              label="Projects"
              columns={columns}
              rows={projects.toSorted((one, other) => rankOf(one) - rankOf(other))}
              rowKey={({ id }) => id}
            />
          )
        }
      </Loaded>
      <NewProject isOpen={isAdding} close={() => setAdding(false)} />
    </>
  );
}

function rankOf({ counts }: CountedProject): number {
  const rank = counts === undefined ? -1 : statusOrder.findIndex((status) => counts[status] > 0);
  const worst = worstOf(counts ?? { new: 0, up: 0, grace: 0, down: 0, paused: 0, started: 0 });
  return worst === undefined ? statusOrder.length : rank;
}
