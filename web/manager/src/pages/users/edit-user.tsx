import type { User } from '@certloop/contracts/browser';
import { SendForm, useForm } from '@certloop/web-kit';
import { PasswordInput, TextInput } from '@mantine/core';
import { useState } from 'react';
import { usersResource } from '../../resources.js';
import { useUserId } from '../../rights.js';
import { api, session } from '../../service.js';
import { GroupsPicker } from './groups-picker.js';
import { AdminField } from './new-user.js';

const fields = ['username', 'email', 'password', 'isAdmin', 'groupIds'] as const;

/** Form of an account. What others change in the meantime does not touch what is typed here. */
export function EditUser({ user, bound }: { readonly user: User; readonly bound: string | undefined }) {
  const isOwn = useUserId() === user.id;
  const [groupIds, choose] = useState<readonly string[] | undefined>();
  const [passwordKey, clearPassword] = useState(0);
  const shown = groupIds ?? user.groupIds ?? [];
  const send = (to: typeof api, form: HTMLFormElement) => {
    const body = changesIn(user, new FormData(form), bound === undefined, groupIds);
    return to.updateUser({ params: { id: user.id }, body });
  };
  const { byField, form, sending } = useForm({
    api,
    send,
    fields: fields,
    changes: [usersResource],
    onSuccess: async () => {
      choose(undefined);
      clearPassword((count) => count + 1);
      if (isOwn) await session.check(false);
    },
  });
  return (
    <section className="cl-panel" aria-label="Change the user">
      <SendForm {...form} label="Save the changes" onChange={() => sending.isSuccess && sending.reset()}>
        <AccountFields user={user} isOwn={isOwn} passwordKey={passwordKey} faults={byField} />
        <AdminField isAdmin={user.isAdmin} reason={bound} />
        <GroupsPicker chosen={shown} change={choose} error={byField['groupIds']} />
        {sending.isSuccess && (
          <p className="cl-result" role="status">
            The changes are saved.
          </p>
        )}
      </SendForm>
    </section>
  );
}

function AccountFields({
  user,
  isOwn,
  passwordKey,
  faults,
}: {
  readonly user: User;
  readonly isOwn: boolean;
  /** Another one empties the field of the password. */
  readonly passwordKey: number;
  readonly faults: Readonly<Record<string, string>>;
}) {
  return (
    <>
      <TextInput
        name="username"
        label="User name"
        defaultValue={user.username}
        error={faults['username']}
        maxLength={64}
        autoComplete="off"
        spellCheck={false}
        required
      />
      <TextInput
        name="email"
        type="email"
        label="E-mail address"
        defaultValue={user.email}
        error={faults['email']}
        maxLength={254}
        autoComplete="off"
        required
      />
      <PasswordInput
        key={passwordKey}
        name="password"
        label="New password"
        description="Leave this empty to change nothing. A new one ends all sessions of the user."
        error={faults['password']}
        aria-invalid={faults['password'] !== undefined}
        maxLength={1_000}
        autoComplete="new-password"
        visibilityToggleButtonProps={{ 'aria-label': 'Show the password', tabIndex: 0 }}
      />
      <label className="cl-check">
        <input type="checkbox" name="revokeTokens" defaultChecked={!isOwn} />
        With a new password, revoke all API tokens of the user
      </label>
    </>
  );
}

/** Returns what of the form differs from the user. */
function changesIn(
  user: User,
  data: FormData,
  canChangeAdmin: boolean,
  groupIds: readonly string[] | undefined,
) {
  const text = (name: string) => String(data.get(name)).trim();
  const [username, email] = [text('username'), text('email')];
  const password = String(data.get('password'));
  const isAdmin = data.get('isAdmin') !== null;
  return {
    ...(username !== user.username && { username }),
    ...(email !== user.email && { email }),
    ...(password !== '' && { password }),
    ...(password !== '' && data.get('revokeTokens') !== null && { revokeTokens: true }),
    ...(canChangeAdmin && isAdmin !== user.isAdmin && { isAdmin }),
    ...(groupIds !== undefined && { groupIds: [...groupIds] }),
  };
}
