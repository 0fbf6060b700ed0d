import type { AcmeClient, ClientUse } from '@certloop/contracts/browser';
import { type Column, DataTable, exactTime, Fact, hostText, Moment } from '@certloop/web-kit';
import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { providerName, useProviders } from '../../providers.js';
import { agentName, ClientState, LastOrder } from './client-columns.js';

/** Actions on a client. */
export type ClientAct = 'commands' | 'edit' | 'rekey' | 'delete';

/** Who uses a client and what it may do; `act` is absent for those who may not change it. */
export function ClientDetails({
  client,
  act,
}: {
  readonly client: AcmeClient;
  readonly act: ((act: ClientAct) => void) | undefined;
}) {
  const { use } = client;
  return (
    <div className="cl-stack">
      <div className="cl-row">
        <ClientState state={client.state} />
      </div>
      {act !== undefined && (
        <div className="cl-row">
          <Button variant="default" onClick={() => act('commands')}>
            Show the commands
          </Button>
          <Button variant="default" onClick={() => act('edit')}>
            Edit
          </Button>
          <Button variant="default" onClick={() => act('rekey')}>
            New key…
          </Button>
          <Button variant="default" color="red" onClick={() => act('delete')}>
            Delete…
          </Button>
        </div>
      )}
      <Permissions client={client} />
      {use === undefined ? (
        <p className="cl-dim">No machine has registered with its key yet.</p>
      ) : (
        <Use spaceId={client.spaceId} use={use} />
      )}
    </div>
  );
}

function Permissions({ client }: { readonly client: AcmeClient }) {
  const providers = useProviders();
  const { kid, providerId, expiresAt, allowedCidrs, createdBy, createdAt, keyChangedAt } = client;
  return (
    <dl className="cl-facts">
      <Fact title="Names">{namesText(client)}</Fact>
      <Fact title="Provider">
        {providerId === null ? 'that of the name, else ACME' : providerName(providers.data, providerId)}
      </Fact>
      <Fact title="New names">{client.createFqdns ? 'are added to the space' : 'are refused'}</Fact>
      <Fact title="Names of people">{client.mayTakeOver ? 'may be taken over' : 'are refused'}</Fact>
      <Fact title="Addresses">{allowedCidrs.length === 0 ? 'any' : allowedCidrs.join(', ')}</Fact>
      <Fact title="Limits">
        {client.maxOrdersPerDay} orders a day, {client.maxAccounts} accounts
      </Fact>
      {expiresAt !== null && <Fact title="Expires">{exactTime(expiresAt)}</Fact>}
      <Fact title="Key identifier" isMono>
        {kid}
      </Fact>
      <Fact title="Key since">{exactTime(keyChangedAt)}</Fact>
      <Fact title="Created">
        {exactTime(createdAt)} by {createdBy.username}
      </Fact>
    </dl>
  );
}

function namesText({ names }: AcmeClient): string {
  if (names === null) return 'all that the issuance policy allows';
  const domains = names.suffixes.map((suffix) => `${suffix} and below`);
  const all = [...domains, ...names.names, ...names.cidrs];
  return `${all.join(', ')}${names.wildcards ? ', with wildcards' : ''}`;
}

function Use({ spaceId, use }: { readonly spaceId: string; readonly use: ClientUse }) {
  const more = use.accountCount - use.accounts.length;
  const hidden = use.fqdnCount - use.fqdns.length;
  return (
    <>
      <h2>Machines</h2>
      <DataTable
        label="Machines"
        columns={accountColumns}
        rows={use.accounts}
        rowKey={({ thumbprint, createdAt }) => `${thumbprint} ${createdAt}`}
      />
      {more > 0 && <p className="cl-dim">And {more} more accounts.</p>}
      {use.lastOrder !== undefined && (
        <>
          <h2>Last order</h2>
          <div>
            <LastOrder order={use.lastOrder} />
          </div>
        </>
      )}
      {use.fqdns.length > 0 && (
        <>
          <h2>Names</h2>
          <ul className="cl-list">
            {use.fqdns.map(({ id, fqdn }) => (
              <li key={id} className="cl-anywhere">
                <Link to="/spaces/$spaceId/fqdns/$fqdnId" params={{ spaceId, fqdnId: id }}>
                  {hostText(fqdn)}
                </Link>
              </li>
            ))}
          </ul>
          {hidden > 0 && <p className="cl-dim">And {hidden} more names.</p>}
        </>
      )}
    </>
  );
}

type Account = ClientUse['accounts'][number];

const accountColumns: readonly Column<Account>[] = [
  { key: 'agent', title: 'Program', cell: ({ userAgent }) => agentName(userAgent) },
  { key: 'from', title: 'From', cell: ({ ipAddress }) => ipAddress },
  { key: 'seen', title: 'Last seen', width: '8rem', cell: ({ lastSeenAt }) => <Moment at={lastSeenAt} /> },
  {
    key: 'status',
    title: 'Account',
    width: '7rem',
    cell: ({ status }) => (status === 'valid' ? 'in use' : status),
  },
];
