import {
  type Fqdn,
  type FqdnSort,
  type FqdnState,
  fqdnSorts,
  fqdnStates,
  type Space,
} from '@certloop/contracts/browser';
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

/** What of the FQDNs is shown, and in which order. */
export interface FqdnFilter {
  readonly state?: FqdnState | undefined;
  readonly q?: string | undefined;
  readonly sort?: FqdnSort | undefined;
}

/** The filter in the address of a page; what it does not know is left out. */
export function filterIn({ state, q, sort }: Record<string, unknown>): FqdnFilter {
  const knownState = fqdnStates.find((word) => word === state);
  const knownSort = fqdnSorts.find((word) => word === sort);
  return {
    ...(knownState !== undefined && { state: knownState }),
    ...(typeof q === 'string' && q !== '' && { q }),
    ...(knownSort !== undefined && { sort: knownSort }),
  };
}

/** One page of the FQDNs of a space, or of all spaces, with their states; by need unless the filter says otherwise. */
export async function loadFqdns(
  spaceId: string | undefined,
  { state, q, sort = 'attention' }: FqdnFilter,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<ListPage<Fqdn>> {
  const query = {
    ...pageQuery(cursor),
    ...(state !== undefined && { state }),
    ...(q !== undefined && { q }),
    sort,
    include: 'status',
  } as const;
  const { body, headers } = await (spaceId === undefined
    ? api.listAllFqdns({ query, signal })
    : api.listFqdns({ params: { id: spaceId }, query, signal }));
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
