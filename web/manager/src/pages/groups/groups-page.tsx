import type { PermissionGroup } from '@certloop/contracts/browser';
import {
  AddButton,
  ByCommand,
  type Column,
  countOf,
  EmptyState,
  ListTable,
  listOptions,
  serviceUrl,
  useList,
  useTitle,
} from '@certloop/web-kit';
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
  {
    key: 'description',
    title: 'Description',
    cell: ({ description }) => (
      <span className="cl-clamp" dir="auto" title={description}>
        {description}
      </span>
    ),
  },
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
  const list = useList(listOptions(api.listPermissionGroups, { query: { limit: '100' } }));
  const add = <AddButton label="Create a group" onClick={() => void navigate({ to: '/new-group' })} />;
  return (
    <>
      <div className="cl-title">
        <h1>Groups</h1>
        {list.rows !== undefined && list.rows.length > 0 && add}
      </div>
      <ListTable
        list={list}
        label="Groups"
        columns={columns}
        rowKey={({ id }) => id}
        noun="group"
        empty={
          <EmptyState title="There is no group yet">
            <p>A group gives its members a level on spaces. Without one, only administrators see spaces.</p>
            {add}
            <ByCommand text={createCommand()} />
          </EmptyState>
        }
      />
    </>
  );
}

function createCommand(): string {
  return `curl -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
  -d '{"name":"readers","permission":"READ"}' ${serviceUrl()}/permission-groups`;
}
