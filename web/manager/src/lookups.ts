import type { Fqdn, FqdnSort, FqdnState, Space } from '@certloop/contracts/browser';
import { type ListPage, listPageOf } from '@certloop/web-kit';
import { api } from './service.js';

const pageQuery = (cursor: string | undefined) => ({
  limit: '100',
  ...(cursor === undefined ? {} : { cursor }),
});

/** One page of the spaces that the user may read. */
export async function loadSpaces(cursor: string | undefined, signal: AbortSignal): Promise<ListPage<Space>> {
  const query = { ...pageQuery(cursor), sort: 'attention', include: 'counts' } as const;
  const { body, headers } = await api.listSpaces({ query, signal });
  return listPageOf(body, headers);
}

/** What of the FQDNs of a space is shown, and in which order. */
export interface FqdnFilter {
  readonly state?: FqdnState | undefined;
  readonly q?: string | undefined;
  readonly sort?: FqdnSort | undefined;
}

/** One page of the FQDNs of a space with their states, by need unless the filter says otherwise. */
export async function loadFqdns(
  spaceId: string,
  { state, q, sort = 'attention' }: FqdnFilter,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<ListPage<Fqdn>> {
  const { body, headers } = await api.listFqdns({
    params: { id: spaceId },
    query: {
      ...pageQuery(cursor),
      ...(state !== undefined && { state }),
      ...(q !== undefined && { q }),
      sort,
      include: 'status',
    },
    signal,
  });
  return listPageOf(body, headers);
}

/** Query of one space, with the level of the user there. */
export function spaceQuery(spaceId: string) {
  return {
    queryKey: ['space', spaceId],
    queryFn: async ({ signal }: { readonly signal: AbortSignal }) =>
      (await api.getSpace({ params: { id: spaceId }, signal })).body,
  };
}

/** Query of one FQDN, with its space and the level of the user there. */
export function fqdnQuery(spaceId: string, fqdnId: string) {
  return {
    queryKey: ['fqdns', fqdnId],
    queryFn: async ({ signal }: { readonly signal: AbortSignal }) =>
      (await api.getFqdn({ params: { id: spaceId, fqdnId }, signal })).body,
  };
}
