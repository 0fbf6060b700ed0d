import type { PermissionGroup } from '@certloop/contracts/browser';
import {
  type Column,
  countOf,
  DataTable,
  EmptyState,
  Icon,
  ListEnd,
  Loaded,
  listPageOf,
  useList,
  useTitle,
} from '@certloop/web-kit';
import { Button } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { AdminsOnly } from '../../admins-only.js';
import { api } from '../../service.js';

const columns: readonly Column<PermissionGroup>[] = [
  {
    key: 'name',
    title: 'Group',
    cell: ({ id, name }) => (
      <Link to="/groups/$groupId" params={{ groupId: id }}>
        {name}
      </Link>
    ),
  },
  { key: 'description', title: 'Description', cell: ({ description }) => description },
  { key: 'level', title: 'Level', width: '9rem', cell: ({ permission }) => permission },
  {
    key: 'spaces',
    title: 'On',
    width: '8rem',
    cell: ({ allSpaces, spaceIds }) =>
      allSpaces === true ? 'all spaces' : countOf(spaceIds.length, 'space'),
  },
  {
    key: 'members',
    title: 'Members',
    width: '9rem',
    cell: ({ userIds = [] }) => countOf(userIds.length, 'member'),
  },
];

/** Who may do what, by groups. */
export function GroupsPage() {
  useTitle('Groups', 'manager');
  return (
    <AdminsOnly>
      <GroupList />
    </AdminsOnly>
  );
}

function GroupList() {
  const navigate = useNavigate();
  const { query, rows, total, more, isLoadingMore } = useList<PermissionGroup>(
    ['groups', 'list'],
    async (cursor, signal) => {
      const query = { limit: '100', ...(cursor !== undefined && { cursor }) };
      const { body, headers } = await api.listPermissionGroups({ query, signal });
      return listPageOf(body, headers);
    },
  );
  const add = (
    <Button leftSection={<Icon name="plus" />} onClick={() => void navigate({ to: '/new-group' })}>
      Create a group
    </Button>
  );
  return (
    <>
      <div className="cl-title">
        <h1>Groups</h1>
        {rows !== undefined && rows.length > 0 && add}
      </div>
      <Loaded query={query}>
        {() =>
          rows === undefined || rows.length === 0 ? (
            <EmptyState title="There is no group yet">
              <p>A group gives its members a level on spaces. Without one, only administrators see spaces.</p>
              {add}
            </EmptyState>
          ) : (
            <>
              <DataTable label="Groups" columns={columns} rows={rows} rowKey={({ id }) => id} total={total} />
              <ListEnd
                shown={rows.length}
                total={total}
                noun="group"
                more={more}
                isLoadingMore={isLoadingMore}
              />
            </>
          )
        }
      </Loaded>
    </>
  );
}
