import type { PermissionGroup, User } from '@certloop/contracts/browser';
import { CopyCurl, Fault, faultsOf, forgetUnsaved, queryOptions } from '@certloop/web-kit';
import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { usersInput } from '../../people/people.js';
import { groupsResource } from '../../resources.js';
import { api } from '../../service.js';
import { type Draft, LevelField, MembersField, SpacesField, TextFields } from './group-fields.js';
import { GroupPreview } from './group-preview.js';

const fields = ['name', 'description', 'permission', 'allSpaces', 'spaceIds', 'userIds'] as const;
const empty: Draft = {
  name: '',
  description: '',
  permission: 'READ',
  allSpaces: false,
  spaceIds: [],
  userIds: [],
};
const noUsers: readonly User[] = [];

/** Form of a group, with a preview of what it changes. What others change in the meantime does not touch what is typed. */
export function GroupForm({ group }: { readonly group?: PermissionGroup }) {
  const stored = group === undefined ? empty : draftOf(group);
  const [changed, change] = useState<Partial<Draft>>({});
  const isChanged = Object.keys(changed).length > 0;
  const draft = { ...stored, ...changed };
  const set = (part: Partial<Draft>) => change((before) => ({ ...before, ...part }));
  const unsaved = group === undefined ? draft : changed;
  const save = useSave(group?.id, () => change({}));
  const { byField, general } = faultsOf(save.error, fields);
  const { people, add } = usePeople(group?.id);
  return (
    <form
      className="cl-columns"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(unsaved);
      }}
    >
      <div className="cl-column">
        <section className="cl-panel" aria-label="Group">
          <div className="cl-form">
            <TextFields draft={draft} set={set} byField={byField} />
            <LevelField draft={draft} set={set} error={byField['permission']} />
            <SpacesField draft={draft} set={set} error={byField['allSpaces'] ?? byField['spaceIds']} />
          </div>
        </section>
      </div>
      <div className="cl-column">
        <section className="cl-panel" aria-label="Who belongs to it">
          <MembersField draft={draft} set={set} error={byField['userIds']} people={people} add={add} />
        </section>
      </div>
      <div className="cl-whole">
        <GroupPreview group={{ id: group?.id ?? '', ...draft }} people={people} />
      </div>
      <div className="cl-whole cl-stack">
        <Fault>{general}</Fault>
        {save.isSuccess && !isChanged && (
          <p className="cl-result" role="status">
            The group is saved. It counts from now on.
          </p>
        )}
        <Buttons
          isNew={group === undefined}
          isChanged={isChanged}
          isSaving={save.isPending}
          discard={() => {
            change({});
            forgetUnsaved();
          }}
        >
          <CopyCurl api={api} of={(to) => send(to, group?.id, unsaved)} />
        </Buttons>
      </div>
    </form>
  );
}

function Buttons({
  isNew,
  isChanged,
  isSaving,
  discard,
  children,
}: {
  readonly isNew: boolean;
  readonly isChanged: boolean;
  readonly isSaving: boolean;
  readonly discard: () => void;
  readonly children: ReactNode;
}) {
  return (
    <div className="cl-row">
      <Button type="submit" loading={isSaving}>
        {isNew ? 'Create the group' : 'Save the group'}
      </Button>
      {children}
      {isChanged && !isNew && (
        <Button variant="default" onClick={discard}>
          Discard the changes
        </Button>
      )}
    </div>
  );
}

function draftOf({
  name,
  description,
  permission,
  allSpaces = false,
  spaceIds,
  userIds = [],
}: PermissionGroup) {
  return { name, description, permission, allSpaces, spaceIds, userIds };
}

/** Users of the group, at most 1000, and those that were added in the form, by their ids. */
function usePeople(groupId: string | undefined) {
  const [added, setAdded] = useState<readonly User[]>([]);
  const members = useQuery({
    ...queryOptions(api.listUsers, usersInput({ groupId }, 1_000)),
    enabled: groupId !== undefined,
  });
  const people = new Map([...(members.data ?? noUsers), ...added].map((user) => [user.id, user]));
  return { people, add: (user: User) => setAdded((before) => [...before, user]) };
}

/** Changes the group, or creates one if there is none yet. */
function send(
  to: typeof api,
  id: string | undefined,
  { spaceIds, userIds, ...rest }: Partial<Draft>,
): Promise<{ readonly body: PermissionGroup }> {
  const body = {
    ...rest,
    ...(spaceIds !== undefined && { spaceIds: [...spaceIds] }),
    ...(userIds !== undefined && { userIds: [...userIds] }),
  };
  if (id !== undefined) return to.updatePermissionGroup({ params: { id }, body });
  const { name = '', permission = 'READ' } = body;
  return to.createPermissionGroup({ body: { ...body, name, permission } });
}

function useSave(id: string | undefined, done: () => void) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: async (draft: Partial<Draft>) => (await send(api, id, draft)).body,
    meta: { changes: [groupsResource] },
    onSuccess: async (saved) => {
      if (id === undefined) {
        await navigate({ to: '/groups/$groupId', params: { groupId: saved.id } });
      } else {
        queries.setQueryData(queryOptions(api.getPermissionGroup, { params: { id } }).queryKey, saved);
      }
      done();
    },
  });
}
