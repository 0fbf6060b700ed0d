import { Front, nextPage, Redirect, useSession, useTitle } from '@certloop/web-kit';
import { getRouteApi } from '@tanstack/react-router';
import { session } from '../../service.js';
import { SignIn } from './sign-in.js';

const route = getRouteApi('/login');

/** Sign-in, then back to the page that was asked for. */
export function LoginPage() {
  useTitle('Sign in', 'monitor');
  const { phase } = useSession(session);
  const { next } = route.useSearch();
  if (phase === 'in') return <Redirect path={nextPage(next)} />;
  return (
    <Front console="monitor">
      <h1>Sign in</h1>
      <SignIn />
      <p className="cl-dim">You are signed out after 30 minutes without activity.</p>
    </Front>
  );
}
