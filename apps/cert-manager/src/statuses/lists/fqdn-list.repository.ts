import type { FqdnSort, FqdnState, RenewalOwner } from '@certloop/contracts';
import { type Column, column, querySql, type SqlValue, type Tx } from '@certloop/db';
import { ownerLine, tagLine } from '../../fqdns/labels.js';
import type { SpaceScope } from '../../spaces/spaces.repository.js';
import { newestHas, renewedByCondition } from '../renewal-owner.repository.js';
import { noDate, stateCondition } from '../statuses.repository.js';

/** Conditions on FQDNs; undefined ones do not apply. */
export interface FqdnFilter {
  readonly scope: SpaceScope;
  /** Part of the name, in ASCII or Unicode, of the owner or of a tag. */
  readonly q?: string | undefined;
  /** In its normal form. */
  readonly fqdn?: string | undefined;
  /** The whole owner, in any case. */
  readonly owner?: string | undefined;
  readonly tag?: string | undefined;
  readonly state?: FqdnState | undefined;
  readonly renewalEnabled?: boolean | undefined;
  /** The provider of the next certificate. */
  readonly providerId?: string | undefined;
  readonly expiresFrom?: Date | undefined;
  readonly expiresBefore?: Date | undefined;
  readonly renewedBy?: RenewalOwner | undefined;
  /** Of the newest certificate, as the three below. */
  readonly issuer?: string | undefined;
  readonly key?: string | undefined;
  readonly authority?: string | undefined;
}

export interface SortedWindow {
  readonly sort: FqdnSort;
  readonly limit: number;
  /** Position of the last row of the previous page. */
  readonly after: { readonly at: Date | string; readonly id: string } | undefined;
}

/** Ids of a page in their order, each with its value in the sorted column. */
export interface IdPage {
  readonly rows: readonly { readonly id: string; readonly at: Date | string }[];
  readonly total: number;
  readonly hasMore: boolean;
}

/** The sorted columns; each has an index together with the id. */
const sortColumns: Readonly<Record<FqdnSort, string>> = {
  createdAt: 'f.created_at',
  attention: 's.attention_at',
  expiresAt: 's.expires_at',
  renewAt: 's.renew_at',
  fqdn: 's.fqdn',
};

const rowColumns: Readonly<Record<'moment' | 'name', { id: Column<string>; at: Column<Date | string> }>> = {
  moment: { id: column.uuid(), at: column.instant() as unknown as Column<Date | string> },
  name: { id: column.uuid(), at: column.text() as unknown as Column<Date | string> },
};

/** A page of the matching FQDNs; later pages cost no more than the first one. */
export async function readIdPage(
  tx: Tx,
  filter: FqdnFilter,
  window: SortedWindow,
  now: Date,
): Promise<IdPage> {
  const values: SqlValue[] = [];
  const text = selectPage(filter, window, now, values);
  const columns = rowColumns[window.sort === 'fqdn' ? 'name' : 'moment'];
  const found = await querySql<{ id: string; at: Date | string }>(tx, columns, text, values);
  const rows = found.slice(0, window.limit);
  const hasMore = found.length > window.limit;
  const isAll = !hasMore && window.after === undefined;
  return { rows, hasMore, total: isAll ? rows.length : await countIds(tx, filter, now) };
}

// SQLite joins at most 500 selections
const maxParts = 200;

function selectPage(filter: FqdnFilter, window: SortedWindow, now: Date, values: SqlValue[]): string {
  const { sort, limit, after } = window;
  const by = sortColumns[sort];
  const isByCreation = sort === 'createdAt';
  const { from, id, space } = isByCreation ? byCreation(filter) : byStatus;
  // one page for each space: sorting all spaces together would read every row of them
  const parts = partsOf(filter.scope).map((scope) => {
    const conditions = conditionsOf({ ...filter, scope }, { space, now }, values);
    if (isByCreation) conditions.push('s.id = f.id');
    if (isByCreation && filter.q !== undefined) {
      // an encoded name may match in Unicode, and labels may match; all others are excluded before their status is read
      const isNamed = `f.fqdn like ${partOf(filter.q, values)} escape '\\' or f.fqdn like '%xn--%'`;
      conditions.push(`(${isNamed} or f.owner is not null or f.tags is not null)`);
    }
    if (after !== undefined) {
      const at = `$${values.push(after.at)}`;
      conditions.push(`(${by}, ${id}) > (${at}, $${values.push(after.id)})`);
    }
    return `select ${id} as id, ${by} as at from ${from} ${whereOf(conditions)}
      order by ${by}, ${id} limit ${limit + 1}`;
  });
  const [only = ''] = parts;
  if (parts.length === 1) return only;
  const union = parts.map((part, index) => `select * from (${part}) as part${index}`).join(' union all ');
  return `select id, at from (${union}) as parts order by at, id limit ${limit + 1}`;
}

const byStatus = { from: 'fqdn_standings s', id: 's.id', space: 's.space_id' };

function byCreation({ state }: FqdnFilter): typeof byStatus {
  if (state !== 'failing') return { from: 'fqdns f, fqdn_standings s', id: 'f.id', space: 'f.space_id' };
  // SQLite reads the left side of a cross join first: the few with problems
  return { from: 'fqdn_standings s cross join fqdns f', id: 'f.id', space: 's.space_id' };
}

function partsOf(scope: SpaceScope): SpaceScope[] {
  if (scope === 'all' || scope.length < 2 || scope.length > maxParts) return [scope];
  return scope.map((id) => [id]);
}

async function countIds(tx: Tx, filter: FqdnFilter, now: Date): Promise<number> {
  const values: SqlValue[] = [];
  const conditions = conditionsOf(filter, { space: 's.space_id', now }, values);
  const text = `select count(*) as count from fqdn_standings s ${whereOf(conditions)}`;
  const [counted] = await querySql(tx, { count: column.bigint() }, text, values);
  return counted?.count ?? 0;
}

/** Conditions of the filter, whose values are added to `values`. */
export function conditionsOf(
  filter: FqdnFilter,
  { space, now }: { readonly space: string; readonly now: Date },
  values: SqlValue[],
): string[] {
  const { scope, q, fqdn, state, renewalEnabled, providerId, expiresFrom, expiresBefore } = filter;
  const place = (value: SqlValue) => `$${values.push(value)}`;
  const conditions: string[] = [];
  if (scope !== 'all') {
    const ids = scope.map(place);
    conditions.push(ids.length === 1 ? `${space} = ${ids[0]}` : `${space} in (${ids.join(', ') || 'null'})`);
  }
  if (q !== undefined) {
    const pattern = partOf(q, values);
    const columns = ['s.fqdn', 's.unicode_name', 's.labels'];
    conditions.push(`(${columns.map((name) => `${name} like ${pattern} escape '\\'`).join(' or ')})`);
  }
  if (fqdn !== undefined) conditions.push(`s.fqdn = ${place(fqdn)}`);
  for (const line of linesOf(filter)) {
    conditions.push(`s.labels like ${partOf(`\n${line}\n`, values)} escape '\\'`);
  }
  if (state !== undefined) conditions.push(`(${stateCondition(state, place(now))})`);
  if (renewalEnabled !== undefined) conditions.push(`s.renewal_enabled = ${place(renewalEnabled)}`);
  if (providerId !== undefined) conditions.push(`s.provider_id = ${place(providerId)}`);
  if (expiresFrom !== undefined) {
    conditions.push(`s.expires_at >= ${place(expiresFrom)} and s.expires_at < ${place(noDate)}`);
  }
  if (expiresBefore !== undefined) conditions.push(`s.expires_at < ${place(expiresBefore)}`);
  return [...conditions, ...certificateConditions(filter, place)];
}

/** Lines of `labelsText` that an FQDN must have. */
function linesOf({ owner, tag }: FqdnFilter): string[] {
  return [...(owner === undefined ? [] : [ownerLine(owner)]), ...(tag === undefined ? [] : [tagLine(tag)])];
}

/** Conditions on the newest certificate, which is looked up by its id for each FQDN that meets the others. */
function certificateConditions(
  { renewedBy, issuer, key, authority }: FqdnFilter,
  place: (value: SqlValue) => string,
): string[] {
  return [
    ...(renewedBy === undefined ? [] : [renewedByCondition(renewedBy)]),
    ...(issuer === undefined ? [] : [newestHas('issuer', place(issuer))]),
    ...(key === undefined ? [] : [newestHas('key_kind', place(key))]),
    ...(authority === undefined ? [] : [newestHas('authority_sha256', place(authority))]),
  ];
}

/** Placeholder for a `like` pattern of names that contain this part. */
function partOf(q: string, values: SqlValue[]): string {
  const part = q
    .normalize('NFC')
    .toLowerCase()
    .replace(/[\\%_]/g, '\\$&');
  return `$${values.push(`%${part}%`)}`;
}

export function whereOf(conditions: readonly string[]): string {
  return conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`;
}
