import {
  ErrorPanel,
  Front,
  type NavigationLink,
  Redirect,
  SessionWatch,
  Shell,
  useSession,
  Waiting,
} from '@certloop/web-kit';
import { useQuery } from '@tanstack/react-query';
import { Outlet, useRouterState } from '@tanstack/react-router';
import { useFollowChanges } from './follow-changes.js';
import { SignIn } from './pages/sign-in/sign-in.js';
import { session, stateQuery } from './service.js';

const links: readonly NavigationLink[] = [
  { to: '/spaces', label: 'Spaces', icon: 'space' },
  { to: '/renewals', label: 'Renewals', icon: 'clock' },
  { to: '/providers', label: 'Providers', icon: 'certificate' },
  { to: '/audit', label: 'Audit log', icon: 'pulse' },
  { to: '/account', label: 'Your account', icon: 'key' },
];

/** The frame of every page that needs a session; without one the sign-in comes first. */
export function Inside() {
  const state = useSession(session);
  const service = useQuery(stateQuery).data;
  const next = useRouterState({ select: ({ location }) => `${location.pathname}${location.searchStr}` });
  if (state.phase === 'out') {
    return <Redirect path={next === '/' ? '/login' : `/login?next=${encodeURIComponent(next)}`} />;
  }
  if (state.phase === 'unknown') {
    if (state.error === undefined) return <Waiting />;
    return (
      <Front console="manager" isWide>
        <ErrorPanel error={state.error} retry={() => void session.check(false)} />
      </Front>
    );
  }
  return (
    <>
      <Shell
        console="manager"
        links={links}
        elsewhere={elsewhereOf(service?.monitorUrl)}
        userName={state.me.user.username}
        signOut={() => void session.close()}
      >
        {service?.authMode === 'open' && (
          <p className="cl-strip">
            This service runs without sign-in: everyone who reaches it may do everything. Set AUTH_MODE to
            change that.
          </p>
        )}
        <Outlet />
        <Following />
      </Shell>
      <SessionWatch session={session} signIn={({ user }) => <SignIn name={user.username} />} />
    </>
  );
}

/** Follows what others change, as long as a user is signed in. */
function Following() {
  useFollowChanges();
  return null;
}

/** The other console, where its address for browsers is set. */
function elsewhereOf(url: string | undefined) {
  if (url === undefined || !/^https?:\/\//.test(url)) return undefined;
  return { href: `${url.replace(/\/$/, '')}/ui/`, label: 'Monitor' };
}
