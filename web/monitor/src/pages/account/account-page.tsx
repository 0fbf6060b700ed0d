import {
  countOf,
  countText,
  DisplayCard,
  Fact,
  Loaded,
  PasswordCard,
  queryOptions,
  useSession,
  useTitle,
  WaitingFacts,
} from '@certloop/web-kit';
import { useQuery } from '@tanstack/react-query';
import { api, session } from '../../service.js';

/** The user's own account: what is used of its limits, its password, and how pages look. */
export function AccountPage() {
  useTitle('Your account', 'monitor');
  const state = useSession(session);
  if (!('me' in state)) return null;
  return (
    <>
      <h1>Your account</h1>
      <div className="cl-columns">
        <LimitsCard email={state.me.user.email} />
        <div className="cl-column">
          <PasswordCard
            api={api}
            change={(to, body) => to.changePassword({ body })}
            onChanged={() => session.check(false)}
            description="You sign in again afterwards, in every browser."
          />
          <DisplayCard />
        </div>
      </div>
    </>
  );
}

function LimitsCard({ email }: { readonly email: string }) {
  const query = useQuery(queryOptions(api.getLimits));
  return (
    <section className="cl-panel" aria-label="Limits">
      <h2 className="cl-anywhere">{email}</h2>
      <Loaded query={query} waiting={<WaitingFacts count={3} />}>
        {({ checks, checkLimit, projects, projectLimit, pingLimit }) => (
          <>
            <dl className="cl-facts">
              <Fact title="Checks">
                {countOf(checks, 'check')} of at most {countText(checkLimit)}, in all projects that you own
              </Fact>
              <Fact title="Projects">
                {countOf(projects, 'project')} of your own, of at most {countText(projectLimit)}
              </Fact>
              <Fact title="History">the last {countOf(pingLimit, 'ping')} of each check</Fact>
            </dl>
            <p className="cl-dim">The operator of the service sets these limits.</p>
          </>
        )}
      </Loaded>
    </section>
  );
}
