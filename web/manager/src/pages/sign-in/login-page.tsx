import { Front, nextPage, Redirect, useSession, useTitle } from '@certloop/web-kit';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { session, stateQuery } from '../../service.js';
import { SignIn } from './sign-in.js';

const route = getRouteApi('/login');

/** Sign-in, then back to the page that was asked for. */
export function LoginPage() {
  useTitle('Sign in', 'manager');
  const { phase } = useSession(session);
  const { next } = route.useSearch();
  const state = useQuery(stateQuery);
  if (phase === 'in') return <Redirect path={nextPage(next)} />;
  if (state.data?.needsSetup === true) return <Redirect path="/welcome" />;
  return (
    <Front console="manager">
      <h1>Sign in</h1>
      <SignIn />
      <p className="cl-dim">You are signed out after 30 minutes without activity.</p>
    </Front>
  );
}
