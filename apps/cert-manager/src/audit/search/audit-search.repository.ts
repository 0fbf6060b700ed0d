import { column, querySql, type Tx } from '@certloop/db';
import { findAuditEnds, readEnds } from '../audit-extent.repository.js';
import { withUsernames } from '../audit-list.repository.js';
import { auditCondition, isInOrder } from './audit-condition.repository.js';
import type { AuditFilter, AuditScope } from './audit-filter.js';
import type { AuditEnds, AuditStretch } from './audit-stretches.js';

/** Where entries that a filter lets through may be, and the filter with its user names; undefined for nowhere. */
export interface AuditSearch {
  readonly filter: AuditFilter;
  readonly ends: AuditEnds | undefined;
}

/** Begins a search: the log between its ends, or between those of the time that is meant. */
export async function beginAuditSearch(tx: Tx, filter: AuditFilter): Promise<AuditSearch> {
  const { from, to } = filter;
  const isTimed = from !== undefined || to !== undefined;
  return {
    filter: await withUsernames(tx, filter),
    ends: await (isTimed ? findEndsWithin(tx, filter) : findAuditEnds(tx)),
  };
}

/** Clocks may have been wrong, so that times do not rise with positions: the index of times knows all of them. */
async function findEndsWithin(
  tx: Tx,
  { from, to }: Pick<AuditFilter, 'from' | 'to'>,
): Promise<AuditEnds | undefined> {
  const condition = auditCondition(
    { spaces: 'all', withUnplaced: true },
    { ...(from !== undefined && { from }), ...(to !== undefined && { to }) },
  );
  const text = `select min(id) as first, max(id) as last from audit_logs ${condition.where()}`;
  return readEnds(tx, text, condition.values);
}

/** Hits in a stretch of the log. */
export interface AuditHits {
  /** How many entries the filter lets through. */
  readonly total: number;
  /** How many of them come after a position in the order. */
  readonly beyond: number;
}

interface CountedStretch {
  readonly stretch: AuditStretch;
  readonly order: 'asc' | 'desc';
  readonly after: number | undefined;
}

/** Counts what the filter lets through in a stretch of the log. */
export async function countHits(
  tx: Tx,
  scope: AuditScope,
  filter: AuditFilter,
  { stretch, after, order }: CountedStretch,
): Promise<AuditHits> {
  const condition = auditCondition(scope, filter, isInOrder(scope, filter) ? 'index' : 'position');
  condition.add((at) => `id > ${at(stretch.above)} and id <= ${at(stretch.upTo)}`);
  const where = condition.where();
  const sign = order === 'asc' ? '>' : '<';
  const isBeyond = after === undefined ? '' : `filter (where id ${sign} $${condition.values.push(after)})`;
  const text = `select count(*) as total, count(*) ${isBeyond} as beyond from audit_logs ${where}`;
  const columns = { total: column.bigint(), beyond: column.bigint() };
  const [hits] = await querySql<AuditHits>(tx, columns, text, condition.values);
  return hits ?? { total: 0, beyond: 0 };
}
