import {
  type certManagerContract,
  type FqdnCounts,
  maxPageSize,
  type QueryOf,
  type SortedPosition,
} from '@certloop/contracts';
import type { Tx } from '@certloop/db';
import type { Caller } from '../../access/caller.js';
import { readableSpaces, requireLevel, spaceNotFound } from '../../access/permissions.js';
import type { DbDeps } from '../../db-deps.js';
import { type FqdnRow, fqdnNotFound, getFqdn, listFqdnsById } from '../../fqdns/fqdns.repository.js';
import { type FqdnPlace, listFqdns } from '../../fqdns/fqdns.service.js';
import { eachOf } from '../../http/lazy-rows.js';
import { readHostname } from '../../judging/hostname.js';
import { findSpace, listSpaceRows, spaceExists } from '../../spaces/spaces.repository.js';
import { type DatedStatus, readStatuses } from '../read-statuses.service.js';
import { type KnownFacts, withTextFacts } from '../text-facts.service.js';
import { countStates } from './fqdn-counts.repository.js';
import { type FqdnFilter, readIdPage } from './fqdn-list.repository.js';
import { plainWindow, positionIn } from './sorted-cursor.js';

export interface ListFqdnsDeps extends DbDeps {
  readonly known: KnownFacts;
}

/** Query of a list of FQDNs. */
export type FqdnsQuery = QueryOf<typeof certManagerContract.listAllFqdns>;

export interface ListedFqdn {
  readonly fqdn: FqdnRow;
  /** Where the request includes it. */
  readonly status: DatedStatus | undefined;
  /** With the status, in a list of all spaces. */
  readonly spaceName?: string | undefined;
}

export interface FqdnPage {
  readonly rows: Iterable<ListedFqdn>;
  readonly total: number;
  readonly next: SortedPosition | undefined;
}

/**
 * FQDNs of the spaces that the caller may read, at most 1000 at once. Throws InvalidInput for a cursor of another sort.
 */
export async function listFqdnsByStatus(
  { db, clock, known }: ListFqdnsDeps,
  caller: Caller,
  query: FqdnsQuery,
): Promise<FqdnPage> {
  const { sort = 'createdAt', limit = maxPageSize, include } = query;
  const after = positionIn(query.cursor, { sort, isText: sort === 'fqdn' });
  const filter = filterOf(caller, query);
  // a search compares its text with every name or certificate, and the CSR of an FQDN may have thousands of names
  const { q, renewedBy, issuer, key, authority } = query;
  const searches = [q, renewedBy, issuer, key, authority, include].some((part) => part !== undefined);
  const read = searches ? db.longRead : db.read;
  const { page, fqdns, found, names } = await read(async (tx) => {
    const now = clock.now();
    const page = await readIdPage(tx, filter, { sort, limit, after }, now);
    const fqdns = await inOrder(
      tx,
      page.rows.map(({ id }) => id),
    );
    const hasStatus = include === 'status' && fqdns.length > 0;
    const found = hasStatus ? await readStatuses(tx, fqdns, now) : undefined;
    const names = hasStatus && query.spaceId === undefined ? await spaceNames(tx, fqdns) : undefined;
    return { page, fqdns, found, names };
  });
  const statuses = found && (await withTextFacts(db, found, known));
  const last = page.hasMore ? page.rows.at(-1) : undefined;
  return {
    rows: fqdns.map((fqdn) => ({
      fqdn,
      status: statuses?.get(fqdn.id),
      spaceName: names?.get(fqdn.spaceId),
    })),
    total: page.total,
    next: last && { sort, ...last },
  };
}

/**
 * As listFqdnsByStatus, for one space; a request that neither filters nor sorts can have the whole list. Throws
 * NotFound too.
 */
export async function listFqdnsOfSpace(
  deps: ListFqdnsDeps,
  caller: Caller,
  { spaceId, ...query }: FqdnsQuery & { readonly spaceId: string },
): Promise<FqdnPage> {
  requireLevel(caller, spaceId, 'READ');
  const window = plainWindow(query);
  if (window !== undefined) {
    const { rows, total, next } = await listFqdns(deps, caller, { spaceId, window });
    const listed = eachOf(rows, (fqdn) => ({ fqdn, status: undefined }));
    return { rows: listed, total, next: next && { sort: 'createdAt', ...next } };
  }
  const page = await listFqdnsByStatus(deps, caller, { ...query, spaceId });
  if (page.total === 0 && !(await deps.db.read((tx) => spaceExists(tx, spaceId)))) throw spaceNotFound();
  return page;
}

/** How many FQDNs of the spaces that the caller may read are in each state. */
export async function countFqdnStates(
  { db, clock }: DbDeps,
  caller: Caller,
  { spaceId, q }: Pick<FqdnsQuery, 'spaceId' | 'q'>,
): Promise<FqdnCounts> {
  const read = q === undefined ? db.read : db.longRead;
  return read((tx) => countStates(tx, { scope: readableSpaces(caller, spaceId), q }, clock.now()));
}

/** An FQDN, the name of its space, and its state. Throws NotFound. */
export async function showFqdn(
  { db, clock, known }: ListFqdnsDeps,
  caller: Caller,
  { spaceId, fqdnId }: FqdnPlace,
): Promise<{ readonly fqdn: FqdnRow; readonly spaceName: string; readonly status: DatedStatus }> {
  requireLevel(caller, spaceId, 'READ');
  const { space, fqdn, found } = await db.read(async (tx) => {
    const space = await findSpace(tx, spaceId);
    if (space === undefined) throw spaceNotFound();
    const fqdn = await getFqdn(tx, spaceId, fqdnId);
    return { space, fqdn, found: await readStatuses(tx, [fqdn], clock.now()) };
  });
  const status = (await withTextFacts(db, found, known)).get(fqdnId);
  if (status === undefined) throw fqdnNotFound();
  return { fqdn, spaceName: space.name, status };
}

/** Which FQDNs a query is about, among those that the caller may read. */
export function filterOf(
  caller: Caller,
  { spaceId, fqdn, renewal, expiresFrom, expiresBefore, ...others }: FqdnsQuery,
): FqdnFilter {
  return {
    ...others,
    scope: readableSpaces(caller, spaceId),
    // a text that is not a host name matches no FQDN
    fqdn: fqdn === undefined ? undefined : (readHostname(fqdn).hostname ?? ''),
    renewalEnabled: renewal && renewal === 'on',
    expiresFrom: expiresFrom === undefined ? undefined : new Date(expiresFrom),
    expiresBefore: expiresBefore === undefined ? undefined : new Date(expiresBefore),
  };
}

async function spaceNames(tx: Tx, fqdns: readonly FqdnRow[]): Promise<ReadonlyMap<string, string>> {
  const ids = [...new Set(fqdns.map(({ spaceId }) => spaceId))];
  return new Map((await listSpaceRows(tx, ids)).map(({ id, name }) => [id, name]));
}

async function inOrder(tx: Tx, ids: readonly string[]): Promise<FqdnRow[]> {
  if (ids.length === 0) return [];
  const rows = new Map((await listFqdnsById(tx, ids)).map((row) => [row.id, row]));
  return ids.flatMap((id) => rows.get(id) ?? []);
}
