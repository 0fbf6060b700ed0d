import { Loaded, queryOptions, WaitingLines } from '@certloop/web-kit';
import { useQuery } from '@tanstack/react-query';
import { TokensTable } from '../../people/tokens-table.js';
import { api } from '../../service.js';

/** API tokens of a user, which administrators can revoke. */
export function UserTokens({ userId, username }: { readonly userId: string; readonly username: string }) {
  const query = useQuery(queryOptions(api.listUserApiTokens, { params: { id: userId } }));
  return (
    <section className="cl-stack" aria-label="API tokens">
      <h2>API tokens</h2>
      <Loaded query={query} waiting={<WaitingLines count={1} />}>
        {(tokens) =>
          tokens.length === 0 ? (
            <p className="cl-dim">{username} has no API token.</p>
          ) : (
            <TokensTable
              tokens={tokens}
              revoke={({ id: tokenId }) => api.deleteUserApiToken({ params: { id: userId, tokenId } })}
            />
          )
        }
      </Loaded>
    </section>
  );
}
