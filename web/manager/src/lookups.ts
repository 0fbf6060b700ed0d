import type { Fqdn, Space } from '@certloop/contracts/browser';
import { type ListPage, listPageOf, Refusal } from '@certloop/web-kit';
import { api } from './service.js';

const pageQuery = (cursor: string | undefined, limit: string) => ({
  limit,
  ...(cursor === undefined ? {} : { cursor }),
});

/** One page of the spaces that the user may read. */
export async function loadSpaces(
  cursor: string | undefined,
  signal: AbortSignal,
  limit = '100',
): Promise<ListPage<Space>> {
  const { body, headers } = await api.listSpaces({ query: pageQuery(cursor, limit), signal });
  return listPageOf(body, headers);
}

/** One page of the FQDNs of a space. */
export async function loadFqdns(
  spaceId: string,
  cursor: string | undefined,
  signal: AbortSignal,
  limit = '100',
): Promise<ListPage<Fqdn>> {
  const { body, headers } = await api.listFqdns({
    params: { id: spaceId },
    query: pageQuery(cursor, limit),
    signal,
  });
  return listPageOf(body, headers);
}

/** Looks one row up in all pages of a list. Throws a Refusal, 404, when it is in none. */
async function findRow<Row extends { readonly id: string }>(
  id: string,
  load: (cursor: string | undefined) => Promise<ListPage<Row>>,
): Promise<Row> {
  let cursor: string | undefined;
  do {
    const page = await load(cursor);
    const found = page.rows.find((row) => row.id === id);
    if (found !== undefined) return found;
    cursor = page.next;
  } while (cursor !== undefined);
  const nothing = { code: undefined, fields: [], requestId: undefined, retryAfterSeconds: undefined };
  throw new Refusal('not_found', 'Check the address, or ask who sent it to you.', {
    answered: 404,
    ...nothing,
  });
}

/** Query of one space. */
export function spaceQuery(spaceId: string) {
  return {
    queryKey: ['spaces', spaceId],
    queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
      findRow(spaceId, (cursor) => loadSpaces(cursor, signal, '1000')),
  };
}

/** Query of one FQDN. */
export function fqdnQuery(spaceId: string, fqdnId: string) {
  return {
    queryKey: ['fqdns', fqdnId],
    queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
      findRow(fqdnId, (cursor) => loadFqdns(spaceId, cursor, signal, '1000')),
  };
}
