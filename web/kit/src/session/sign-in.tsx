import { Button, PasswordInput, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useCountdown } from '../clock.browser.js';
import { Refusal, sentenceOf, statusOf } from '../service/refusal.js';
import { wholeSentence } from '../times.js';

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
        withAsterisk={false}
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

/** A password with a button that shows it. */
export function PasswordField({
  name,
  label,
  autoComplete,
  autoFocus = false,
  description,
  error,
  minLength,
}: {
  readonly name: string;
  readonly label: string;
  readonly autoComplete: 'current-password' | 'new-password';
  readonly autoFocus?: boolean;
  readonly description?: string;
  readonly error?: string | undefined;
  readonly minLength?: number;
}) {
  return (
    <PasswordInput
      name={name}
      label={label}
      description={description}
      error={error}
      aria-invalid={error !== undefined}
      autoComplete={autoComplete}
      autoFocus={autoFocus}
      // a dialog chooses what has the focus first
      data-autofocus={autoFocus || undefined}
      required
      withAsterisk={false}
      maxLength={1_000}
      minLength={minLength}
      visibilityToggleButtonProps={{ 'aria-label': 'Show the password', tabIndex: 0 }}
    />
  );
}

/** Shows what is wrong with a form as a whole; screen readers announce it when it comes. */
export function Fault({ children }: { readonly children: string | undefined }) {
  return (
    <div role="alert">{children !== undefined && <p className="cl-fault">{wholeSentence(children)}</p>}</div>
  );
}
