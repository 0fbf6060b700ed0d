import {
  type FqdnSort,
  type FqdnState,
  fqdnSorts,
  fqdnStates,
  type RenewalOwner,
  renewalOwners,
} from '@certloop/contracts/browser';
import { listOptions, lookUpOptions, queryOptions } from '@certloop/web-kit';
import { overview } from './changes/overview.js';
import { api } from './service.js';

/** The spaces that the user may read, or those with the part `q` in their names, page by page. */
export function spaceList(q?: string) {
  const query = {
    limit: '100',
    ...(q !== undefined && { q }),
    sort: 'attention',
    include: 'counts',
  } as const;
  return listOptions(api.listSpaces, { query });
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
  readonly renewedBy?: RenewalOwner | undefined;
  /** These three are of the newest certificate; only links have them. */
  readonly issuer?: string | undefined;
  readonly key?: string | undefined;
  readonly authority?: string | undefined;
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
    renewedBy: renewalOwners.find((word) => word === search['renewedBy']),
    issuer: textOf(search['issuer'], /./),
    key: textOf(search['key'], /^.{1,24}$/),
    authority: textOf(search['authority'], /^[\da-f]{64}$/),
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

/** Which FQDNs are asked for: with their states, by need unless the filter says otherwise. */
function fqdnQueryOf(filter: FqdnFilter, limit: number) {
  return {
    limit: String(limit),
    ...conditionOf(filter),
    sort: filter.sort ?? 'attention',
    include: 'status',
  } as const;
}

/** The FQDNs of a space, or of all spaces, with their states, page by page. */
export function fqdnList(spaceId: string | undefined, filter: FqdnFilter, limit = 100) {
  const query = fqdnQueryOf(filter, limit);
  return spaceId === undefined
    ? overview(listOptions(api.listAllFqdns, { query }))
    : listOptions(api.listFqdns, { params: { id: spaceId }, query });
}

/** Query of one space, with the level of the user there. */
export const spaceQuery = (spaceId: string) => queryOptions(api.getSpace, { params: { id: spaceId } });

/** Query of one FQDN, with its space and the level of the user there. */
export const fqdnQuery = (spaceId: string, fqdnId: string) =>
  queryOptions(api.getFqdn, { params: { id: spaceId, fqdnId } });

/** Query of a space that a list shows and has not loaded any more. */
export const spaceLookUp = (spaceId: string) => lookUpOptions(api.getSpace, { params: { id: spaceId } });

/** Query of an FQDN that a list shows and has not loaded any more. */
export const fqdnLookUp = (spaceId: string, fqdnId: string) =>
  lookUpOptions(api.getFqdn, { params: { id: spaceId, fqdnId } });
