import {
  Fault,
  Front,
  faultsOf,
  PasswordField,
  Redirect,
  sentenceOf,
  statusOf,
  useSession,
  useTitle,
} from '@certloop/web-kit';
import { Button, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { api, session, stateQuery } from '../../service.js';

const fields = ['token', 'username', 'email', 'password'] as const;
type Account = Readonly<Record<(typeof fields)[number], string>>;

/** First set-up: the holder of the setup token becomes the first administrator, and is signed in. */
export function WelcomePage() {
  useTitle('First set-up', 'manager');
  const { phase } = useSession(session);
  const setUp = useMutation({
    mutationFn: async (account: Account) => {
      await api.bootstrap({ body: account });
      await api.login({ body: { username: account.username, password: account.password } });
      await session.opened();
    },
  });
  const { byField, general } = faultsOf(setUp.error, fields);
  const state = useQuery(stateQuery);
  if (phase === 'in') return <Redirect path="/" />;
  if (state.data?.needsSetup === false && setUp.isIdle) return <Redirect path="/login" />;
  return (
    <Front console="manager" isWide>
      <h1>Create the first administrator</h1>
      <p>
        Only a person who can read this machine may do this. So the service wrote a one-time setup token to a
        file there. The last line of its log names the file.
      </p>
      <form
        className="cl-form"
        onSubmit={(event) => {
          event.preventDefault();
          setUp.mutate(accountIn(new FormData(event.currentTarget)));
        }}
      >
        <AccountFields faults={byField} passwordMinLength={state.data?.passwordMinLength} />
        <Fault>{faultText(setUp.error, general)}</Fault>
        <Button type="submit" loading={setUp.isPending}>
          Create the administrator and sign in
        </Button>
      </form>
    </Front>
  );
}

function AccountFields({
  faults,
  passwordMinLength = 8,
}: {
  readonly faults: Readonly<Record<string, string>>;
  readonly passwordMinLength: number | undefined;
}) {
  return (
    <>
      <TextInput
        name="token"
        label="Setup token"
        description="It begins with cms_ and is good for 60 minutes."
        error={faults['token']}
        autoComplete="off"
        spellCheck={false}
        maxLength={200}
        required
      />
      <TextInput
        name="username"
        label="User name"
        description="3 to 64 letters, digits or any of . _ @ -"
        error={faults['username']}
        autoComplete="username"
        minLength={3}
        maxLength={64}
        required
      />
      <TextInput
        name="email"
        label="E-mail address"
        type="email"
        error={faults['email']}
        autoComplete="email"
        maxLength={254}
        required
      />
      <PasswordField
        name="password"
        label="Password"
        autoComplete="new-password"
        description={`At least ${passwordMinLength} characters; a few words are easy to remember.`}
        error={faults['password']}
      />
    </>
  );
}

function accountIn(data: FormData): Account {
  return Object.fromEntries(
    fields.map((name) => {
      const text = String(data.get(name));
      // spaces are part of a password, as they are when it is used
      return [name, name === 'password' ? text : text.trim()];
    }),
  ) as Account;
}

function faultText(error: unknown, general: string | undefined): string | undefined {
  if (statusOf(error) === 401) {
    return 'This setup token is wrong or too old. Restart the service: it writes a new one to its file.';
  }
  if (statusOf(error) === 404) return 'The first administrator has been created already. Sign in instead.';
  return general === undefined ? undefined : sentenceOf(error);
}
