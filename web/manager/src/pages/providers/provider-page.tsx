import type { Fqdn, Provider } from '@certloop/contracts/browser';
import {
  type Column,
  countOf,
  DataTable,
  EmptyState,
  hostText,
  Loaded,
  Moment,
  readableTimes,
  useList,
  useTitle,
  WaitingPage,
} from '@certloop/web-kit';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { type FqdnFilter, fqdnList } from '../../lookups.js';
import { FqdnStateChip } from '../../names/fqdn-state.js';
import { useProviderUsage } from '../../providers.js';
import { useRights } from '../../rights.js';
import { ConfigureProvider } from './configure-provider.js';
import { ProviderCard } from './provider-card.js';
import { ProviderSettings } from './provider-settings.js';

const route = getRouteApi('/inside/providers/$providerId');

const maxNames = 10;

/** One provider: its state and settings, which names fail with it, and which ask it next. */
export function ProviderPage() {
  const { providerId } = route.useParams();
  const query = useProviderUsage();
  const provider = query.data?.find(({ id }) => id === providerId);
  useTitle(provider?.displayName ?? 'Provider', 'manager');
  return (
    <>
      <nav className="cl-crumbs" aria-label="Where you are">
        <Link to="/providers">Providers</Link>
      </nav>
      <Loaded query={query} waiting={<WaitingPage />}>
        {() =>
          provider === undefined ? (
            <EmptyState title="There is no such provider">
              <p>It was deleted, or the address is wrong.</p>
            </EmptyState>
          ) : (
            <Content provider={provider} />
          )
        }
      </Loaded>
    </>
  );
}

function Content({ provider }: { readonly provider: Provider }) {
  const { isAdmin } = useRights();
  const [isEditing, setEditing] = useState(false);
  const { id, displayName } = provider;
  return (
    <>
      <h1 className="cl-anywhere">{displayName}</h1>
      <div className={isAdmin ? 'cl-columns' : 'cl-column'}>
        <ProviderCard
          provider={provider}
          heading="State"
          isAdmin={isAdmin}
          configure={() => setEditing(true)}
        />
        {isAdmin && <ProviderSettings provider={provider} />}
      </div>
      <Spaces provider={provider} />
      <Names title="Names that fail" filter={{ providerId: id, state: 'failing' }} columns={failing} />
      <Names title="Names that ask it next" filter={{ providerId: id }} columns={asking} />
      {isEditing && <ConfigureProvider provider={provider} close={() => setEditing(false)} />}
    </>
  );
}

/** How many names of which spaces ask the provider; nothing where these are all of one space. */
function Spaces({ provider: { id: providerId, usage } }: { readonly provider: Provider }) {
  const spaces = usage?.spaces ?? [];
  if (usage === undefined || spaces.length < 2) return null;
  const others = usage.fqdns - spaces.reduce((sum, { fqdns }) => sum + fqdns, 0);
  return (
    <section className="cl-stack">
      <h2>Names by space</h2>
      <DataTable
        label="Names by space"
        columns={spaceColumns(providerId)}
        rows={spaces}
        rowKey={({ id }) => id}
      />
      {others > 0 && <p className="cl-dim">And {countOf(others, 'name')} of other spaces.</p>}
    </section>
  );
}

type SpaceUsage = NonNullable<NonNullable<Provider['usage']>['spaces']>[number];

const spaceColumns = (providerId: string): readonly Column<SpaceUsage>[] => [
  {
    key: 'space',
    title: 'Space',
    cell: ({ id, name }) => (
      <Link to="/spaces/$spaceId" params={{ spaceId: id }} search={{ providerId }}>
        <bdi>{name}</bdi>
      </Link>
    ),
  },
  { key: 'fqdns', title: 'Names', width: '10rem', cell: ({ fqdns }) => countOf(fqdns, 'name') },
];

/** The first names of a filter, with a link to all of them; nothing if there is none. */
function Names({
  title,
  filter,
  columns,
}: {
  readonly title: string;
  readonly filter: FqdnFilter;
  readonly columns: readonly Column<Fqdn>[];
}) {
  const { query, rows = [], total = 0 } = useList(fqdnList(undefined, filter, maxNames));
  return (
    // it may be that nothing comes
    <Loaded query={query} waiting={null}>
      {() =>
        rows.length === 0 ? null : (
          <section className="cl-stack">
            <h2>{title}</h2>
            <DataTable label={title} columns={columns} rows={rows} rowKey={({ id }) => id} />
            {total > rows.length && (
              <p>
                <Link to="/fqdns" search={filter}>
                  Show all {countOf(total, 'name')}
                </Link>
              </p>
            )}
          </section>
        )
      }
    </Loaded>
  );
}

const place: readonly Column<Fqdn>[] = [
  {
    key: 'fqdn',
    title: 'Name',
    cell: ({ id, spaceId, fqdn }) => (
      <Link to="/spaces/$spaceId/fqdns/$fqdnId" params={{ spaceId, fqdnId: id }}>
        {hostText(fqdn)}
      </Link>
    ),
  },
  {
    key: 'space',
    title: 'Space',
    width: '14rem',
    cell: ({ spaceId, spaceName }) => (
      <Link to="/spaces/$spaceId" params={{ spaceId }}>
        {spaceName ?? 'Space'}
      </Link>
    ),
  },
];

const failing: readonly Column<Fqdn>[] = [
  ...place,
  {
    key: 'at',
    title: 'Failed',
    width: '10rem',
    cell: ({ status }) => status?.lastFailure !== undefined && <Moment at={status.lastFailure.at} />,
  },
  {
    key: 'why',
    title: 'Error',
    cell: ({ status }) => status && readableTimes(status.lastFailure?.message ?? status.reason),
  },
];

const asking: readonly Column<Fqdn>[] = [
  ...place,
  {
    key: 'state',
    title: 'State',
    width: '14rem',
    cell: ({ status }) => status && <FqdnStateChip status={status} />,
  },
  {
    key: 'renewal',
    title: 'Renewal',
    width: '10rem',
    cell: ({ status }) => status?.renewAt !== undefined && <Moment at={status.renewAt} />,
  },
];
