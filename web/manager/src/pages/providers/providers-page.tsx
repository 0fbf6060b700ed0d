import {
  AddButton,
  ByCommand,
  EmptyState,
  Loaded,
  placesUpTo,
  serviceUrl,
  useTitle,
  WaitingFacts,
  WaitingLines,
} from '@certloop/web-kit';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useProviderUsage } from '../../providers.js';
import { useRights } from '../../rights.js';
import { ConfigureProvider, CreateProvider } from './configure-provider.js';
import { ProviderCard } from './provider-card.js';

/** Who issues certificates, whether each can be asked, and what depends on it. */
export function ProvidersPage() {
  useTitle('Providers', 'manager');
  const { isAdmin } = useRights();
  const [editedId, edit] = useState<string>();
  const [isCreating, setCreating] = useState(false);
  const query = useProviderUsage();
  const edited = query.data?.find(({ id }) => id === editedId);
  const add = isAdmin && <AddButton label="Create a provider" onClick={() => setCreating(true)} />;
  return (
    <>
      <div className="cl-title">
        <h1>Providers</h1>
        {query.data?.length !== 0 && add}
      </div>
      {!isAdmin && <p className="cl-dim">Administrators configure and enable providers.</p>}
      <Loaded query={query} waiting={<WaitingCards />}>
        {(providers) =>
          providers.length === 0 ? (
            <EmptyState title="There is no provider">
              <p>A provider issues certificates for the names of all spaces.</p>
              {add}
              {isAdmin && <ByCommand text={createCommand()} />}
            </EmptyState>
          ) : (
            <div className="cl-cards">
              {providers.map((provider) => (
                <ProviderCard
                  key={provider.id}
                  provider={provider}
                  heading={
                    <Link to="/providers/$providerId" params={{ providerId: provider.id }}>
                      {provider.displayName}
                    </Link>
                  }
                  isAdmin={isAdmin}
                  configure={() => edit(provider.id)}
                />
              ))}
            </div>
          )
        }
      </Loaded>
      {edited !== undefined && <ConfigureProvider provider={edited} close={() => edit(undefined)} />}
      {isCreating && <CreateProvider close={() => setCreating(false)} />}
    </>
  );
}

function createCommand(): string {
  return `curl -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
  -d '{"kind":"dummy-ca","name":"lab","config":{"baseUrl":"http://127.0.0.1:3002","allowPrivateNetwork":true}}' \\
  ${serviceUrl()}/providers`;
}

/** In the place of the first cards. */
function WaitingCards() {
  return (
    <div className="cl-cards">
      {placesUpTo(2).map((place) => (
        <div key={place} className="cl-panel">
          <WaitingLines count={2} />
          <WaitingFacts count={6} />
          <div className="cl-row cl-waiting-buttons" />
        </div>
      ))}
    </div>
  );
}
