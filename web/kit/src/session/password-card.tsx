import { useMutation } from '@tanstack/react-query';
import { FormEnd } from '../curl/form-end.js';
import { Fault, PasswordField } from '../parts/form-parts.js';
import { faultsOf } from '../service/refusal.js';

interface PasswordChange {
  readonly currentPassword: string;
  readonly newPassword: string;
  readonly revokeTokens?: boolean;
}

interface PasswordCardProps<C extends object> {
  readonly api: C;
  readonly change: (to: C, body: PasswordChange) => Promise<unknown>;
  /** Called after the change, which has ended every session, this one too. */
  readonly onChanged: () => unknown;
  /** Advice for the user before choosing a password. */
  readonly description: string;
  /** Whether the service has API tokens, which the user may revoke with the change. */
  readonly hasTokens?: boolean;
}

const fields = ['currentPassword', 'newPassword'] as const;

/** Form in which the user changes the own password. */
export function PasswordCard<C extends object>({
  api,
  change: send,
  onChanged,
  description,
  hasTokens = false,
}: PasswordCardProps<C>) {
  const change = useMutation({
    mutationFn: (form: HTMLFormElement) => send(api, changeIn(form)),
    onSuccess: onChanged,
  });
  const { byField, general } = faultsOf(change.error, fields);
  return (
    <section className="cl-panel" aria-label="Password">
      <h2>Change the password</h2>
      <form
        className="cl-form"
        onSubmit={(event) => {
          event.preventDefault();
          change.mutate(event.currentTarget);
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
        {hasTokens && (
          <label className="cl-check">
            <input type="checkbox" name="revokeTokens" />
            Revoke all your API tokens too
          </label>
        )}
        <Fault>{general}</Fault>
        <FormEnd api={api} of={(to, form) => send(to, changeIn(form))} isPending={change.isPending}>
          Change the password
        </FormEnd>
      </form>
    </section>
  );
}

function changeIn(form: HTMLFormElement): PasswordChange {
  const data = new FormData(form);
  return {
    currentPassword: String(data.get('currentPassword')),
    newPassword: String(data.get('newPassword')),
    ...(data.get('revokeTokens') !== null && { revokeTokens: true }),
  };
}
