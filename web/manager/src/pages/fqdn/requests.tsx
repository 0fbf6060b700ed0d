import type { Fqdn, ListedIssuanceJob } from '@certloop/contracts/browser';
import {
  type Column,
  ListTable,
  listOptions,
  type Mark,
  Moment,
  StateChip,
  useList,
} from '@certloop/web-kit';
import { getRouteApi, Link } from '@tanstack/react-router';
import { providerName, useProviders } from '../../providers.js';
import { api } from '../../service.js';
import { JobSteps } from './job-steps.js';

const route = getRouteApi('/inside/spaces/$spaceId/fqdns/$fqdnId');

const marks: Readonly<Record<ListedIssuanceJob['status'], Mark>> = {
  running: { tone: 'active', shape: 'turning', word: 'running' },
  waiting: { tone: 'warn', shape: 'clock', word: 'waits for you' },
  completed: { tone: 'ok', shape: 'check', word: 'done' },
  failed: { tone: 'bad', shape: 'octagon', word: 'failed' },
};

/** The steps of a request: of the open one unless the address names another; nothing without either. */
export function StepsCard({ fqdn, mayWrite }: { readonly fqdn: Fqdn; readonly mayWrite: boolean }) {
  const { shown, open } = useShownRequest(fqdn.id);
  if (shown === undefined) return null;
  return (
    <section className="cl-panel" aria-label="Steps">
      <h2>{shown === open ? 'The request under way' : 'Steps of the request'}</h2>
      <JobSteps key={shown} jobId={shown} fqdn={fqdn} mayWrite={mayWrite} />
    </section>
  );
}

/** The requests of a name, the newest first. */
export function RequestsTable({ fqdn }: { readonly fqdn: Fqdn }) {
  const providers = useProviders();
  const { list, shown } = useShownRequest(fqdn.id);
  const columns: readonly Column<ListedIssuanceJob>[] = [
    { key: 'status', title: 'State', width: '9rem', cell: ({ status }) => <StateChip {...marks[status]} /> },
    { key: 'started', title: 'Started', width: '9rem', cell: ({ createdAt }) => <Moment at={createdAt} /> },
    { key: 'by', title: 'By', width: '9rem', cell: ({ requestedBy }) => requestedBy },
    {
      key: 'provider',
      title: 'Provider',
      width: '12rem',
      cell: ({ providerId }) => providerName(providers.data, providerId),
    },
    { key: 'message', title: 'Result', cell: ({ message }) => message },
    {
      key: 'steps',
      title: '',
      width: '5rem',
      cell: (job) => <StepsLink job={job} isShown={job.id === shown} />,
    },
  ];
  return (
    <ListTable
      list={list}
      label="Requests"
      columns={columns}
      rowKey={({ id }) => id}
      noun="request"
      empty={<p className="cl-dim">No certificate was requested yet.</p>}
    />
  );
}

/** The requests of a name, with the ids of the open one and of that whose steps are shown. */
function useShownRequest(fqdnId: string) {
  const { job: chosen } = route.useSearch();
  const list = useRequests(fqdnId);
  const open = list.rows?.find(({ finishedAt }) => finishedAt === undefined)?.id;
  return { list, open, shown: chosen ?? open };
}

function useRequests(fqdnId: string) {
  return useList(listOptions(api.listIssuanceJobs, { query: { fqdnId, limit: '50' } }));
}

function StepsLink({
  job: { id, spaceId, fqdnId },
  isShown,
}: {
  readonly job: ListedIssuanceJob;
  readonly isShown: boolean;
}) {
  return (
    <Link
      to="/spaces/$spaceId/fqdns/$fqdnId"
      params={{ spaceId, fqdnId }}
      search={{ job: id, tab: 'requests' }}
      aria-current={isShown || undefined}
    >
      Steps
    </Link>
  );
}
