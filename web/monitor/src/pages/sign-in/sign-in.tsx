import { SignInForm } from '@certloop/web-kit';
import { api, session } from '../../service.js';

/** The form that opens a session. */
export function SignIn({ name }: { readonly name?: string }) {
  return (
    <SignInForm
      nameLabel="E-mail address"
      nameType="email"
      {...(name === undefined ? {} : { name })}
      signIn={async ({ name: email, password }) => {
        await api.login({ body: { email, password } });
        await session.opened();
      }}
    />
  );
}
