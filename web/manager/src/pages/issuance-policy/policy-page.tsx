import type { ShownIssuancePolicy } from '@certloop/contracts/browser';
import { Loaded, queryOptions, useTitle, WaitingPage } from '@certloop/web-kit';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { spaceQuery } from '../../lookups.js';
import { useRights } from '../../rights.js';
import { api } from '../../service.js';
import { SpaceCrumbs } from '../../spaces/space-crumbs.js';
import { PolicyForm } from './policy-form.js';

const route = getRouteApi('/inside/spaces/$spaceId/issuance-policy');

/** For which names and by which providers a space may get certificates. */
export function PolicyPage() {
  const { spaceId } = route.useParams();
  const { isAdmin } = useRights();
  const space = useQuery(spaceQuery(spaceId));
  const query = useQuery(queryOptions(api.getIssuancePolicy, { params: { id: spaceId } }));
  useTitle('Issuance policy', 'manager');
  return (
    <>
      <SpaceCrumbs spaceId={spaceId} name={space.data?.name} />
      <h1>Issuance policy</h1>
      <Loaded query={query} waiting={<WaitingPage />}>
        {(policy) => (
          <>
            {policy.isDefault === true && (
              <p className="cl-strip">
                This space has no policy of its own. The policy of the server applies
                (ISSUANCE_POLICY_DEFAULT).
              </p>
            )}
            {isAdmin ? <PolicyForm spaceId={spaceId} policy={policy} /> : <Summary policy={policy} />}
          </>
        )}
      </Loaded>
    </>
  );
}

/** The policy for those who may not change it. */
function Summary({ policy: { allowedNames, providerIds } }: { readonly policy: ShownIssuancePolicy }) {
  const listed = (all: readonly string[]) => (all.length === 0 ? 'none' : all.join(', '));
  return (
    <section className="cl-panel" aria-label="Policy">
      {allowedNames === null ? (
        <p>The space may have every name that no other space holds.</p>
      ) : (
        <ul className="cl-list">
          <li>Domains with all names below them: {listed(allowedNames.suffixes)}</li>
          <li>Single names: {listed(allowedNames.names)}</li>
          <li>Ranges of IP addresses: {listed(allowedNames.cidrs)}</li>
          <li>Wildcards: {allowedNames.wildcards ? 'allowed' : 'not allowed'}</li>
          <li>Further names in a CSR: {allowedNames.beyondFqdn ? 'allowed' : 'not allowed'}</li>
        </ul>
      )}
      <p>{providerIds === null ? 'Every provider may issue.' : 'Only some providers may issue.'}</p>
      <p className="cl-dim">Only administrators change the policy.</p>
    </section>
  );
}
