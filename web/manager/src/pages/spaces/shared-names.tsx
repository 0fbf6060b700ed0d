import type { SharedNames } from '@certloop/contracts/browser';
import {
  type Column,
  countOf,
  DataTable,
  hostText,
  Loaded,
  Moment,
  queryOptions,
  WaitingLines,
} from '@certloop/web-kit';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { api } from '../../service.js';

type SharedName = SharedNames['items'][number];

// the service compares all names
const staleTime = 60_000;
const maxOthers = 5;

/** Names that several spaces have certificates for, for administrators. */
export function SharedNamesSection() {
  const query = useQuery({ ...queryOptions(api.listSharedNames), staleTime });
  return (
    <section className="cl-panel" aria-label="Names in several spaces">
      <h2>Names in several spaces</h2>
      <Loaded query={query} waiting={<WaitingLines count={1} />}>
        {({ items, hasMore }) =>
          items.length === 0 ? (
            <p className="cl-dim">No two spaces have certificates for the same name.</p>
          ) : (
            <>
              <p>
                The first space that got a certificate for a name holds it. The other spaces still renew their
                certificates. To end that, delete the name there, or set an issuance policy that rejects it.
              </p>
              <DataTable
                label="Names in several spaces"
                columns={columns}
                rows={items}
                rowKey={({ name }) => name}
              />
              {hasMore && <p className="cl-dim">Only the first {countOf(items.length, 'name')} are shown.</p>}
            </>
          )
        }
      </Loaded>
    </section>
  );
}

const columns: readonly Column<SharedName>[] = [
  {
    key: 'name',
    title: 'Name',
    cell: ({ name }) => <span className="cl-anywhere">{hostText(name)}</span>,
  },
  { key: 'holder', title: 'Held by', cell: ({ name, holder }) => <Place name={name} {...holder} /> },
  { key: 'since', title: 'Since', width: '9rem', cell: ({ holder }) => <Moment at={holder.since} /> },
  { key: 'others', title: 'Also in', cell: (row) => <Others {...row} /> },
];

function Others({ name, others }: SharedName) {
  const hidden = others.length - maxOthers;
  return (
    <ul className="cl-list">
      {others.slice(0, maxOthers).map((other) => (
        <li key={other.fqdnId}>
          <Place name={name} {...other} />
        </li>
      ))}
      {hidden > 0 && <li>{countOf(hidden, 'more space')}</li>}
    </ul>
  );
}

/** The name in one of its spaces. */
function Place({
  name,
  spaceId,
  spaceName,
  fqdnId,
}: Pick<SharedName, 'name'> & SharedName['others'][number]) {
  return (
    <Link
      to="/spaces/$spaceId/fqdns/$fqdnId"
      params={{ spaceId, fqdnId }}
      aria-label={`${hostText(name)} in ${spaceName}`}
    >
      <bdi>{spaceName}</bdi>
    </Link>
  );
}
