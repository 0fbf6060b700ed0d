import type { AcmeClient, AcmeClientState, ClientUse } from '@certloop/contracts/browser';
import {
  type Column,
  countOf,
  LongName,
  type Mark,
  Moment,
  RowButton,
  readableTimes,
  StateChip,
} from '@certloop/web-kit';

const marks: Readonly<Record<AcmeClientState, Mark>> = {
  unused: { tone: 'idle', shape: 'circle', word: 'not used yet' },
  active: { tone: 'ok', shape: 'check', word: 'active' },
  failing: { tone: 'bad', shape: 'triangle', word: 'last order failed' },
  expired: { tone: 'warn', shape: 'clock', word: 'expired' },
};

export function ClientState({ state }: Pick<AcmeClient, 'state'>) {
  return <StateChip {...marks[state]} />;
}

/** Columns of the list of ACME clients; `open` shows one. */
export function clientColumns(open: (client: AcmeClient) => void): readonly Column<AcmeClient>[] {
  return [
    {
      key: 'name',
      title: 'Client',
      narrow: 'name',
      cell: (client) => (
        <RowButton onClick={() => open(client)}>
          <LongName>{client.name}</LongName>
        </RowButton>
      ),
    },
    {
      key: 'state',
      title: 'State',
      width: '10.5rem',
      narrow: 'beside',
      cell: ({ state }) => <ClientState state={state} />,
    },
    { key: 'seen', title: 'Last seen', narrow: 'line', cell: ({ use }) => <LastSeen use={use} /> },
    {
      key: 'names',
      title: 'Names',
      width: '6rem',
      narrow: 'titled',
      cell: ({ use }) => use?.fqdnCount ?? 0,
    },
    {
      key: 'order',
      title: 'Last order',
      narrow: 'line',
      cell: ({ use }) => use?.lastOrder && <LastOrder order={use.lastOrder} />,
    },
  ];
}

/** Which machine was seen last, when and from where. */
function LastSeen({ use }: { readonly use: ClientUse | undefined }) {
  if (use === undefined) return <span className="cl-dim">never</span>;
  const [last] = use.accounts;
  return (
    <>
      <Moment at={use.lastSeenAt} />
      {last !== undefined && (
        <div className="cl-dim cl-anywhere">
          {agentName(last.userAgent)} from {last.ipAddress}
          {use.accountCount > 1 && `, one of ${countOf(use.accountCount, 'account')}`}
        </div>
      )}
    </>
  );
}

type Order = NonNullable<ClientUse['lastOrder']>;

const orderWords: Readonly<Record<Order['state'], string>> = {
  ready: 'open',
  processing: 'running',
  valid: 'issued',
  invalid: 'failed',
};

/** For which names, when, and how it ended. */
export function LastOrder({ order: { names, state, createdAt, problem } }: { readonly order: Order }) {
  const [first = '', ...others] = names;
  return (
    <>
      <span className="cl-anywhere">
        {first}
        {others.length > 0 && ` and ${countOf(others.length, 'other name')}`}
      </span>
      <div className="cl-dim cl-anywhere">
        {orderWords[state]}, <Moment at={createdAt} />
        {problem !== undefined && `: ${readableTimes(problem)}`}
      </div>
    </>
  );
}

/** A client as people name it: its first word of the user agent, such as `CertbotACMEClient/2.1.0`. */
export function agentName(userAgent: string): string {
  const [first = ''] = userAgent.split(' ');
  return first === '' ? 'a client without a name' : first.slice(0, maxAgent);
}

const maxAgent = 60;
