import { type NavigationLink, SignedIn } from '@certloop/web-kit';
import { useQuery } from '@tanstack/react-query';
import { findEntries } from './find-entries.js';
import { SignIn } from './pages/sign-in/sign-in.js';
import { session, stateQuery } from './service.js';

const links: readonly NavigationLink[] = [
  { to: '/projects', label: 'Projects', icon: 'pulse', letter: 'p' },
  { to: '/account', label: 'Your account', icon: 'key', letter: 'y' },
];

/** The frame of every page that needs a session. */
export function Inside() {
  const service = useQuery(stateQuery).data;
  return (
    <SignedIn
      session={session}
      console="monitor"
      links={links}
      find={findEntries}
      hint="Page, action, project, check, or an id"
      programSignIn={{ path: '/api/account/login', name: 'email' }}
      other={{ label: 'Manager', url: service?.managerUrl }}
      nameOf={({ user }) => user.email}
      SignIn={SignIn}
    />
  );
}
