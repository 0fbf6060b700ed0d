import { AddButton, ByCommand, EmptyState, ErrorPanel, serviceUrl, useTitle } from '@certloop/web-kit';
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type ReactElement, useState } from 'react';
import { spaceQuery } from '../../lookups.js';
import { NamesList } from '../../names/names-list.js';
import { includesLevel } from '../../rights.js';
import { SpaceTabs } from '../../spaces/space-tabs.js';
import { NewFqdn } from './new-fqdn.js';
import { SpaceActions } from './space-actions.js';

const route = getRouteApi('/inside/spaces/$spaceId');

/** The names of a space. */
export function SpacePage() {
  const { spaceId } = route.useParams();
  const [isAdding, setAdding] = useState(false);
  const filter = route.useSearch();
  const navigate = route.useNavigate();
  const space = useQuery(spaceQuery(spaceId));
  const name = space.data?.name ?? 'Space';
  useTitle(name, 'manager');
  if (space.isError && space.data === undefined) {
    return <ErrorPanel error={space.error} retry={() => void space.refetch()} />;
  }
  const canWrite = includesLevel(space.data?.level, 'READ_WRITE');
  const add = canWrite && <AddButtons spaceId={spaceId} add={() => setAdding(true)} />;
  return (
    <>
      <nav className="cl-crumbs" aria-label="Where you are">
        <Link to="/spaces">Spaces</Link>
      </nav>
      <div className="cl-title">
        <h1>{name}</h1>
        {space.data !== undefined && (
          <div className="cl-row">
            <SpaceActions space={space.data} />
            {space.data.counts.total > 0 && add}
          </div>
        )}
      </div>
      {space.data !== undefined && space.data.description !== '' && (
        <p className="cl-dim cl-anywhere">{space.data.description}</p>
      )}
      {space.data?.watchEnabled === false && (
        <p className="cl-strip">
          The monitor does not watch this space: no one is alerted if a renewal is late.
        </p>
      )}
      <SpaceTabs spaceId={spaceId} />
      <NamesList
        spaceId={spaceId}
        spaceName={space.data?.name}
        filter={filter}
        setFilter={(search) => void navigate({ search })}
        counts={space.data?.counts}
        canWrite={canWrite ? all : none}
        empty={<NoNames spaceId={spaceId} add={add} />}
      />
      <NewFqdn spaceId={spaceId} isOpen={isAdding} close={() => setAdding(false)} />
    </>
  );
}

const all = () => true;
const none = () => false;

function AddButtons({ spaceId, add }: { readonly spaceId: string; readonly add: () => void }) {
  return (
    <div className="cl-row">
      <Button
        variant="default"
        renderRoot={(props) => <Link {...props} to="/spaces/$spaceId/add-names" params={{ spaceId }} />}
      >
        Paste a list of names
      </Button>
      <Button
        variant="default"
        renderRoot={(props) => <Link {...props} to="/watch-servers" search={{ spaceId }} />}
      >
        Watch servers
      </Button>
      <AddButton label="Add a name" onClick={add} />
    </div>
  );
}

/** Shown for a space without names; `add` are the buttons of those who may add some. */
function NoNames({ spaceId, add }: { readonly spaceId: string; readonly add: ReactElement | false }) {
  return (
    <EmptyState title="This space has no name yet">
      <p>Add the host name that a certificate is for. Its private key stays with you.</p>
      {add === false ? (
        <p className="cl-dim">It takes the level READ_WRITE on this space to add one.</p>
      ) : (
        <>
          {add}
          <ByCommand text={addCommand(spaceId)} />
        </>
      )}
    </EmptyState>
  );
}

function addCommand(spaceId: string): string {
  return `curl -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
  -d '{"fqdn":"www.example.com"}' ${serviceUrl()}/spaces/${spaceId}/fqdns`;
}
