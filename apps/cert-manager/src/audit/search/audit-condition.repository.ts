import type { SqlValue } from '@certloop/db';
import { type AuditFilter, type AuditScope, administrativeTypes } from './audit-filter.js';
import { auditText } from './text-index.repository.js';

/**
 * How the entries are found. `index` lets the database choose an index of a filter. `position` hides the indexes whose
 * entries it would have to sort, so that it reads the log in its order. PostgreSQL needs no hint, as it knows how often
 * values occur.
 */
export type AuditAccess = 'index' | 'position';

/** Conditions that must all hold, as SQL with its values. */
export class AuditCondition {
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

/** The condition that the entries of the scope meet, and that the filter asks for. */
export function auditCondition(
  scope: AuditScope,
  filter: AuditFilter,
  access: AuditAccess = 'index',
): AuditCondition {
  const condition = new AuditCondition();
  const column = (name: string) => (access === 'index' ? name : `coalesce(${name}, ${name})`);
  addScope(condition, scope, column);
  addEqualities(condition, filter);
  addRanges(condition, filter, column);
  return condition;
}

/** Whether an index of a filter gives the entries in the order of their positions, as each ends with it. */
export function isInOrder({ ownUserId }: AuditScope, filter: AuditFilter): boolean {
  const { actionPrefix, usernames, ipRange, from, to } = filter;
  const isRange = [actionPrefix, ipRange, from, to].some((part) => part !== undefined);
  return ownUserId === undefined && !isRange && (usernames ?? []).length <= 1;
}

type ColumnName = (name: string) => string;

function addScope(
  condition: AuditCondition,
  { ownUserId, spaces, withUnplaced }: AuditScope,
  column: ColumnName,
): void {
  if (ownUserId === undefined) return;
  condition.add((at) => {
    const alternatives = ownUserId === null ? ['1 = 0'] : [`${column('user_id')} = ${at(ownUserId)}`];
    if (spaces === 'all') alternatives.push(`${column('space_id')} is not null`);
    else if (spaces.length > 0) {
      alternatives.push(`${column('space_id')} in (${spaces.map(at).join(', ')})`);
    }
    if (withUnplaced) {
      alternatives.push(`${column('resource_type')} not in (${administrativeTypes.map(at).join(', ')})`);
    }
    return `(${alternatives.join(' or ')})`;
  });
}

function addEqualities(condition: AuditCondition, filter: AuditFilter): void {
  for (const [name, property] of equalities) {
    const value = filter[property];
    if (value !== undefined) condition.add((at) => `${name} = ${at(value)}`);
  }
  const { usernames } = filter;
  if (usernames !== undefined) {
    condition.add((at) => `username in (${usernames.map(at).join(', ') || 'null'})`);
  }
}

const equalities = [
  ['action', 'action'],
  ['resource_type', 'resourceType'],
  ['resource_id', 'resourceId'],
  ['user_id', 'userId'],
  ['user_id', 'placedUserId'],
  ['space_id', 'spaceId'],
  ['outcome', 'outcome'],
] as const;

function addRanges(condition: AuditCondition, filter: AuditFilter, column: ColumnName): void {
  const { actionPrefix, ipRange, from, to, text } = filter;
  if (actionPrefix !== undefined) addPrefix(condition, actionPrefix, column);
  if (ipRange !== undefined) {
    condition.add((at) => `${column('ip_key')} between ${at(ipRange.first)} and ${at(ipRange.last)}`);
  }
  if (from !== undefined) condition.add((at) => `${column('timestamp')} >= ${at(from)}`);
  if (to !== undefined) condition.add((at) => `${column('timestamp')} < ${at(to)}`);
  if (text !== undefined) addText(condition, text);
}

/** Details are stored as JSON, whose strings escape some characters: the search looks for both spellings. */
function addText(condition: AuditCondition, text: string): void {
  const cases = isAscii(text) ? [text] : [text, text.toLowerCase(), text.toUpperCase()];
  const spellings = new Set(cases.flatMap((one) => [one, JSON.stringify(one).slice(1, -1)]));
  condition.add((at) => {
    const alternatives = [...spellings].map((spelling) => {
      const pattern = `%${spelling.replace(/[\\%_]/g, '\\$&')}%`;
      return `${auditText} like lower(${at(pattern)}) escape '\\'`;
    });
    return `(${alternatives.join(' or ')})`;
  });
}

function isAscii(text: string): boolean {
  return !/[^\0-\x7f]/.test(text);
}

/** Actions are plain ASCII, and both databases order them by their octets: a prefix is a range of the index. */
function addPrefix(condition: AuditCondition, prefix: string, column: ColumnName): void {
  if (!/^[ -}]+$/.test(prefix)) {
    condition.add((at) => `substr(action, 1, ${prefix.length}) = ${at(prefix)}`);
    return;
  }
  const end = prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1);
  condition.add((at) => `${column('action')} >= ${at(prefix)} and ${column('action')} < ${at(end)}`);
}
