import {
  type Fqdn,
  type FqdnSort,
  type FqdnState,
  fqdnSorts,
  fqdnStates,
  type Space,
} from '@certloop/contracts/browser';
import { background, type ListPage, listPageOf } from '@certloop/web-kit';
import { api } from './service.js';

const pageQuery = (cursor: string | undefined, limit = 100) => ({
  limit: String(limit),
  ...(cursor === undefined ? {} : { cursor }),
});

/** One page of the spaces that the user may read, or of those with the part `q` in their names. */
export async function loadSpaces(
  cursor: string | undefined,
  signal: AbortSignal,
  q?: string,
): Promise<ListPage<Space>> {
  const query = {
    ...pageQuery(cursor),
    ...(q !== undefined && { q }),
    sort: 'attention',
    include: 'counts',
  } as const;
  const { body, headers } = await api.listSpaces({ query, signal });
  return listPageOf(body, headers);
}

/** Filter and order of the shown FQDNs. */
export interface FqdnFilter {
  readonly state?: FqdnState | undefined;
  readonly q?: string | undefined;
  readonly renewal?: 'on' | 'off' | undefined;
  /** Who is asked for the next certificate. */
  readonly providerId?: string | undefined;
  /** The certificate ends from this moment on, and before that one. */
  readonly expiresFrom?: string | undefined;
  readonly expiresBefore?: string | undefined;
  readonly sort?: FqdnSort | undefined;
}

const moment = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;
const textOf = (value: unknown, form: RegExp) =>
  typeof value === 'string' && form.test(value) ? value : undefined;

/** The filter in the address of a page; what it does not know is omitted. */
export function filterIn(search: Record<string, unknown>): FqdnFilter {
  return setOf({
    state: fqdnStates.find((word) => word === search['state']),
    // what looks like a number was read as one
    q: textOf(String(search['q'] ?? ''), /./),
    renewal: (['on', 'off'] as const).find((word) => word === search['renewal']),
    providerId: textOf(search['providerId'], uuid),
    expiresFrom: textOf(search['expiresFrom'], moment),
    expiresBefore: textOf(search['expiresBefore'], moment),
    sort: fqdnSorts.find((word) => word === search['sort']),
  });
}

/** The members that have a value. */
function setOf<Filter extends object>(filter: Filter): Filter {
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined)) as Filter;
}

/** Which FQDNs a filter names, without their order. */
export function conditionOf({ sort: _, ...condition }: FqdnFilter): Omit<FqdnFilter, 'sort'> {
  return setOf(condition);
}

/** One page of the FQDNs of a space, or of all spaces, with their states; by need unless the filter says otherwise. */
export async function loadFqdns(
  spaceId: string | undefined,
  filter: FqdnFilter,
  cursor: string | undefined,
  signal: AbortSignal,
  limit?: number,
): Promise<ListPage<Fqdn>> {
  const query = {
    ...pageQuery(cursor, limit),
    ...conditionOf(filter),
    sort: filter.sort ?? 'attention',
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

/** Query of a space that a list shows and has not loaded any more. */
export function spaceLookUp(spaceId: string) {
  return {
    queryKey: ['space', spaceId, 'look-up'],
    queryFn: async ({ signal }: { readonly signal: AbortSignal }) =>
      (await api.getSpace({ params: { id: spaceId }, headers: background, signal })).body,
  };
}

/** Query of an FQDN that a list shows and has not loaded any more. */
export function fqdnLookUp(spaceId: string, fqdnId: string) {
  return {
    queryKey: ['fqdns', fqdnId, 'look-up'],
    queryFn: async ({ signal }: { readonly signal: AbortSignal }) =>
      (await api.getFqdn({ params: { id: spaceId, fqdnId }, headers: background, signal })).body,
  };
}
