import { SendForm, useForm } from '../curl/send-form.js';
import { PasswordField } from '../parts/form-parts.js';

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
  change,
  onChanged,
  description,
  hasTokens = false,
}: PasswordCardProps<C>) {
  const { byField, form } = useForm({
    api,
    send: (to, typed) => change(to, changeIn(typed)),
    fields,
    onSuccess: onChanged,
  });
  return (
    <section className="cl-panel" aria-label="Password">
      <h2>Change the password</h2>
      <SendForm {...form} label="Change the password">
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
      </SendForm>
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
