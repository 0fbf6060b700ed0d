import type { AcmeClient, NewAcmeClient } from '@certloop/contracts/browser';
import {
  AddButton,
  ByCommand,
  Drawer,
  EmptyState,
  ListTable,
  Loaded,
  listOptions,
  live,
  queryOptions,
  useList,
  useTitle,
  WaitingPage,
  wholeSentence,
} from '@certloop/web-kit';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useMemo, useState } from 'react';
import { spaceQuery } from '../../lookups.js';
import { includesLevel } from '../../rights.js';
import { api } from '../../service.js';
import { SpaceCrumbs } from '../../spaces/space-crumbs.js';
import { SpaceTabs } from '../../spaces/space-tabs.js';
import { clientColumns } from './client-columns.js';
import { type ClientAct, ClientDetails } from './client-details.js';
import { DeleteClient, EditClient, NewClient, RekeyClient } from './client-dialogs.js';
import { ConnectClient, type ConnectedClient } from './connect-client.js';

const route = getRouteApi('/inside/spaces/$spaceId/acme-clients');

/** The ACME clients of a space: who was seen when, what each may do, and how machines are connected. */
export function AcmeClientsPage() {
  const { spaceId } = route.useParams();
  const space = useQuery(spaceQuery(spaceId));
  const policy = useQuery(queryOptions(api.getIssuancePolicy, { params: { id: spaceId } }));
  useTitle('ACME clients', 'manager');
  const mayChange = includesLevel(space.data?.level, 'FULL_ACCESS');
  return (
    <>
      <SpaceCrumbs spaceId={spaceId} name={space.data?.name} />
      <h1>ACME clients</h1>
      <SpaceTabs spaceId={spaceId} />
      <Loaded query={policy} waiting={<WaitingPage />}>
        {({ allowedNames }) => (
          <Clients
            spaceId={spaceId}
            spaceName={space.data?.name ?? 'SPACE'}
            allowed={allowedNames}
            mayChange={mayChange}
          />
        )}
      </Loaded>
    </>
  );
}

interface ClientsProps {
  readonly spaceId: string;
  readonly spaceName: string;
  readonly allowed: Parameters<typeof NewClient>[0]['allowed'];
  readonly mayChange: boolean;
}

// who uses a client is no change that is logged
const refresh = live(30_000);

function Clients({ spaceId, spaceName, allowed, mayChange }: ClientsProps) {
  const [isAdding, setAdding] = useState(false);
  const [connected, connect] = useState<ConnectedClient>();
  const [openedId, open] = useState<string>();
  const list = useList<AcmeClient>(
    listOptions(api.listAcmeClients, { params: { spaceId }, query: { limit: '100' } }),
    refresh,
  );
  const columns = useMemo(() => clientColumns(({ id }) => open(id)), []);
  const opened = list.rows?.find(({ id }) => id === openedId);
  const connectTo = (one: ConnectedClient) => {
    // back in the list, nothing is open
    open(undefined);
    connect(one);
  };
  const made = ({ hmacKey, warnings, ...client }: NewAcmeClient) =>
    connectTo({ client, hmacKey, warnings: warnings.map(({ message }) => wholeSentence(message)) });
  const add = mayChange && <AddButton label="Create an ACME client" onClick={() => setAdding(true)} />;
  if (connected !== undefined)
    return <ConnectClient connected={connected} allowed={allowed} close={() => connect(undefined)} />;
  return (
    <>
      {list.rows?.length !== 0 && <div className="cl-row">{add}</div>}
      <ListTable
        list={list}
        label="ACME clients"
        columns={columns}
        rowKey={({ id }) => id}
        noun="ACME client"
        empty={<NoClients add={add} spaceName={spaceName} />}
      />
      {isAdding && (
        <NewClient spaceId={spaceId} allowed={allowed} made={made} close={() => setAdding(false)} />
      )}
      {opened !== undefined && (
        <OpenedClient
          client={opened}
          allowed={allowed}
          mayChange={mayChange}
          made={made}
          connect={connectTo}
          close={() => open(undefined)}
        />
      )}
    </>
  );
}

/** The details of a client, and the dialogs that change it. */
function OpenedClient({
  client,
  allowed,
  mayChange,
  made,
  connect,
  close,
}: Pick<ClientsProps, 'allowed' | 'mayChange'> & {
  readonly client: AcmeClient;
  readonly made: (client: NewAcmeClient) => void;
  readonly connect: (client: ConnectedClient) => void;
  readonly close: () => void;
}) {
  const [act, setAct] = useState<ClientAct>();
  const run = (chosen: ClientAct) =>
    chosen === 'commands' ? connect({ client, hmacKey: undefined, warnings: [] }) : setAct(chosen);
  const end = () => setAct(undefined);
  if (act === 'edit') return <EditClient client={client} allowed={allowed} close={end} />;
  if (act === 'rekey') return <RekeyClient client={client} made={made} close={end} />;
  if (act === 'delete') return <DeleteClient client={client} close={close} />;
  return (
    <Drawer title={client.name} isOpen close={close}>
      <ClientDetails client={client} act={mayChange ? run : undefined} />
    </Drawer>
  );
}

function NoClients({ add, spaceName }: { readonly add: ReactNode; readonly spaceName: string }) {
  return (
    <EmptyState title="This space has no ACME client yet">
      <p>
        An ACME client is a key by which certbot, lego, acme.sh, Caddy, Traefik, Kubernetes and others get
        certificates from CertLoop. They make their keys themselves and renew in time; CertLoop alerts you if
        one does not.
      </p>
      {add === false ? (
        <p className="cl-dim">It takes the level FULL_ACCESS on this space to create one.</p>
      ) : (
        <>
          {add}
          <ByCommand
            text={`certloop acme-clients create web-7 --space '${spaceName.replaceAll("'", "'\\''")}' \\\n  --suffix shop.example.com -o certbot`}
          />
        </>
      )}
    </EmptyState>
  );
}
