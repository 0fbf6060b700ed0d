import type { Fqdn, Space } from '@certloop/contracts/browser';
import { type ListPage, listPageOf } from '@certloop/web-kit';
import { api } from './service.js';

const pageQuery = (cursor: string | undefined) => ({
  limit: '100',
  ...(cursor === undefined ? {} : { cursor }),
});

/** One page of the spaces that the user may read. */
export async function loadSpaces(cursor: string | undefined, signal: AbortSignal): Promise<ListPage<Space>> {
  const { body, headers } = await api.listSpaces({ query: pageQuery(cursor), signal });
  return listPageOf(body, headers);
}

/** One page of the FQDNs of a space. */
export async function loadFqdns(
  spaceId: string,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<ListPage<Fqdn>> {
  const { body, headers } = await api.listFqdns({
    params: { id: spaceId },
    query: pageQuery(cursor),
    signal,
  });
  return listPageOf(body, headers);
}

/** Query of one space, with the level of the user there. */
export function spaceQuery(spaceId: string) {
  return {
    queryKey: ['spaces', spaceId],
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
