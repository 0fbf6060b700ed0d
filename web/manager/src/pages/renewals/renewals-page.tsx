import { type RenewalQueueEntry, type RenewalStatus, renewalStatuses } from '@certloop/contracts/browser';
import {
  type Column,
  EmptyState,
  Fault,
  ListTable,
  listPageOf,
  Moment,
  StateChip,
  type StateShape,
  sentenceOf,
  type Tone,
  useList,
  useNow,
  useTitle,
} from '@certloop/web-kit';
import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { providerName, useProviders } from '../../providers.js';
import { reaches } from '../../rights.js';
import { api } from '../../service.js';

const route = getRouteApi('/inside/renewals');

const titles: Readonly<Record<RenewalStatus, string>> = {
  pending: 'Pending',
  processing: 'Running',
  failed: 'Failed',
  completed: 'Done',
};

const marks: Readonly<Record<RenewalStatus, { readonly tone: Tone; readonly shape: StateShape }>> = {
  pending: { tone: 'idle', shape: 'clock' },
  processing: { tone: 'active', shape: 'turning' },
  failed: { tone: 'bad', shape: 'octagon' },
  completed: { tone: 'ok', shape: 'check' },
};

/** The renewal queue by state: when each entry runs, why it failed, and a button that runs it now. */
export function RenewalsPage() {
  useTitle('Renewals', 'manager');
  const { status = 'pending' } = route.useSearch();
  const list = useRenewals(status);
  const run = useRun();
  const columns = useColumns(status, run);
  return (
    <>
      <h1>Renewals</h1>
      <States status={status} />
      <Fault>{run.isError ? `${run.variables.fqdn ?? ''}: ${sentenceOf(run.error)}` : undefined}</Fault>
      {run.isSuccess && (
        <p className="cl-result" role="status">
          The renewal of {run.variables.fqdn} runs now. Its result is on the page of the name.
        </p>
      )}
      <ListTable
        list={list}
        label="Renewals"
        columns={columns}
        rowKey={({ id }) => id}
        noun="renewal"
        empty={
          <EmptyState title={emptyTitles[status]}>
            <p>
              A name is renewed when its automatic renewal is on and it has a certificate, a CSR and a
              provider.
            </p>
          </EmptyState>
        }
      />
    </>
  );
}

function useRenewals(status: RenewalStatus) {
  return useList<RenewalQueueEntry>(['renewals', status], async (cursor, signal) => {
    const page = {
      status,
      include: 'fqdn' as const,
      limit: '100',
      ...(cursor !== undefined && { cursor }),
    };
    const { body, headers } = await api.listRenewals({ query: page, signal });
    return listPageOf(body, headers);
  });
}

function useRun() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (entry: RenewalQueueEntry) => api.runRenewal({ params: { id: entry.id } }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['renewals'] }),
  });
}

type Run = ReturnType<typeof useRun>;

function useColumns(status: RenewalStatus, run: Run): readonly Column<RenewalQueueEntry>[] {
  const now = useNow();
  const providers = useProviders();
  return [
    {
      key: 'fqdn',
      title: 'Name',
      cell: ({ spaceId, fqdnId, fqdn }) => (
        <Link to="/spaces/$spaceId/fqdns/$fqdnId" params={{ spaceId, fqdnId }}>
          {fqdn ?? 'a deleted name'}
        </Link>
      ),
    },
    { key: 'space', title: 'Space', width: '12rem', cell: ({ spaceName }) => spaceName },
    {
      key: 'state',
      title: 'State',
      width: '10rem',
      cell: (entry) => <State entry={entry} now={now} />,
    },
    { key: 'at', title: 'When', width: '9rem', cell: ({ scheduledAt }) => <Moment at={scheduledAt} /> },
    {
      key: 'provider',
      title: 'Provider',
      width: '12rem',
      cell: ({ providerId }) => providerName(providers.data, providerId),
    },
    { key: 'reason', title: 'Reason', cell: ({ reason }) => reason },
    ...(status === 'pending' ? [runColumn(run)] : []),
  ];
}

const runColumn = (run: Run): Column<RenewalQueueEntry> => ({
  key: 'run',
  title: '',
  width: '7rem',
  cell: (entry) =>
    reaches(entry.level, 'READ_WRITE') && (
      <Button
        size="xs"
        variant="default"
        loading={run.isPending && run.variables.id === entry.id}
        onClick={() => run.mutate(entry)}
        aria-label={`Run now: ${entry.fqdn ?? 'this name'}`}
      >
        Run now
      </Button>
    ),
});

function States({ status }: { readonly status: RenewalStatus }) {
  return (
    <nav className="cl-tabs" aria-label="States">
      {renewalStatuses.map((one) => (
        <Link
          key={one}
          activeOptions={{ exact: true }}
          to="/renewals"
          search={{ status: one }}
          aria-current={one === status || undefined}
        >
          {titles[one]}
        </Link>
      ))}
    </nav>
  );
}

const emptyTitles: Readonly<Record<RenewalStatus, string>> = {
  pending: 'No renewal is planned',
  processing: 'No renewal is running',
  failed: 'No renewal has failed',
  completed: 'No renewal was completed yet',
};

function State({ entry, now }: { readonly entry: RenewalQueueEntry; readonly now: number }) {
  const { status, attempt = 1, scheduledAt } = entry;
  const { tone, shape } = marks[status];
  const isRetry = status === 'pending' && attempt > 1;
  const isDue = status === 'pending' && Date.parse(scheduledAt) <= now;
  const word = isDue ? 'due' : status === 'pending' ? 'planned' : titles[status].toLowerCase();
  return (
    <StateChip tone={isRetry ? 'warn' : tone} shape={shape}>
      {isRetry ? `${word}, try ${attempt}` : word}
    </StateChip>
  );
}
