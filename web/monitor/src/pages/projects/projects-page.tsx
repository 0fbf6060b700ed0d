import type { AccountProject } from '@certloop/contracts/browser';
import { type Column, DataTable, EmptyState, Loaded, useTitle } from '@certloop/web-kit';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { api } from '../../service.js';

const roles: Readonly<Record<AccountProject['role'], string>> = {
  owner: 'You own it',
  member: 'You may change its checks',
  'read-only': 'You may look',
};

const columns: readonly Column<AccountProject>[] = [
  {
    key: 'name',
    title: 'Project',
    cell: ({ id, name }) => (
      <Link to="/projects/$projectId" params={{ projectId: id }}>
        {name}
      </Link>
    ),
  },
  { key: 'role', title: 'Role', cell: ({ role }) => roles[role] },
];

/** The projects that the user owns or is a member of. */
export function ProjectsPage() {
  useTitle('Projects', 'monitor');
  const query = useQuery({
    queryKey: ['projects'],
    queryFn: async ({ signal }) => (await api.listProjects({ signal })).body.projects,
  });
  return (
    <>
      <h1>Projects</h1>
      <Loaded query={query}>
        {(projects) =>
          projects.length === 0 ? (
            <EmptyState title="You have no project yet">
              <p>
                A project holds checks, the integrations that they alert, and the keys of the jobs that ping
                them.
              </p>
            </EmptyState>
          ) : (
            <DataTable label="Projects" columns={columns} rows={projects} rowKey={({ id }) => id} />
          )
        }
      </Loaded>
    </>
  );
}
