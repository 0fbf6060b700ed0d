import type { User } from '@certloop/contracts/browser';
import {
  ConfirmDialog,
  exactTime,
  Fact,
  Fault,
  Loaded,
  sentenceOf,
  useTitle,
  WaitingPage,
} from '@certloop/web-kit';
import { Button } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { AdminsOnly } from '../../admins-only.js';
import { EnabledChip } from '../../enabled-chip.js';
import { Avatar } from '../../people/avatar.js';
import { adminsQuery, groupsQuery, userQuery } from '../../people/people.js';
import { usersResource } from '../../resources.js';
import { useUserId } from '../../rights.js';
import { api } from '../../service.js';
import { EditUser } from './edit-user.js';
import { AdminChip } from './user-state.js';
import { UserTokens } from './user-tokens.js';

const route = getRouteApi('/inside/users/$userId');

/** One user: account, groups, tokens. */
export function UserPage() {
  const { userId } = route.useParams();
  return (
    <AdminsOnly>
      <nav className="cl-crumbs" aria-label="Where you are">
        <Link to="/users">Users</Link>
      </nav>
      <TheUser key={userId} id={userId} />
    </AdminsOnly>
  );
}

function TheUser({ id }: { readonly id: string }) {
  const query = useQuery(userQuery(id));
  useTitle(query.data?.username ?? 'User', 'manager');
  const bound = useBound(query.data);
  return (
    <Loaded query={query} waiting={<WaitingPage />}>
      {(user) => (
        <>
          <div className="cl-title">
            <h1 className="cl-person">
              <Avatar user={user} hasPicture={user.hasAvatar === true} size={32} /> {user.username}
            </h1>
            <Actions user={user} bound={bound} />
          </div>
          <div className="cl-columns">
            <div className="cl-column">
              <EditUser user={user} bound={bound} />
            </div>
            <div className="cl-column">
              <Facts user={user} />
              <UserTokens userId={user.id} username={user.username} />
            </div>
          </div>
        </>
      )}
    </Loaded>
  );
}

/** Why the user can be neither disabled nor deleted nor made an ordinary user; undefined if that is possible. */
function useBound(user: User | undefined): string | undefined {
  const admins = useQuery({ ...adminsQuery, enabled: user?.isAdmin === true }).data;
  if (user?.isAdmin !== true || !user.enabled || admins === undefined) return undefined;
  const hasOther = admins.some(({ id, enabled }) => enabled && id !== user.id);
  return hasOther ? undefined : 'This is the last enabled administrator.';
}

function Actions({ user, bound }: { readonly user: User; readonly bound: string | undefined }) {
  const navigate = useNavigate();
  const ownId = useUserId();
  const [isDeleting, setDeleting] = useState(false);
  const changes = [usersResource];
  const enable = useMutation({
    mutationFn: (enabled: boolean) => api.updateUser({ params: { id: user.id }, body: { enabled } }),
    meta: { changes },
  });
  const isOwn = user.id === ownId;
  return (
    <div className="cl-stack">
      <div className="cl-row">
        <Button
          variant="default"
          loading={enable.isPending}
          disabled={bound !== undefined}
          onClick={() => enable.mutate(!user.enabled)}
        >
          {user.enabled ? 'Disable' : 'Enable'}
        </Button>
        <Button variant="default" disabled={bound !== undefined || isOwn} onClick={() => setDeleting(true)}>
          Delete
        </Button>
      </div>
      {bound !== undefined && <p className="cl-dim">{bound} It can be neither disabled nor deleted.</p>}
      {bound === undefined && isOwn && <p className="cl-dim">You cannot delete yourself.</p>}
      <Fault>{enable.isError ? sentenceOf(enable.error) : undefined}</Fault>
      {isDeleting && (
        <ConfirmDialog
          title={`Delete ${user.username}?`}
          label="Delete the user"
          typeFirst={user.username}
          act={() => api.deleteUser({ params: { id: user.id } })}
          changes={changes}
          done={() => navigate({ to: '/users' })}
          close={() => setDeleting(false)}
        >
          <p>
            Sessions, API tokens, group memberships and the picture are deleted too. The audit log still shows
            what {user.username} did. This cannot be undone.
          </p>
        </ConfirmDialog>
      )}
    </div>
  );
}

function Facts({ user }: { readonly user: User }) {
  const groups = useQuery(groupsQuery).data;
  const own = groups?.filter(({ id }) => user.groupIds?.includes(id)) ?? [];
  return (
    <section className="cl-panel" aria-label="Account">
      <h2>Account</h2>
      <dl className="cl-facts">
        <Fact title="State">
          <EnabledChip enabled={user.enabled} /> {user.isAdmin && <AdminChip />}
        </Fact>
        <Fact title="Created">{exactTime(user.createdAt)}</Fact>
        <Fact title="Last sign-in">
          {user.lastLoginAt === undefined ? 'never' : exactTime(user.lastLoginAt)}
        </Fact>
        <Fact title="Groups">
          {own.length === 0
            ? 'none'
            : own.map(({ id, name, permission }) => (
                <div key={id}>
                  <Link to="/groups/$groupId" params={{ groupId: id }}>
                    {name}
                  </Link>{' '}
                  <small className="cl-dim">{permission}</small>
                </div>
              ))}
        </Fact>
        <Fact title="Actions">
          <Link to="/audit" search={{ user: user.username }}>
            What {user.username} did
          </Link>
        </Fact>
      </dl>
    </section>
  );
}
