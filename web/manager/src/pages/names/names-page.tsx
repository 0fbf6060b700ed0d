import type { Fqdn } from '@certloop/contracts/browser';
import { ByCommand, EmptyState, queryOptions, useTitle } from '@certloop/web-kit';
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { overview } from '../../changes/overview.js';
import { NamesList } from '../../names/names-list.js';
import { includesLevel, useMayWriteSomewhere } from '../../rights.js';
import { api } from '../../service.js';

const route = getRouteApi('/inside/fqdns');

/** The names of all spaces that the user may read. */
export function NamesPage() {
  const filter = route.useSearch();
  const navigate = route.useNavigate();
  useTitle('Names', 'manager');
  const counts = useQuery(overview(queryOptions(api.countFqdnStates)));
  return (
    <>
      <div className="cl-title">
        <h1>Names</h1>
      </div>
      <NamesList
        spaceId={undefined}
        filter={filter}
        setFilter={(search) => void navigate({ search })}
        counts={counts.data}
        canWrite={isWritable}
        empty={<NoNames />}
      />
    </>
  );
}

function NoNames() {
  const mayWrite = useMayWriteSomewhere();
  return (
    <EmptyState title="There is no name that you may see">
      <p>Each name belongs to a space. Open a space and add the host name of a certificate there.</p>
      <Button component={Link} to="/spaces">
        Open the spaces
      </Button>
      {mayWrite && <ByCommand text="certloop fqdns add www.example.com --space Shop" />}
    </EmptyState>
  );
}

function isWritable({ level }: Fqdn): boolean {
  return includesLevel(level, 'READ_WRITE');
}
