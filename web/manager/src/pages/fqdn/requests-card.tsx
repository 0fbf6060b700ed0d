import type { Fqdn, ListedIssuanceJob } from '@certloop/contracts/browser';
import {
  type Column,
  ListTable,
  listPageOf,
  Moment,
  StateChip,
  type StateShape,
  type Tone,
  useList,
} from '@certloop/web-kit';
import { getRouteApi, Link } from '@tanstack/react-router';
import { providerName, useProviders } from '../../providers.js';
import { api } from '../../service.js';
import { JobSteps } from './job-steps.js';

const route = getRouteApi('/inside/spaces/$spaceId/fqdns/$fqdnId');

const marks: Readonly<
  Record<
    ListedIssuanceJob['status'],
    { readonly tone: Tone; readonly shape: StateShape; readonly word: string }
  >
> = {
  running: { tone: 'active', shape: 'turning', word: 'running' },
  waiting: { tone: 'warn', shape: 'clock', word: 'waits for you' },
  completed: { tone: 'ok', shape: 'check', word: 'done' },
  failed: { tone: 'bad', shape: 'octagon', word: 'failed' },
};

/** The steps of a request, the open one unless another is chosen, and the requests so far, the newest first. */
export function RequestsCard({ fqdn, mayWrite }: { readonly fqdn: Fqdn; readonly mayWrite: boolean }) {
  const { job: chosen } = route.useSearch();
  const providers = useProviders();
  const list = useRequests(fqdn.id);
  const open = list.rows?.find(({ finishedAt }) => finishedAt === undefined);
  const shown = chosen ?? open?.id;
  const columns: readonly Column<ListedIssuanceJob>[] = [
    {
      key: 'status',
      title: 'State',
      width: '9rem',
      cell: ({ status }) => <JobState status={status} />,
    },
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
    <>
      {shown !== undefined && (
        <section className="cl-panel" aria-label="Steps">
          <h2>{shown === open?.id ? 'The request under way' : 'Steps of the request'}</h2>
          <JobSteps key={shown} jobId={shown} fqdnId={fqdn.id} mayWrite={mayWrite} />
        </section>
      )}
      {list.rows?.length !== 0 && (
        <section className="cl-stack">
          <h2>Requests</h2>
          <ListTable
            list={list}
            label="Requests"
            columns={columns}
            rowKey={({ id }) => id}
            noun="request"
            empty={null}
          />
        </section>
      )}
    </>
  );
}

/** The requests of a name, the newest first. */
function useRequests(fqdnId: string) {
  return useList<ListedIssuanceJob>(['fqdns', fqdnId, 'jobs'], async (cursor, signal) => {
    const query = { fqdnId, limit: '50', ...(cursor !== undefined && { cursor }) };
    const { body, headers } = await api.listIssuanceJobs({ query, signal });
    return listPageOf(body, headers);
  });
}

function JobState({ status }: Pick<ListedIssuanceJob, 'status'>) {
  const { tone, shape, word } = marks[status];
  return (
    <StateChip tone={tone} shape={shape}>
      {word}
    </StateChip>
  );
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
      search={{ job: id }}
      aria-current={isShown || undefined}
    >
      Steps
    </Link>
  );
}
