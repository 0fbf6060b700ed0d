import { type NavigationLink, SignedIn } from '@certloop/web-kit';
import { useQuery } from '@tanstack/react-query';
import { SignIn } from './pages/sign-in/sign-in.js';
import { session, stateQuery } from './service.js';

const links: readonly NavigationLink[] = [
  { to: '/projects', label: 'Projects', icon: 'pulse' },
  { to: '/account', label: 'Your account', icon: 'key' },
];

/** The frame of every page that needs a session. */
export function Inside() {
  const service = useQuery(stateQuery).data;
  return (
    <SignedIn
      session={session}
      console="monitor"
      links={links}
      other={{ label: 'Manager', url: service?.managerUrl }}
      nameOf={({ user }) => user.email}
      SignIn={SignIn}
    />
  );
}
