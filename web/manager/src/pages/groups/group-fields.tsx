import { permissionLevels, type User } from '@certloop/contracts/browser';
import { Fault, type GroupReach, pageOptions } from '@certloop/web-kit';
import { Textarea, TextInput } from '@mantine/core';
import { levelTexts, usersInput } from '../../people/people.js';
import { type Choice, Picker } from '../../picker.js';
import { api } from '../../service.js';
import { SpacePicker } from '../../spaces/space-picker.js';

/** Settings of a group that the form changes. */
export interface Draft extends Omit<GroupReach, 'id'> {
  readonly name: string;
  readonly description: string;
}

type Person = Choice & { readonly user: User };

interface PartProps {
  readonly draft: Draft;
  readonly set: (part: Partial<Draft>) => void;
  readonly error: string | undefined;
}

export function TextFields({
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

export function LevelField({ draft, set, error }: PartProps) {
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

export function SpacesField({ draft, set, error }: PartProps) {
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
      {!draft.allSpaces && (
        <SpacePicker label="Chosen spaces" chosen={draft.spaceIds} change={(spaceIds) => set({ spaceIds })} />
      )}
    </>
  );
}

export function MembersField({
  draft,
  set,
  error,
  people,
  add,
}: PartProps & {
  /** Users whose names are known, by id. */
  readonly people: ReadonlyMap<string, User>;
  readonly add: (user: User) => void;
}) {
  return (
    <Picker<User, Person>
      label="Members"
      noun="user"
      chosen={draft.userIds}
      error={error}
      labelOf={(id) => people.get(id)?.username}
      change={(userIds, toggled) => {
        set({ userIds });
        if (toggled !== undefined) add(toggled.user);
      }}
      find={(q) => pageOptions(api.listUsers, usersInput(q === '' ? {} : { q }, 20))}
      choiceOf={(user) => ({ id: user.id, label: user.username, detail: user.email, user })}
    />
  );
}
