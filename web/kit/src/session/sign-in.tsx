import { Button, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useCountdown } from '../clock.browser.js';
import { Fault, PasswordField } from '../parts/form-parts.js';
import { Refusal, sentenceOf, statusOf } from '../service/refusal.js';

export interface Credentials {
  readonly name: string;
  readonly password: string;
}

/** Name and password. What was typed stays when it is refused. */
export function SignInForm({
  nameLabel,
  nameType = 'text',
  signIn,
  name,
}: {
  readonly nameLabel: string;
  readonly nameType?: 'text' | 'email';
  /** Opens the session; resolves once the page knows about it. */
  readonly signIn: (credentials: Credentials) => Promise<unknown>;
  /** The one who signs in, where that is known. */
  readonly name?: string;
}) {
  const attempt = useMutation({ mutationFn: signIn });
  const wait = attempt.error instanceof Refusal ? attempt.error.retryAfterSeconds : undefined;
  const left = useCountdown(wait, attempt.error);
  const submit = (data: FormData) => {
    attempt.mutate({ name: String(data.get('name')), password: String(data.get('password')) });
  };
  return (
    <form
      className="cl-form"
      onSubmit={(event) => {
        event.preventDefault();
        submit(new FormData(event.currentTarget));
      }}
    >
      <TextInput
        name="name"
        label={nameLabel}
        type={nameType}
        autoComplete="username"
        defaultValue={name ?? ''}
        maxLength={254}
        required
        autoFocus={name === undefined}
      />
      <PasswordField
        name="password"
        label="Password"
        autoComplete="current-password"
        autoFocus={name !== undefined}
      />
      <Fault>{attempt.isError ? refusalText(attempt.error) : undefined}</Fault>
      <Button type="submit" loading={attempt.isPending} disabled={left > 0}>
        {left > 0 ? `Try again in ${left} s` : 'Sign in'}
      </Button>
    </form>
  );
}

/** 401 says why in the words of an API; people get their own. */
function refusalText(error: unknown): string {
  return statusOf(error) === 401 ? 'The name or the password is wrong.' : sentenceOf(error);
}
