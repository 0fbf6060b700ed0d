import { PasswordField, SendForm, useForm } from '@certloop/web-kit';
import { Modal, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { usersResource } from '../../resources.js';
import { api, stateQuery } from '../../service.js';
import { GroupsPicker } from './groups-picker.js';

const fields = ['username', 'email', 'password', 'isAdmin', 'groupIds'] as const;

/** Dialog that creates a user, and leads to the page of the user. */
export function NewUser({ close }: { readonly close: () => void }) {
  const navigate = useNavigate();
  const [groupIds, choose] = useState<readonly string[]>([]);
  const send = (to: typeof api, form: HTMLFormElement) => {
    const data = new FormData(form);
    const text = (name: string) => String(data.get(name));
    const body = {
      username: text('username').trim(),
      email: text('email').trim(),
      password: text('password'),
      isAdmin: data.get('isAdmin') !== null,
      groupIds: [...groupIds],
    };
    return to.createUser({ body });
  };
  const { byField, form } = useForm({
    api,
    send,
    fields: fields,
    changes: [usersResource],
    onSuccess: async ({ body: { id } }) => {
      close();
      await navigate({ to: '/users/$userId', params: { userId: id } });
    },
  });
  return (
    <Modal opened onClose={close} title="Create a user">
      <SendForm {...form} label="Create the user">
        <AccountFields faults={byField} />
        <AdminField isAdmin={false} />
        <GroupsPicker chosen={groupIds} change={choose} error={byField['groupIds']} />
      </SendForm>
    </Modal>
  );
}

function AccountFields({ faults }: { readonly faults: Readonly<Record<string, string>> }) {
  const service = useQuery(stateQuery).data;
  return (
    <>
      <TextInput
        name="username"
        label="User name"
        description="3 to 64 letters, digits or any of . _ @ -"
        error={faults['username']}
        maxLength={64}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        required
        data-autofocus
      />
      <TextInput
        name="email"
        type="email"
        label="E-mail address"
        error={faults['email']}
        maxLength={254}
        autoComplete="off"
        required
      />
      <PasswordField
        name="password"
        label="First password"
        autoComplete="new-password"
        description={`At least ${service?.passwordMinLength ?? 8} characters. The user can change it.`}
        error={faults['password']}
      />
    </>
  );
}

/** Whether the user is an administrator; `reason` says why that cannot be changed. */
export function AdminField({
  isAdmin,
  reason,
}: {
  readonly isAdmin: boolean;
  readonly reason?: string | undefined;
}) {
  return (
    <label className="cl-check">
      <input type="checkbox" name="isAdmin" defaultChecked={isAdmin} disabled={reason !== undefined} />
      <span>
        Administrator
        <small className="cl-dim"> {reason ?? 'May do everything, in all spaces.'}</small>
      </span>
    </label>
  );
}
