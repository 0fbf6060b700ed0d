import type { Space } from '@certloop/contracts/browser';
import { AddButton, EmptyState, Loaded, useList, useTitle } from '@certloop/web-kit';
import { NativeSelect } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { spaceList, spaceQuery } from '../../lookups.js';
import { includesLevel, useRights } from '../../rights.js';
import { NewSpace } from '../../spaces/new-space.js';
import { ServersForm } from './servers-form.js';
import { useWatching } from './use-watching.js';
import { WatchedServers } from './watched-servers.js';

const route = getRouteApi('/inside/watch-servers');

/** Watches a pasted list of servers: what they present becomes the certificate of their names. */
export function WatchServersPage() {
  const { spaceId: asked } = route.useSearch();
  const navigate = route.useNavigate();
  useTitle('Watch servers', 'manager');
  const { query, rows = [] } = useList(spaceList());
  const linkedIds = asked === undefined ? [] : [asked];
  const [linked] = useQueries({ queries: linkedIds.map((id) => spaceQuery(id)) }).map(({ data }) => data);
  const spaces = [...rows.filter(({ id }) => id !== linked?.id), ...(linked === undefined ? [] : [linked])]
    .filter(({ level }) => includesLevel(level, 'READ_WRITE'))
    .toSorted((one, other) => one.name.localeCompare(other.name));
  const chosen = spaces.find(({ id }) => id === asked) ?? spaces[0];
  return (
    <>
      <h1>Watch servers</h1>
      <Loaded query={query}>
        {() =>
          chosen === undefined ? (
            <NoSpace />
          ) : (
            <Watching
              key={chosen.id}
              space={chosen}
              spaces={spaces}
              choose={(spaceId) => void navigate({ search: { spaceId } })}
            />
          )
        }
      </Loaded>
    </>
  );
}

function Watching({
  space,
  spaces,
  choose,
}: {
  readonly space: Space;
  readonly spaces: readonly Space[];
  readonly choose: (spaceId: string) => void;
}) {
  const watching = useWatching(space.id);
  return (
    <>
      <p>
        CertLoop looks now at the certificate that each server presents, and from then on. If another program
        renews it, the new one is followed; if it is not renewed in time, people are notified before it
        expires.
      </p>
      <ServersForm watching={watching} spaceId={space.id}>
        {spaces.length > 1 ? (
          <NativeSelect
            label="Space"
            description="The names of the certificates are added to it."
            value={space.id}
            data={spaces.map(({ id, name }) => ({ value: id, label: name }))}
            onChange={({ currentTarget: { value } }) => choose(value)}
          />
        ) : (
          <p>
            The names of the certificates are added to the space <bdi>{space.name}</bdi>.
          </p>
        )}
      </ServersForm>
      {watching.rows.length > 0 && <WatchedServers spaceId={space.id} watching={watching} />}
    </>
  );
}

/** Shown to people who may add names to no space. */
function NoSpace() {
  const { hasFullAccess } = useRights();
  const [isAdding, setAdding] = useState(false);
  return (
    <EmptyState title="First, a space">
      {hasFullAccess ? (
        <>
          <p>A space holds the names of a team or a service.</p>
          <AddButton label="Create a space" onClick={() => setAdding(true)} />
          <NewSpace isOpen={isAdding} close={() => setAdding(false)} />
        </>
      ) : (
        <p className="cl-dim">It takes the level READ_WRITE on a space to watch servers.</p>
      )}
    </EmptyState>
  );
}
