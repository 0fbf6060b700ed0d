import type { ChannelDelivery } from '@certloop/contracts/browser';
import {
  type Column,
  type ListPage,
  ListTable,
  listOptions,
  Moment,
  type ReplyTo,
  StateChip,
  useList,
} from '@certloop/web-kit';
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
          <StateChip tone="warn" shape="clock" word="waiting" />
        ) : (
          <StateChip
            tone={error === undefined ? 'ok' : 'bad'}
            shape={error === undefined ? 'check' : 'triangle'}
            word={error === undefined ? 'delivered' : 'failed'}
          />
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
  const list = useList(deliveryList({ projectId, channelId }));
  return (
    <ListTable
      label="Messages"
      list={list}
      columns={columns}
      rowKey={({ id }) => String(id)}
      noun="message"
      empty={<p className="cl-dim">It was sent nothing yet.</p>}
    />
  );
}

const pageRows = 50;

function deliveryList(params: { readonly projectId: string; readonly channelId: string }) {
  return listOptions(
    api.listDeliveries,
    { params, query: { limit: String(pageRows) } },
    { pageOf: pageOfDeliveries, next: (before) => ({ before }) },
  );
}

function pageOfDeliveries({
  body: { deliveries: rows },
}: ReplyTo<typeof api.listDeliveries>): ListPage<ChannelDelivery> {
  const last = rows.length === pageRows ? rows.at(-1) : undefined;
  return { rows, total: undefined, next: last === undefined ? undefined : String(last.id) };
}
