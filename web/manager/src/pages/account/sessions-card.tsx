import type { OwnSession } from '@certloop/contracts/browser';
import {
  type Column,
  DataTable,
  Fault,
  Loaded,
  Moment,
  queryOptions,
  StateChip,
  sentenceOf,
  WaitingTable,
} from '@certloop/web-kit';
import { Button } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { sessionsResource } from '../../resources.js';
import { api } from '../../service.js';

/** The open sessions of the user; every one but that of this page can be ended here. */
export function SessionsCard() {
  const query = useQuery(queryOptions(api.listSessions));
  const end = useMutation({
    mutationFn: ({ id }: OwnSession) => api.deleteSession({ params: { id } }),
    meta: { changes: [sessionsResource] },
  });
  const columns: readonly Column<OwnSession>[] = [
    {
      key: 'started',
      title: 'Signed in',
      cell: ({ createdAt }) => <Moment at={createdAt} />,
    },
    { key: 'used', title: 'Last use', width: '12rem', cell: ({ lastUsedAt }) => <Moment at={lastUsedAt} /> },
    {
      key: 'end',
      title: '',
      width: '9rem',
      cell: (session) =>
        session.isCurrent ? (
          <StateChip tone="ok" shape="check" word="this one" />
        ) : (
          <Button
            size="xs"
            variant="default"
            loading={end.isPending && end.variables.id === session.id}
            onClick={() => end.mutate(session)}
          >
            End it
          </Button>
        ),
    },
  ];
  return (
    <section className="cl-stack" aria-label="Sessions">
      <h2>Sessions</h2>
      <Fault>{end.isError ? sentenceOf(end.error) : undefined}</Fault>
      <Loaded query={query} waiting={<WaitingTable columns={columns} rows={1} />}>
        {(sessions) => (
          <DataTable label="Sessions" columns={columns} rows={sessions} rowKey={({ id }) => id} />
        )}
      </Loaded>
    </section>
  );
}
