import { SignInForm } from '@certloop/web-kit';
import { api, session } from '../../service.js';

/** The form that opens a session. */
export function SignIn({ name }: { readonly name?: string }) {
  return (
    <SignInForm
      nameLabel="User name"
      {...(name === undefined ? {} : { name })}
      signIn={async ({ name: username, password }) => {
        await api.login({ body: { username, password } });
        await session.opened();
      }}
    />
  );
}
