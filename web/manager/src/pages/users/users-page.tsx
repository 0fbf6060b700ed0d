import type { User } from '@certloop/contracts/browser';
import {
  AddButton,
  type Column,
  countText,
  EmptyState,
  ListTable,
  listOptions,
  Moment,
  SearchForm,
  useList,
  useTitle,
} from '@certloop/web-kit';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { AdminsOnly } from '../../admins-only.js';
import { EnabledChip } from '../../enabled-chip.js';
import { Avatar } from '../../people/avatar.js';
import { groupsQuery, usersInput } from '../../people/people.js';
import { api } from '../../service.js';
import { NewUser } from './new-user.js';
import { AdminChip } from './user-state.js';

const route = getRouteApi('/inside/users');

/** Who may sign in. */
export function UsersPage() {
  useTitle('Users', 'manager');
  return (
    <AdminsOnly>
      <UserList />
    </AdminsOnly>
  );
}

function UserList() {
  const [isAdding, setAdding] = useState(false);
  const { q, admins } = route.useSearch();
  const filter = { ...(q !== undefined && { q }), ...(admins === true && { isAdmin: true }) };
  const isFiltered = q !== undefined || admins === true;
  const list = useList(listOptions(api.listUsers, usersInput(filter)));
  const columns = useColumns();
  return (
    <>
      <div className="cl-title">
        <h1>Users</h1>
        <AddButton label="Create a user" onClick={() => setAdding(true)} />
      </div>
      <Filters />
      <ListTable
        list={list}
        label="Users"
        columns={columns}
        rowKey={({ id }) => id}
        noun="user"
        empty={
          <EmptyState title="No user matches">
            <p>{isFiltered ? 'Change the search above.' : 'Create a user.'}</p>
          </EmptyState>
        }
      />
      {isAdding && <NewUser close={() => setAdding(false)} />}
    </>
  );
}

function Filters() {
  const { q, admins } = route.useSearch();
  const navigate = route.useNavigate();
  const search = q === undefined ? {} : { q };
  return (
    <>
      <nav className="cl-tabs" aria-label="Kinds of users">
        <Link className="cl-tab" to="/users" search={search} aria-current={admins !== true || undefined}>
          Everyone
        </Link>
        <Link
          className="cl-tab"
          to="/users"
          search={{ ...search, admins: true }}
          aria-current={admins === true || undefined}
        >
          Administrators
        </Link>
      </nav>
      <SearchForm
        label="Search users"
        placeholder="Part of a name or e-mail address"
        maxLength={254}
        q={q}
        search={(text) =>
          void navigate({
            search: { ...(text !== undefined && { q: text }), ...(admins === true && { admins: true }) },
          })
        }
      />
    </>
  );
}

const maxGroups = 2;

function useColumns(): readonly Column<User>[] {
  const groups = useQuery(groupsQuery).data;
  const groupsOf = ({ groupIds = [] }: User) => {
    const names = groupIds
      .slice(0, maxGroups)
      .map((id) => groups?.find((group) => group.id === id)?.name ?? '…');
    const rest = groupIds.length - names.length;
    return [...names, ...(rest > 0 ? [`${countText(rest)} more`] : [])].join(', ');
  };
  return [
    {
      key: 'name',
      title: 'Name',
      narrow: 'name',
      cell: (user) => (
        <span className="cl-person">
          <Avatar user={user} hasPicture={user.hasAvatar === true} />
          <Link to="/users/$userId" params={{ userId: user.id }}>
            {user.username}
          </Link>
        </span>
      ),
    },
    { key: 'email', title: 'E-mail', narrow: 'fact', cell: ({ email }) => email },
    {
      key: 'admin',
      title: 'Rights',
      width: '9rem',
      cell: ({ isAdmin }) => (isAdmin ? <AdminChip /> : null),
    },
    { key: 'groups', title: 'Groups', cell: groupsOf },
    {
      key: 'state',
      title: 'State',
      width: '8rem',
      narrow: 'beside',
      cell: (user) => <EnabledChip enabled={user.enabled} />,
    },
    {
      key: 'login',
      title: 'Last sign-in',
      narrow: 'titled',
      width: '9rem',
      cell: ({ lastLoginAt }) => (lastLoginAt === undefined ? 'never' : <Moment at={lastLoginAt} />),
    },
  ];
}
