import type { Fqdn } from '@certloop/contracts/browser';
import {
  CodeBlock,
  type Column,
  DataTable,
  EmptyState,
  ErrorPanel,
  Icon,
  ListEnd,
  Loaded,
  Moment,
  StateChip,
  serviceUrl,
  useList,
  useTitle,
} from '@certloop/web-kit';
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { FqdnStateChip } from '../../fqdn-state.js';
import { loadFqdns, spaceQuery } from '../../lookups.js';
import { reaches } from '../../rights.js';
import { FqdnToolbar } from './fqdn-toolbar.js';
import { NewFqdn } from './new-fqdn.js';

const columns: readonly Column<Fqdn>[] = [
  {
    key: 'fqdn',
    title: 'Name',
    cell: ({ id, spaceId, fqdn }) => (
      <Link to="/spaces/$spaceId/fqdns/$fqdnId" params={{ spaceId, fqdnId: id }}>
        {fqdn}
      </Link>
    ),
  },
  { key: 'description', title: 'Description', cell: ({ description }) => description },
  {
    key: 'state',
    title: 'State',
    width: '11rem',
    cell: ({ status }) => status && <FqdnStateChip status={status} />,
  },
  {
    key: 'expires',
    title: 'Expires',
    width: '9rem',
    cell: ({ status }) => status?.certificate && <Moment at={status.certificate.expiresAt} />,
  },
  {
    key: 'renewal',
    title: 'Renewal',
    width: '9rem',
    cell: ({ renewalEnabled, status }) =>
      renewalEnabled ? (
        status?.renewAt === undefined ? (
          'automatic'
        ) : (
          <Moment at={status.renewAt} />
        )
      ) : (
        <StateChip tone="idle" shape="bars">
          off
        </StateChip>
      ),
  },
];

// without a toolbar: all of them are seen at once
const fewNames = 5;

const route = getRouteApi('/inside/spaces/$spaceId');

/** The names of a space. */
export function SpacePage() {
  const { spaceId } = route.useParams();
  const [isAdding, setAdding] = useState(false);
  const filter = route.useSearch();
  const isFiltered = filter.state !== undefined || filter.q !== undefined;
  const space = useQuery(spaceQuery(spaceId));
  const { query, rows, total, more, isLoadingMore } = useList<Fqdn>(
    ['space', spaceId, 'fqdns', filter],
    (cursor, signal) => loadFqdns(spaceId, filter, cursor, signal),
  );
  const name = space.data?.name ?? 'Space';
  useTitle(name, 'manager');
  if (space.isError && space.data === undefined) {
    return <ErrorPanel error={space.error} retry={() => void space.refetch()} />;
  }
  const add = reaches(space.data?.level, 'READ_WRITE') && (
    <Button leftSection={<Icon name="plus" />} onClick={() => setAdding(true)}>
      Add a name
    </Button>
  );
  return (
    <>
      <nav className="cl-crumbs" aria-label="Where you are">
        <Link to="/spaces">Spaces</Link>
      </nav>
      <div className="cl-title">
        <h1>{name}</h1>
        {rows !== undefined && (rows.length > 0 || isFiltered) && add}
      </div>
      {space.data !== undefined && (isFiltered || space.data.counts.total > fewNames) && (
        <FqdnToolbar counts={space.data.counts} />
      )}
      <Loaded query={query}>
        {() =>
          rows !== undefined && rows.length === 0 && isFiltered ? (
            <EmptyState title="No name matches">
              <p>Change the search or the state above.</p>
            </EmptyState>
          ) : rows === undefined || rows.length === 0 ? (
            <EmptyState title="This space has no name yet">
              <p>Add the host name that a certificate is for. Its private key stays with you.</p>
              {add === false ? (
                <p className="cl-dim">It takes the level READ_WRITE on this space to add one.</p>
              ) : (
                <>
                  {add}
                  <p className="cl-dim">The same by the API:</p>
                  <CodeBlock text={addCommand(spaceId)} />
                </>
              )}
            </EmptyState>
          ) : (
            <>
              <DataTable label="Names" columns={columns} rows={rows} rowKey={({ id }) => id} />
              <ListEnd
                shown={rows.length}
                total={total}
                noun="name"
                more={more}
                isLoadingMore={isLoadingMore}
              />
            </>
          )
        }
      </Loaded>
      <NewFqdn spaceId={spaceId} isOpen={isAdding} close={() => setAdding(false)} />
    </>
  );
}

function addCommand(spaceId: string): string {
  return `curl -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
  -d '{"fqdn":"www.example.com"}' ${serviceUrl()}/spaces/${spaceId}/fqdns`;
}
