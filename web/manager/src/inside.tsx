import { type NavigationLink, SignedIn } from '@certloop/web-kit';
import { useQuery } from '@tanstack/react-query';
import { OutageStrip } from './changes/outage-strip.js';
import { findEntries } from './find-entries.js';
import { SignIn } from './pages/sign-in/sign-in.js';
import { useRights } from './rights.js';
import { session, stateQuery } from './service.js';

const links: readonly (NavigationLink & { readonly isForAdmins?: true })[] = [
  { to: '/', label: 'Dashboard', icon: 'home', letter: 'd' },
  { to: '/spaces', label: 'Spaces', icon: 'space', letter: 's' },
  { to: '/fqdns', label: 'Names', icon: 'globe', letter: 'n' },
  { to: '/inventory', label: 'What do I have?', icon: 'list', letter: 'h' },
  { to: '/renewals', label: 'Renewals', icon: 'clock', letter: 'r' },
  { to: '/providers', label: 'Providers', icon: 'certificate', letter: 'p' },
  { to: '/users', label: 'Users', icon: 'user', letter: 'u', isForAdmins: true },
  { to: '/groups', label: 'Groups', icon: 'group', letter: 'g', isForAdmins: true },
  { to: '/audit', label: 'Audit log', icon: 'pulse', letter: 'a' },
  { to: '/statistics', label: 'Statistics', icon: 'chart', letter: 't' },
  { to: '/readiness', label: 'Readiness', icon: 'check', letter: 'e' },
  { to: '/account', label: 'Your account', icon: 'key', letter: 'y' },
];

/** The frame of every page that needs a session. */
export function Inside() {
  const service = useQuery(stateQuery).data;
  const { isAdmin } = useRights();
  return (
    <SignedIn
      session={session}
      console="manager"
      links={links.filter(({ isForAdmins }) => isForAdmins !== true || isAdmin)}
      find={(text, signal) => findEntries(text, signal, isAdmin)}
      hint="Page, name, space, id, serial or fingerprint"
      programSignIn={{ path: '/auth/login', name: 'username' }}
      other={{ label: 'Monitor', url: service?.monitorUrl }}
      nameOf={({ user }) => user.username}
      SignIn={SignIn}
      notice={
        <>
          {service?.authMode === 'open' && (
            <p className="cl-strip cl-striped">
              This service runs without sign-in: everyone who reaches it may do everything. Set AUTH_MODE to
              change that.
            </p>
          )}
          <OutageStrip />
        </>
      }
    />
  );
}
