import type { AccountProject, ProjectMember } from '@certloop/contracts/browser';
import {
  AddButton,
  type Column,
  ConfirmDialog,
  DataTable,
  Fault,
  Loaded,
  queryOptions,
  SendForm,
  sentenceOf,
  useForm,
  useSession,
  WaitingTable,
} from '@certloop/web-kit';
import { Button, Modal, NativeSelect, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { membersResource } from '../../resources.js';
import { api, session } from '../../service.js';

type MemberRole = Exclude<ProjectMember['role'], 'owner'>;

const roles: readonly (readonly [role: MemberRole, label: string])[] = [
  ['member', 'member: changes checks, integrations and keys'],
  ['read-only', 'read-only: only looks'],
];

/** Who works in a project. Its owner adds and removes members; members can leave. */
export function MembersCard({ project }: { readonly project: AccountProject }) {
  const [isAdding, setAdding] = useState(false);
  const [removed, remove] = useState<ProjectMember>();
  const state = useSession(session);
  const ownId = 'me' in state ? state.me.user.id : undefined;
  const isOwner = project.role === 'owner';
  const { query, change } = useMembers(project.id);
  const columns: readonly Column<ProjectMember>[] = [
    { key: 'email', title: 'E-mail address', cell: ({ email }) => <bdi>{email}</bdi> },
    {
      key: 'role',
      title: 'Role',
      width: '9rem',
      cell: (member) =>
        isOwner && member.role !== 'owner' ? <RoleChoice member={member} change={change} /> : member.role,
    },
    {
      key: 'act',
      title: '',
      width: '7rem',
      cell: (member) =>
        member.role !== 'owner' &&
        (isOwner || member.id === ownId) && (
          <RemoveButton member={member} isOneself={!isOwner} onClick={() => remove(member)} />
        ),
    },
  ];
  return (
    <section className="cl-stack" aria-label="Members">
      <div className="cl-title">
        <h2>Members</h2>
        {isOwner && <AddButton isSmall label="Add a member" onClick={() => setAdding(true)} />}
      </div>
      <Fault>{change.isError ? sentenceOf(change.error) : undefined}</Fault>
      <Loaded query={query} waiting={<WaitingTable columns={columns} rows={1} />}>
        {(members) => <DataTable label="Members" columns={columns} rows={members} rowKey={({ id }) => id} />}
      </Loaded>
      {isAdding && <AddMember project={project} close={() => setAdding(false)} />}
      {removed !== undefined && (
        <RemoveMember
          project={project}
          member={removed}
          isOneself={removed.id === ownId}
          close={() => remove(undefined)}
        />
      )}
    </section>
  );
}

/** The members of a project, and the change of a member's role. */
function useMembers(projectId: string) {
  const params = { projectId };
  const query = useQuery({
    ...queryOptions(api.listMembers, { params }),
    select: ({ members }) => members,
  });
  const change = useMutation({
    mutationFn: (body: { readonly email: string; readonly role: MemberRole }) =>
      api.putMember({ params, body }),
    meta: { changes: [membersResource(projectId)] },
  });
  return { query, change };
}

function RoleChoice({
  member: { email, role },
  change,
}: {
  readonly member: ProjectMember;
  readonly change: ReturnType<typeof useMembers>['change'];
}) {
  return (
    <select
      className="cl-select"
      aria-label={`Role of ${email}`}
      value={change.isPending && change.variables.email === email ? change.variables.role : role}
      onChange={({ currentTarget: { value } }) => change.mutate({ email, role: value as MemberRole })}
    >
      {roles.map(([one]) => (
        <option key={one} value={one}>
          {one}
        </option>
      ))}
    </select>
  );
}

function RemoveButton({
  member,
  isOneself,
  onClick,
}: {
  readonly member: ProjectMember;
  readonly isOneself: boolean;
  readonly onClick: () => void;
}) {
  return (
    <Button
      size="xs"
      variant="default"
      aria-label={isOneself ? 'Leave the project' : `Remove ${member.email}`}
      onClick={onClick}
    >
      {isOneself ? 'Leave' : 'Remove'}
    </Button>
  );
}

const fields = ['email', 'role'] as const;

function AddMember({ project, close }: { readonly project: AccountProject; readonly close: () => void }) {
  const send = (to: typeof api, form: HTMLFormElement) => {
    const data = new FormData(form);
    const role = roles.find(([one]) => one === data.get('role'))?.[0] ?? 'read-only';
    const body = { email: String(data.get('email')).trim(), role };
    return to.putMember({ params: { projectId: project.id }, body });
  };
  const { byField, form } = useForm({
    api,
    send,
    fields: fields,
    changes: [membersResource(project.id)],
    onSuccess: close,
  });
  return (
    <Modal opened onClose={close} title="Add a member">
      <SendForm {...form} label="Add the member">
        <TextInput
          name="email"
          label="E-mail address"
          description="Of a user of this service. The operator creates users with the command user create."
          type="email"
          error={byField['email']}
          maxLength={254}
          autoComplete="off"
          required
          data-autofocus
        />
        <NativeSelect
          name="role"
          label="Role"
          error={byField['role']}
          data={roles.map(([value, label]) => ({ value, label }))}
        />
      </SendForm>
    </Modal>
  );
}

function RemoveMember({
  project,
  member,
  isOneself,
  close,
}: {
  readonly project: AccountProject;
  readonly member: ProjectMember;
  readonly isOneself: boolean;
  readonly close: () => void;
}) {
  const navigate = useNavigate();
  return (
    <ConfirmDialog
      title={isOneself ? `Leave ${project.name}?` : `Remove ${member.email}?`}
      label={isOneself ? 'Leave the project' : 'Remove the member'}
      act={() => api.removeMember({ params: { projectId: project.id, userId: member.id } })}
      done={async () => {
        if (isOneself) await navigate({ to: '/projects' });
      }}
      changes={[membersResource(project.id)]}
      close={close}
    >
      <p>
        {isOneself
          ? 'You no longer see this project. Its owner can add you again.'
          : 'This user no longer sees the project. Keys that this user copied still work: create new ones if necessary.'}
      </p>
    </ConfirmDialog>
  );
}
