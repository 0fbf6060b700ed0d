import type { ChannelDelivery } from '@certloop/contracts/browser';
import { type Column, DataTable, Loaded, Moment, StateChip } from '@certloop/web-kit';
import { useQuery } from '@tanstack/react-query';
import { wordOf } from '../../check-states.js';
import { api } from '../../service.js';

const columns: readonly Column<ChannelDelivery>[] = [
  {
    key: 'check',
    title: 'Check',
    cell: ({ check }) => (check === undefined ? 'test or notice' : check || 'unnamed'),
  },
  { key: 'status', title: 'Says', width: '5rem', cell: ({ status }) => wordOf(status) },
  { key: 'at', title: 'When', width: '9rem', cell: ({ at }) => <Moment at={at} /> },
  {
    key: 'outcome',
    title: 'Outcome',
    cell: ({ settledAt, error }) => (
      <>
        {settledAt === undefined ? (
          <StateChip tone="warn" shape="clock">
            waiting
          </StateChip>
        ) : (
          <StateChip
            tone={error === undefined ? 'ok' : 'bad'}
            shape={error === undefined ? 'check' : 'triangle'}
          >
            {error === undefined ? 'delivered' : 'failed'}
          </StateChip>
        )}
        {error !== undefined && <div className="cl-note">{error}</div>}
      </>
    ),
  },
];

/** The latest messages of an integration. */
export function Deliveries({
  projectId,
  channelId,
}: {
  readonly projectId: string;
  readonly channelId: string;
}) {
  const query = useQuery({
    queryKey: ['projects', projectId, 'channels', channelId, 'deliveries'],
    queryFn: async ({ signal }) =>
      (await api.listDeliveries({ params: { projectId, channelId }, signal })).body.deliveries,
  });
  return (
    <Loaded query={query}>
      {(deliveries) =>
        deliveries.length === 0 ? (
          <p className="cl-dim">It was sent nothing yet.</p>
        ) : (
          <DataTable label="Messages" columns={columns} rows={deliveries} rowKey={({ id }) => String(id)} />
        )
      }
    </Loaded>
  );
}
