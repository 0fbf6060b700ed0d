import { type PermissionGroup, permissionLevels, type Space, type User } from '@certloop/contracts/browser';
import { Fault, faultsOf, type GroupReach } from '@certloop/web-kit';
import { Button, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { levelTexts, loadUsers } from '../../people.js';
import { type Choice, Picker } from '../../picker.js';
import { api } from '../../service.js';
import { GroupPreview } from './group-preview.js';
import { useSpaceNames } from './space-names.js';

/** What the form changes of a group. */
interface Draft extends Omit<GroupReach, 'id'> {
  readonly name: string;
  readonly description: string;
}

type Person = Choice & { readonly user: User };

const fields = ['name', 'description', 'permission', 'allSpaces'] as const;
const empty: Draft = {
  name: '',
  description: '',
  permission: 'READ',
  allSpaces: false,
  spaceIds: [],
  userIds: [],
};
const noUsers: readonly User[] = [];

/** Form of a group, with a preview of what it changes. What others change meanwhile does not touch what is typed. */
export function GroupForm({ group }: { readonly group?: PermissionGroup }) {
  const stored = group === undefined ? empty : draftOf(group);
  const [changed, change] = useState<Partial<Draft>>({});
  const isChanged = Object.keys(changed).length > 0;
  const draft = { ...stored, ...changed };
  const set = (part: Partial<Draft>) => change((before) => ({ ...before, ...part }));
  const save = useSave(group?.id, () => change({}));
  const { byField, general } = faultsOf(save.error, fields);
  const members = useMembers(group?.id);
  const [added, add] = useState<readonly User[]>([]);
  const people = new Map([...(members.data ?? noUsers), ...added].map((user) => [user.id, user]));
  return (
    <form
      className="cl-columns"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(group === undefined ? draft : changed);
      }}
    >
      <div className="cl-column">
        <section className="cl-panel" aria-label="Group">
          <div className="cl-form">
            <TextFields draft={draft} set={set} byField={byField} />
            <LevelField draft={draft} set={set} error={byField['permission']} />
            <SpacesField draft={draft} set={set} error={byField['allSpaces']} />
          </div>
        </section>
      </div>
      <div className="cl-column">
        <section className="cl-panel" aria-label="Who belongs to it">
          <MembersField
            draft={draft}
            set={set}
            people={people}
            add={(user) => add((before) => [...before, user])}
          />
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
        <div className="cl-row">
          <Button type="submit" loading={save.isPending}>
            {group === undefined ? 'Create the group' : 'Save the group'}
          </Button>
          {isChanged && group !== undefined && (
            <Button variant="default" onClick={() => change({})}>
              Discard the changes
            </Button>
          )}
        </div>
      </div>
    </form>
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

/** Users of the group, at most 1000. */
function useMembers(groupId: string | undefined) {
  return useQuery<readonly User[]>({
    queryKey: ['users', 'members', groupId],
    queryFn: async ({ signal }) => (await loadUsers({ groupId }, undefined, signal, 1_000)).rows,
    enabled: groupId !== undefined,
  });
}

function useSave(id: string | undefined, done: () => void) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: async ({ spaceIds, userIds, ...rest }: Partial<Draft>) => {
      const body = {
        ...rest,
        ...(spaceIds !== undefined && { spaceIds: [...spaceIds] }),
        ...(userIds !== undefined && { userIds: [...userIds] }),
      };
      if (id !== undefined) return (await api.updatePermissionGroup({ params: { id }, body })).body;
      const { name = '', permission = 'READ' } = body;
      return (await api.createPermissionGroup({ body: { ...body, name, permission } })).body;
    },
    onSuccess: async (saved) => {
      if (id === undefined) {
        await navigate({ to: '/groups/$groupId', params: { groupId: saved.id } });
      } else {
        queries.setQueryData(['groups', 'one', id], saved);
      }
      done();
      await Promise.all([
        queries.invalidateQueries({ queryKey: ['groups'] }),
        queries.invalidateQueries({ queryKey: ['users'] }),
      ]);
    },
  });
}

interface PartProps {
  readonly draft: Draft;
  readonly set: (part: Partial<Draft>) => void;
  readonly error: string | undefined;
}

function TextFields({
  draft,
  set,
  byField,
}: Omit<PartProps, 'error'> & { readonly byField: Readonly<Record<string, string>> }) {
  return (
    <>
      <TextInput
        label="Name"
        value={draft.name}
        onChange={(event) => set({ name: event.currentTarget.value })}
        error={byField['name']}
        maxLength={100}
        required
        withAsterisk={false}
      />
      <Textarea
        label="Description"
        value={draft.description}
        onChange={(event) => set({ description: event.currentTarget.value })}
        error={byField['description']}
        maxLength={1_000}
      />
    </>
  );
}

function LevelField({ draft, set, error }: PartProps) {
  return (
    <fieldset className="cl-fieldset">
      <legend>Level</legend>
      {permissionLevels.map((level) => (
        <label key={level} className="cl-check">
          <input
            type="radio"
            name="permission"
            checked={draft.permission === level}
            // only FULL_ACCESS can be given on all spaces
            onChange={() =>
              set({
                permission: level,
                ...(level !== 'FULL_ACCESS' && draft.allSpaces && { allSpaces: false }),
              })
            }
          />
          <span>
            {level}
            <small className="cl-dim"> {levelTexts[level]}</small>
          </span>
        </label>
      ))}
      <Fault>{error}</Fault>
    </fieldset>
  );
}

const maxShown = 20;

function SpacesField({ draft, set, error }: PartProps) {
  const { spaces, nameOf, find } = useSpaceNames(draft.spaceIds);
  const canReachAll = draft.permission === 'FULL_ACCESS';
  return (
    <>
      <fieldset className="cl-fieldset">
        <legend>Spaces</legend>
        <label className="cl-check">
          <input
            type="radio"
            name="reach"
            checked={!draft.allSpaces}
            onChange={() => set({ allSpaces: false })}
          />
          <span>The spaces that you choose</span>
        </label>
        <label className="cl-check">
          <input
            type="radio"
            name="reach"
            checked={draft.allSpaces}
            disabled={!canReachAll}
            onChange={() => set({ allSpaces: true, spaceIds: [] })}
          />
          <span>
            All spaces
            <small className="cl-dim">
              {' '}
              {canReachAll ? 'Also those that are created later.' : 'Only with the level FULL_ACCESS.'}
            </small>
          </span>
        </label>
        <Fault>{error}</Fault>
      </fieldset>
      {draft.allSpaces && (
        <p className="cl-strip">Members may do everything in all spaces, and create and delete spaces.</p>
      )}
      {!draft.allSpaces && spaces !== undefined && (
        <Picker
          label="Chosen spaces"
          noun="space"
          chosen={draft.spaceIds}
          labelOf={nameOf}
          change={(spaceIds) => set({ spaceIds })}
          queryKey={['spaces', 'pick']}
          find={async (q, signal) => {
            const { rows, total } = await find(q, signal, maxShown);
            return { rows: rows.map(({ id, name }: Space) => ({ id, label: name })), total };
          }}
        />
      )}
    </>
  );
}

function MembersField({
  draft,
  set,
  people,
  add,
}: Omit<PartProps, 'error'> & {
  /** Users whose names are known, by id. */
  readonly people: ReadonlyMap<string, User>;
  readonly add: (user: User) => void;
}) {
  return (
    <Picker<Person>
      label="Members"
      noun="user"
      chosen={draft.userIds}
      labelOf={(id) => people.get(id)?.username}
      change={(userIds, toggled) => {
        set({ userIds });
        if (toggled !== undefined) add(toggled.user);
      }}
      queryKey={['users', 'pick']}
      find={async (q, signal) => {
        const page = await loadUsers(q === '' ? {} : { q }, undefined, signal, 20);
        const rows = page.rows.map((user) => ({
          id: user.id,
          label: user.username,
          detail: user.email,
          user,
        }));
        return { rows, total: page.total ?? rows.length };
      }}
    />
  );
}
