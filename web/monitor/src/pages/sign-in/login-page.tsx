import { CodeBlock, Front, nextPage, Redirect, useSession, useTitle } from '@certloop/web-kit';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { session, stateQuery } from '../../service.js';
import { SignIn } from './sign-in.js';

const route = getRouteApi('/login');

/** Sign-in, then back to the page that was asked for. */
export function LoginPage() {
  useTitle('Sign in', 'monitor');
  const { phase } = useSession(session);
  const { next } = route.useSearch();
  const state = useQuery(stateQuery);
  if (phase === 'in') return <Redirect path={nextPage(next)} />;
  return (
    <Front console="monitor">
      <h1>Sign in</h1>
      {state.data?.canSignIn === false && (
        <div className="cl-strip">
          <p>No user has a password yet. Give one to a user on the machine of the service:</p>
          <CodeBlock text="node apps/check-monitor/dist/src/cli.js user password --email you@example.org" />
        </div>
      )}
      <SignIn />
      <p className="cl-dim">You are signed out after 30 minutes without activity.</p>
    </Front>
  );
}
