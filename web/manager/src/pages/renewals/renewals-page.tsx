import { type RenewalQueueEntry, type RenewalStatus, renewalStatuses } from '@certloop/contracts/browser';
import {
  ByCommand,
  EmptyState,
  Fault,
  hostText,
  ListTable,
  listOptions,
  Moment,
  MovedRows,
  sentenceOf,
  useList,
  useNow,
  useSteadyList,
  useTitle,
} from '@certloop/web-kit';
import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { renewalsResource } from '../../resources.js';
import { useMayWriteSomewhere, useRights } from '../../rights.js';
import { api } from '../../service.js';
import { statusTitles, useRenewalColumns } from './renewal-columns.js';
import { TestEntries } from './test-entries.js';

const route = getRouteApi('/inside/renewals');

/** The renewal queue by state: when each entry runs, why it failed, and a button that runs it now. */
export function RenewalsPage() {
  useTitle('Renewals', 'manager');
  const { status = 'pending' } = route.useSearch();
  const loaded = useRenewals(status);
  const list = useSteadyList(loaded, {
    keyOf: ({ id }) => id,
    subject: JSON.stringify([status, useRights()]),
  });
  const run = useRun();
  const columns = useRenewalColumns(status, run);
  const { isAdmin } = useRights();
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
      {status === 'pending' && <NothingDue first={loaded.rows?.[0]} />}
      <MovedRows moved={list.moved} sortAnew={list.sortAnew} />
      <ListTable
        list={list}
        label="Renewals"
        columns={columns}
        rowKey={({ id }) => id}
        noun="renewal"
        empty={<NoRenewals status={status} />}
      />
      {isAdmin && <TestEntries />}
    </>
  );
}

function useRenewals(status: RenewalStatus) {
  return useList(listOptions(api.listRenewals, { query: { status, include: 'fqdn', limit: '100' } }));
}

function useRun() {
  return useMutation({
    mutationFn: (entry: RenewalQueueEntry) => api.runRenewal({ params: { id: entry.id } }),
    meta: { changes: [renewalsResource] },
  });
}

/** Shows what runs next, while nothing is due. */
function NothingDue({ first }: { readonly first: RenewalQueueEntry | undefined }) {
  const now = useNow();
  if (first === undefined || Date.parse(first.scheduledAt) <= now) return null;
  const { spaceId, fqdnId, fqdn, scheduledAt } = first;
  return (
    <p className="cl-sentence cl-anywhere">
      Nothing is due. Next:{' '}
      <Link to="/spaces/$spaceId/fqdns/$fqdnId" params={{ spaceId, fqdnId }}>
        <bdi>{fqdn === undefined ? 'a deleted name' : hostText(fqdn)}</bdi>
      </Link>{' '}
      <Moment at={scheduledAt} />.
    </p>
  );
}

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
          {statusTitles[one]}
        </Link>
      ))}
    </nav>
  );
}

/** Shows what a renewal needs; where none is planned, also how those who may do that switch one on. */
function NoRenewals({ status }: { readonly status: RenewalStatus }) {
  const mayWrite = useMayWriteSomewhere();
  return (
    <EmptyState title={emptyTitles[status]}>
      <p>
        A name is renewed when its automatic renewal is on and it has a certificate, a CSR and a provider.
      </p>
      {status === 'pending' && mayWrite && (
        <>
          <Button component={Link} to="/fqdns">
            Switch the renewal of a name on
          </Button>
          <ByCommand text="certloop renewals on www.example.com" />
        </>
      )}
    </EmptyState>
  );
}

const emptyTitles: Readonly<Record<RenewalStatus, string>> = {
  pending: 'No renewal is planned',
  processing: 'No renewal is running',
  failed: 'No renewal has failed',
  completed: 'No renewal was completed yet',
};
