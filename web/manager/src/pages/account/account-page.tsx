import {
  changeDisplay,
  DisplayCard,
  Fact,
  PasswordCard,
  useDisplay,
  useSession,
  useTitle,
} from '@certloop/web-kit';
import { useQuery } from '@tanstack/react-query';
import { api, session, stateQuery } from '../../service.js';
import { Picture } from './picture.js';
import { SessionsCard } from './sessions-card.js';
import { TokensCard } from './tokens-card.js';

/** The user's own account: picture, rights, password, API tokens, sessions, and how pages look. */
export function AccountPage() {
  useTitle('Your account', 'manager');
  const state = useSession(session);
  const service = useQuery(stateQuery).data;
  if (!('me' in state)) return null;
  const { user, rights } = state.me;
  // in open mode there is neither a session nor an account
  const hasSession = state.me.session !== undefined;
  return (
    <>
      <h1>Your account</h1>
      <div className={hasSession ? 'cl-columns' : 'cl-column'}>
        {hasSession && (
          <div className="cl-column">
            <TokensCard rights={rights} />
            <SessionsCard />
          </div>
        )}
        <div className="cl-column">
          <section className="cl-panel" aria-label="User">
            <h2>{user.username}</h2>
            {hasSession && <Picture user={user} />}
            <dl className="cl-facts">
              <Fact title="E-mail">{user.email}</Fact>
              <Fact title="Rights">{rightsText(rights)}</Fact>
            </dl>
          </section>
          {hasSession && (
            <PasswordCard
              api={api}
              change={(to, body) => to.changePassword({ body })}
              onChanged={() => session.check(false)}
              hasTokens
              description={`At least ${service?.passwordMinLength ?? 8} characters. You sign in again afterwards, in every browser.`}
            />
          )}
          <DisplayCard />
          {rights.isAdmin && <DashboardCard />}
        </div>
      </div>
    </>
  );
}

/** Whether the dashboard of this browser shows the first steps, also when all are done. */
function DashboardCard() {
  const { checklist } = useDisplay();
  return (
    <section className="cl-panel cl-stack" aria-label="Dashboard">
      <h2>Dashboard</h2>
      <label className="cl-check">
        <input
          type="checkbox"
          checked={checklist !== 'hidden'}
          onChange={({ currentTarget: { checked } }) =>
            changeDisplay({ checklist: checked ? 'wanted' : 'hidden' })
          }
        />
        Show the first steps of a new installation
      </label>
    </section>
  );
}

function rightsText({
  isAdmin,
  hasFullAccess,
  everywhere,
}: {
  isAdmin: boolean;
  hasFullAccess: boolean;
  everywhere?: string | undefined;
}): string {
  if (isAdmin) return 'Administrator: you may do everything.';
  if (hasFullAccess) return 'FULL_ACCESS to all spaces.';
  if (everywhere !== undefined) return `${everywhere} on all spaces.`;
  return 'What your groups give you on single spaces. Each space shows it.';
}
