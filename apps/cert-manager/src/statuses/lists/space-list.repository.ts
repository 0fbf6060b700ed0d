import type { PolicyPresence, SpaceSort } from '@certloop/contracts';
import { type Column, column, querySql, type SqlValue, type Tx } from '@certloop/db';
import { isLimited } from '../../fqdns/policy/space-policies.repository.js';
import type { SpaceScope } from '../../spaces/spaces.repository.js';
import { noDate } from '../statuses.repository.js';
import { type IdPage, whereOf } from './fqdn-list.repository.js';

export interface SpaceFilter {
  readonly scope: SpaceScope;
  /** Part of the name. */
  readonly q?: string | undefined;
  /** Whether an issuance policy limits the space. */
  readonly policy?: PolicyPresence | undefined;
}

export interface SpaceWindow {
  readonly sort: SpaceSort;
  readonly limit: number;
  /** Of the last row of the page before. */
  readonly after: { readonly at: Date | string; readonly id: string } | undefined;
}

interface SortedBy {
  /** SQL of what the sort goes by; `never` is the placeholder of that moment. */
  readonly by: (never: string) => string;
  readonly at: Column<Date | string>;
}

const moment = column.instant() as unknown as Column<Date | string>;
const sorts: Readonly<Record<SpaceSort, SortedBy>> = {
  createdAt: { by: () => 'p.created_at', at: moment },
  name: { by: () => 'lower(p.name)', at: column.text() as unknown as Column<Date | string> },
  attention: {
    // the first of an index
    by: (last) =>
      `coalesce((select min(s.attention_at) from fqdn_standings s where s.space_id = p.id), ${last})`,
    at: moment,
  },
};

/** A page of the spaces that pass the filter. */
export async function readSpaceIdPage(
  tx: Tx,
  filter: SpaceFilter,
  { sort, limit, after }: SpaceWindow,
): Promise<IdPage> {
  const values: SqlValue[] = [];
  const conditions = conditionsOf(filter, values);
  const common = [...conditions];
  const countValues = [...values];
  const { by, at } = sorts[sort];
  const order = by(sort === 'attention' ? `$${values.push(noDate)}` : '');
  if (after !== undefined) {
    const position = `$${values.push(after.at)}`;
    conditions.push(`(${order}, p.id) > (${position}, $${values.push(after.id)})`);
  }
  const text = `select p.id, ${order} as at from spaces p ${whereOf(conditions)}
    order by ${order}, p.id limit ${limit + 1}`;
  const found = await querySql<{ id: string; at: Date | string }>(
    tx,
    { id: column.uuid(), at },
    text,
    values,
  );
  const rows = found.slice(0, limit);
  const hasMore = found.length > limit;
  if (!hasMore && after === undefined) return { rows, hasMore, total: rows.length };
  const counting = `select count(*) as count from spaces p ${whereOf(common)}`;
  const [counted] = await querySql(tx, { count: column.bigint() }, counting, countValues);
  return { rows, hasMore, total: counted?.count ?? 0 };
}

function conditionsOf({ scope, q, policy }: SpaceFilter, values: SqlValue[]): string[] {
  const place = (value: SqlValue) => `$${values.push(value)}`;
  const conditions: string[] = [];
  if (scope !== 'all') conditions.push(`p.id in (${scope.map(place).join(', ') || 'null'})`);
  if (q !== undefined) {
    const part = `%${q.normalize('NFC').replace(/[\\%_]/g, '\\$&')}%`;
    // databases lower no more than ASCII
    const likes = [`lower(p.name) like ${place(part.toLowerCase())}`, `p.name like ${place(part)}`];
    conditions.push(`(${likes.map((like) => `${like} escape '\\'`).join(' or ')})`);
  }
  if (policy !== undefined) conditions.push(`${policy === 'set' ? '' : 'not '}${isLimited('p.id')}`);
  return conditions;
}
