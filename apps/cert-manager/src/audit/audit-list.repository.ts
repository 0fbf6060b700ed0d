import { column, querySql, type SqlValue, type Tx } from '@certloop/db';
import { auditLogs } from './audit.repository.js';
import type { AuditLogRow } from './audit-entry.js';
import { type AuditFilter, type AuditScope, administrativeTypes } from './audit-filter.js';

export interface AuditWindow {
  readonly order: 'asc' | 'desc';
  readonly limit: number;
  readonly offset: number;
  /** Only entries that come after this position in the order; cheap however deep. */
  readonly after?: number;
  /** Only entries up to this position. */
  readonly upTo?: number;
}

export interface AuditPage {
  readonly rows: AuditLogRow[];
  /** How many entries the filter lets through, whatever the window. */
  readonly total: number;
}

/** A window on the visible entries, in the order of their positions, and how many there are without it. */
export async function findAuditPage(
  tx: Tx,
  scope: AuditScope,
  filter: AuditFilter,
  window: AuditWindow,
): Promise<AuditPage> {
  const condition = conditionOf(scope, filter);
  const [counted] = await querySql<{ total: number }>(
    tx,
    { total: column.bigint() },
    `select count(*) as total from audit_logs ${condition.where()}`,
    condition.values,
  );
  return { rows: await findAuditRows(tx, scope, filter, window), total: counted?.total ?? 0 };
}

/** The same without counting. */
export async function findAuditRows(
  tx: Tx,
  scope: AuditScope,
  filter: AuditFilter,
  { order, limit, offset, after, upTo }: AuditWindow,
): Promise<AuditLogRow[]> {
  const condition = conditionOf(scope, filter);
  if (after !== undefined) condition.add((at) => `id ${order === 'asc' ? '>' : '<'} ${at(after)}`);
  if (upTo !== undefined) condition.add((at) => `id <= ${at(upTo)}`);
  return querySql(
    tx,
    auditLogs.columns,
    `select * from audit_logs ${condition.where()} order by id ${order} limit ${limit} offset ${offset}`,
    condition.values,
  );
}

function conditionOf(scope: AuditScope, filter: AuditFilter): Condition {
  const condition = new Condition();
  addScope(condition, scope);
  addFilter(condition, filter);
  return condition;
}

/** Conditions that must all hold, with their values. */
class Condition {
  readonly values: SqlValue[] = [];
  private readonly parts: string[] = [];

  /** `at` takes a value and gives its placeholder. */
  add(part: (at: (value: SqlValue) => string) => string): void {
    this.parts.push(part((value) => `$${this.values.push(value)}`));
  }

  where(): string {
    return this.parts.length === 0 ? '' : `where ${this.parts.join(' and ')}`;
  }
}

function addScope(condition: Condition, { ownUserId, spaces, withUnplaced }: AuditScope): void {
  if (ownUserId === undefined) return;
  condition.add((at) => {
    const alternatives = [`user_id = ${at(ownUserId)}`];
    if (spaces === 'all') alternatives.push('space_id is not null');
    else if (spaces.length > 0) alternatives.push(`space_id in (${spaces.map(at).join(', ')})`);
    if (withUnplaced) alternatives.push(`resource_type not in (${administrativeTypes.map(at).join(', ')})`);
    return `(${alternatives.join(' or ')})`;
  });
}

function addFilter(condition: Condition, filter: AuditFilter): void {
  const { actionPrefix, username, ipRange, from, to, text } = filter;
  for (const [name, property] of equalities) {
    const value = filter[property];
    if (value !== undefined) condition.add((at) => `${name} = ${at(value)}`);
  }
  if (actionPrefix !== undefined) {
    condition.add((at) => `substr(action, 1, ${actionPrefix.length}) = ${at(actionPrefix)}`);
  }
  if (username !== undefined) condition.add((at) => `lower(username) = ${at(username.toLowerCase())}`);
  if (ipRange !== undefined) {
    condition.add((at) => `ip_key between ${at(ipRange.first)} and ${at(ipRange.last)}`);
  }
  if (from !== undefined) condition.add((at) => `timestamp >= ${at(from)}`);
  if (to !== undefined) condition.add((at) => `timestamp < ${at(to)}`);
  if (text !== undefined) {
    const pattern = `%${text.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`;
    condition.add((at) => `lower(cast(details as text)) like ${at(pattern)} escape '\\'`);
  }
}

const equalities = [
  ['action', 'action'],
  ['resource_type', 'resourceType'],
  ['resource_id', 'resourceId'],
  ['user_id', 'userId'],
  ['space_id', 'spaceId'],
  ['outcome', 'outcome'],
] as const;
