import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { faultsOf } from '../service/refusal.js';
import { Fault, PasswordField } from './sign-in.js';

interface PasswordChange {
  readonly currentPassword: string;
  readonly newPassword: string;
}

interface PasswordCardProps {
  readonly change: (body: PasswordChange) => Promise<unknown>;
  /** Called after the change, which has ended every session, this one too. */
  readonly onChanged: () => unknown;
  /** What the user should know before choosing a password. */
  readonly description: string;
}

const fields = ['currentPassword', 'newPassword'] as const;

/** Form in which the user changes the own password. */
export function PasswordCard({ change: send, onChanged, description }: PasswordCardProps) {
  const change = useMutation({ mutationFn: send, onSuccess: onChanged });
  const { byField, general } = faultsOf(change.error, fields);
  return (
    <section className="cl-panel" aria-label="Password">
      <h2>Change the password</h2>
      <form
        className="cl-form"
        onSubmit={(event) => {
          event.preventDefault();
          const data = new FormData(event.currentTarget);
          change.mutate({
            currentPassword: String(data.get('currentPassword')),
            newPassword: String(data.get('newPassword')),
          });
        }}
      >
        <PasswordField
          name="currentPassword"
          label="Current password"
          autoComplete="current-password"
          error={byField['currentPassword']}
        />
        <PasswordField
          name="newPassword"
          label="New password"
          autoComplete="new-password"
          description={description}
          error={byField['newPassword']}
        />
        <Fault>{general}</Fault>
        <Button type="submit" loading={change.isPending}>
          Change the password
        </Button>
      </form>
    </section>
  );
}
