import type { PermissionGroup } from '@certloop/contracts/browser';
import { ConfirmDialog, Loaded, queryOptions, useTitle, WaitingPage } from '@certloop/web-kit';
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { AdminsOnly } from '../../admins-only.js';
import { groupsResource } from '../../resources.js';
import { api } from '../../service.js';
import { GroupForm } from './group-form.js';

const route = getRouteApi('/inside/groups/$groupId');

/** One group: what it gives, where, and to whom. */
export function GroupPage() {
  const { groupId } = route.useParams();
  return (
    <AdminsOnly>
      <Crumbs />
      <TheGroup key={groupId} id={groupId} />
    </AdminsOnly>
  );
}

/** Form of a group that does not exist yet. */
export function NewGroupPage() {
  useTitle('New group', 'manager');
  return (
    <AdminsOnly>
      <Crumbs />
      <h1>Create a group</h1>
      <GroupForm />
    </AdminsOnly>
  );
}

function Crumbs() {
  return (
    <nav className="cl-crumbs" aria-label="Where you are">
      <Link to="/groups">Groups</Link>
    </nav>
  );
}

function TheGroup({ id }: { readonly id: string }) {
  const query = useQuery(queryOptions(api.getPermissionGroup, { params: { id } }));
  useTitle(query.data?.name ?? 'Group', 'manager');
  return (
    <Loaded query={query} waiting={<WaitingPage />}>
      {(group) => (
        <>
          <div className="cl-title">
            <h1>{group.name}</h1>
            <DeleteGroup group={group} />
          </div>
          <GroupForm group={group} />
        </>
      )}
    </Loaded>
  );
}

function DeleteGroup({ group }: { readonly group: PermissionGroup }) {
  const navigate = useNavigate();
  const [isDeleting, setDeleting] = useState(false);
  return (
    <>
      <Button variant="default" onClick={() => setDeleting(true)}>
        Delete
      </Button>
      {isDeleting && (
        <ConfirmDialog
          title={`Delete ${group.name}?`}
          label="Delete the group"
          typeFirst={group.name}
          act={() => api.deletePermissionGroup({ params: { id: group.id } })}
          changes={[groupsResource]}
          done={() => navigate({ to: '/groups' })}
          close={() => setDeleting(false)}
        >
          <p>Its members lose at once what only this group gives them. Users and spaces stay.</p>
        </ConfirmDialog>
      )}
    </>
  );
}
