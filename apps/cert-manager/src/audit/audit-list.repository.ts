import { capabilitiesOf, column, querySql, type Tx } from '@certloop/db';
import { auditLogs, listAuditUsernames } from './audit.repository.js';
import type { AuditLogRow } from './audit-entry.js';
import { findAuditEnds, findHorizon } from './audit-extent.repository.js';
import { auditCondition, isInOrder } from './search/audit-condition.repository.js';
import type { AuditCounts } from './search/audit-counts.store.js';
import type { AuditFilter, AuditScope } from './search/audit-filter.js';
import type { AuditEnds } from './search/audit-stretches.js';

export interface AuditWindow {
  readonly order: 'asc' | 'desc';
  readonly limit: number;
  readonly offset: number;
  /** Only entries after this position in the order; equally cheap at any depth. */
  readonly after?: number;
  /** Only entries up to this position. */
  readonly upTo?: number;
  /** Only entries above this position. */
  readonly above?: number;
}

export interface AuditPage {
  readonly rows: AuditLogRow[];
  /** Number of entries that match the filter, independent of the window. */
  readonly total: number;
}

/** One page of the visible entries, ordered by position, with the total of the filter. */
export async function findAuditPage(
  tx: Tx,
  counts: AuditCounts,
  scope: AuditScope,
  { filter, window }: { readonly filter: AuditFilter; readonly window: AuditWindow },
): Promise<AuditPage> {
  const resolved = await withUsernames(tx, filter);
  const ends = await findAuditEnds(tx);
  const total = ends === undefined ? 0 : await countAudit(tx, counts, { scope, filter: resolved, ends });
  if (ends === undefined || window.offset >= total) return { rows: [], total };
  const isWhole = scope.ownUserId === undefined && Object.keys(filter).length === 0;
  const direct = isWhole && isDense(ends, total) ? withoutOffset(window, ends) : window;
  return { rows: await findAuditRows(tx, scope, resolved, { ...direct, total }), total };
}

function isDense({ first, last }: AuditEnds, total: number): boolean {
  return last - first + 1 === total;
}

/** The same window for a log without gaps: the offset becomes a position, so no rows are skipped one by one. */
function withoutOffset(window: AuditWindow, { first, last }: AuditEnds): AuditWindow {
  const { order, offset, after } = window;
  if (after !== undefined || offset === 0) return window;
  const start = order === 'asc' ? { after: first + offset - 1 } : { upTo: last - offset };
  return { ...window, ...start, offset: 0 };
}

/** The filter with all spellings of its user name: there are few names, and the index finds only exact ones. */
export async function withUsernames(tx: Tx, filter: AuditFilter): Promise<AuditFilter> {
  const wanted = filter.username?.toLowerCase();
  if (wanted === undefined) return filter;
  const names = await listAuditUsernames(tx);
  return { ...filter, usernames: names.filter((name) => name.toLowerCase() === wanted) };
}

async function countAudit(
  tx: Tx,
  counts: AuditCounts,
  {
    scope,
    filter,
    ends,
  }: { readonly scope: AuditScope; readonly filter: AuditFilter; readonly ends: AuditEnds },
): Promise<number> {
  const count = async ({ above, upTo }: { readonly above: number; readonly upTo: number }) => {
    const condition = auditCondition(scope, filter);
    if (above >= ends.first) condition.add((at) => `id > ${at(above)}`);
    if (upTo < ends.last) condition.add((at) => `id <= ${at(upTo)}`);
    const text = `select count(*) as total from audit_logs ${condition.where()}`;
    const [counted] = await querySql(tx, { total: column.bigint() }, text, condition.values);
    return counted?.total ?? 0;
  };
  // the details of an entry may change
  if (filter.text !== undefined) return count({ above: 0, upTo: ends.last });
  return counts.total(JSON.stringify([scope, filter]), ends, count, await findHorizon(tx));
}

// above this, scanning the log finds a page faster than sorting the rows of an index
const maxSorted = 100_000;

interface CountedWindow extends AuditWindow {
  /** Number of entries that match the filter, if known. */
  readonly total?: number;
}

/** One page as above, without the total; `filter` comes from `withUsernames`. */
export function findAuditRows(
  tx: Tx,
  scope: AuditScope,
  filter: AuditFilter,
  { order, limit, offset, after, upTo, above, total }: CountedWindow,
): Promise<AuditLogRow[]> {
  const isSorted = !isInOrder(scope, filter) && total !== undefined && total <= maxSorted;
  const byIndex = isSorted || isInOrder(scope, filter) || capabilitiesOf(tx).plansByStatistics;
  const condition = auditCondition(scope, filter, byIndex ? 'index' : 'position');
  if (after !== undefined) condition.add((at) => `id ${order === 'asc' ? '>' : '<'} ${at(after)}`);
  if (upTo !== undefined) condition.add((at) => `id <= ${at(upTo)}`);
  if (above !== undefined) condition.add((at) => `id > ${at(above)}`);
  const where = condition.where();
  const window = `order by id ${order} limit ${limit} offset ${offset}`;
  const text = isSorted
    ? `with hits as materialized (select id from audit_logs ${where})
       select * from audit_logs where id in (select id from hits ${window}) order by id ${order}`
    : `select * from audit_logs ${where} ${window}`;
  return querySql(tx, auditLogs.columns, text, condition.values);
}
