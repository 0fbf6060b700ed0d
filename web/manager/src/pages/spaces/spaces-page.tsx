import type { Space } from '@certloop/contracts/browser';
import {
  type Column,
  countOf,
  DataTable,
  dayOf,
  EmptyState,
  Icon,
  Loaded,
  StateChip,
  useList,
  useTitle,
} from '@certloop/web-kit';
import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { loadSpaces } from '../../lookups.js';
import { useRights } from '../../rights.js';
import { NewSpace } from './new-space.js';

const columns: readonly Column<Space>[] = [
  {
    key: 'name',
    title: 'Space',
    cell: ({ id, name }) => (
      <Link to="/spaces/$spaceId" params={{ spaceId: id }}>
        {name}
      </Link>
    ),
  },
  { key: 'description', title: 'Description', cell: ({ description }) => description },
  {
    key: 'watch',
    title: 'Watch',
    width: '10rem',
    cell: ({ watchEnabled }) =>
      watchEnabled === false ? (
        <StateChip tone="idle" shape="bars">
          not watched
        </StateChip>
      ) : null,
  },
  { key: 'createdAt', title: 'Created', width: '10rem', cell: ({ createdAt }) => dayOf(createdAt) },
];

/** The spaces that the user may read. */
export function SpacesPage() {
  useTitle('Spaces', 'manager');
  const [isAdding, setAdding] = useState(false);
  const { query, rows, total, more, isLoadingMore } = useList<Space>(['spaces'], (cursor, signal) =>
    loadSpaces(cursor, signal),
  );
  const { hasFullAccess } = useRights();
  const add = hasFullAccess && (
    <Button leftSection={<Icon name="plus" />} onClick={() => setAdding(true)}>
      Create a space
    </Button>
  );
  return (
    <>
      <div className="cl-title">
        <h1>Spaces</h1>
        {rows !== undefined && rows.length > 0 && add}
      </div>
      <Loaded query={query}>
        {() =>
          rows === undefined || rows.length === 0 ? (
            <EmptyState title="There is no space that you may see">
              <p>
                A space holds the names of a team or a service, and decides who may request certificates for
                them. {hasFullAccess ? 'Create one.' : 'Ask an administrator to add you to a group.'}
              </p>
              {add}
            </EmptyState>
          ) : (
            <>
              <DataTable label="Spaces" columns={columns} rows={rows} rowKey={({ id }) => id} />
              <div className="cl-row">
                <span className="cl-dim">
                  {countOf(rows.length, 'space')}
                  {total !== undefined && total > rows.length ? ` of ${total}` : ''}
                </span>
                {more !== undefined && (
                  <Button variant="default" size="xs" loading={isLoadingMore} onClick={more}>
                    Show more
                  </Button>
                )}
              </div>
            </>
          )
        }
      </Loaded>
      <NewSpace isOpen={isAdding} close={() => setAdding(false)} />
    </>
  );
}
