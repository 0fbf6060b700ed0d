import { type NavigationLink, SignedIn } from '@certloop/web-kit';
import { useQuery } from '@tanstack/react-query';
import { OutageStrip } from './changes/outage-strip.js';
import { SignIn } from './pages/sign-in/sign-in.js';
import { useRights } from './rights.js';
import { session, stateQuery } from './service.js';

const links: readonly (NavigationLink & { readonly isForAdmins?: true })[] = [
  { to: '/', label: 'Dashboard', icon: 'home' },
  { to: '/spaces', label: 'Spaces', icon: 'space' },
  { to: '/fqdns', label: 'Names', icon: 'globe' },
  { to: '/renewals', label: 'Renewals', icon: 'clock' },
  { to: '/providers', label: 'Providers', icon: 'certificate' },
  { to: '/users', label: 'Users', icon: 'user', isForAdmins: true },
  { to: '/groups', label: 'Groups', icon: 'group', isForAdmins: true },
  { to: '/audit', label: 'Audit log', icon: 'pulse' },
  { to: '/statistics', label: 'Statistics', icon: 'chart' },
  { to: '/account', label: 'Your account', icon: 'key' },
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
      other={{ label: 'Monitor', url: service?.monitorUrl }}
      nameOf={({ user }) => user.username}
      SignIn={SignIn}
      notice={
        <>
          {service?.authMode === 'open' && (
            <p className="cl-strip">
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
