import { type CheckSort, type CheckStatus, InvalidInput } from '@certloop/contracts';
import { hasTags } from '../../checks/check.js';
import { type CheckSummary, compareTexts, nameKeyOf, rankOf, statusOf } from '../../checks/check-summary.js';
import type { Micros } from '../../instants.js';

/** Filter of a list of checks, and the requested page of it. */
export interface CheckPageQuery {
  /** Part of the name, the slug or the tags, in any case. */
  readonly q?: string | undefined;
  readonly slug?: string | undefined;
  /** All of them. */
  readonly tags: readonly string[];
  /** Any of them; any status when empty. `started` is a check whose job runs. */
  readonly statuses: readonly (CheckStatus | 'started')[];
  /** Ids of the checks that an integration is assigned to; any check when undefined. */
  readonly ids?: ReadonlySet<number> | undefined;
  readonly sort: CheckSort;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** A check in a list, with its status at the moment of the list. */
export interface RankedCheck {
  readonly check: CheckSummary;
  readonly status: CheckStatus;
}

export interface CheckPage {
  readonly rows: readonly RankedCheck[];
  /** All that match, also those of other pages. */
  readonly total: number;
  /** Where the next page begins; undefined after the last one. */
  readonly next: string | undefined;
}

/** Filter of a list of checks, without its order and its pages. */
export type CheckCondition = Omit<CheckPageQuery, 'sort' | 'limit' | 'cursor'>;

/** The checks that match. */
export function checksMatching(
  checks: readonly CheckSummary[],
  condition: CheckCondition,
  now: Micros,
): readonly CheckSummary[] {
  return isAny(condition) ? checks : checks.filter(matcherOf(condition, now));
}

/** A page of the checks that match, in their order. Throws InvalidInput for a cursor that is not of a list with this sort. */
export function pageOfChecks(
  found: readonly CheckSummary[],
  { sort, limit, cursor }: Pick<CheckPageQuery, 'sort' | 'limit' | 'cursor'>,
  now: Micros,
): CheckPage {
  const after = cursor === undefined ? undefined : parsePosition(cursor, sort);
  const start = after === undefined ? 0 : countUpTo(found, (check) => positionOf(check, sort, now), after);
  const rows = found.slice(start, start + limit).map((check) => ({ check, status: statusOf(check, now) }));
  const last = rows.at(-1);
  const hasMore = start + limit < found.length && last !== undefined;
  const next = hasMore ? formatPosition(sort, positionOf(last.check, sort, now)) : undefined;
  return { rows, total: found.length, next };
}

/** Number of checks, which are in the order of their positions, that are not after a position. */
function countUpTo(
  checks: readonly CheckSummary[],
  placeOf: (check: CheckSummary) => Position,
  position: Position,
): number {
  let [low, high] = [0, checks.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const check = checks[middle];
    if (check !== undefined && comparePositions(placeOf(check), position) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

function isAny({ q, slug, tags, statuses, ids }: CheckCondition): boolean {
  const isUnnamed = (q?.trim() ?? '') === '' && slug === undefined;
  return isUnnamed && tags.length === 0 && statuses.length === 0 && ids === undefined;
}

function matcherOf(
  { q, slug, tags, statuses, ids }: CheckCondition,
  now: Micros,
): (check: CheckSummary) => boolean {
  const part = q?.trim().toLowerCase() ?? '';
  const wanted = new Set(tags);
  return (check) =>
    (ids === undefined || ids.has(check.id)) &&
    (slug === undefined || check.slug === slug) &&
    (statuses.length === 0 ||
      statuses.includes(statusOf(check, now)) ||
      (check.lastStart !== null && statuses.includes('started'))) &&
    hasTags(check.tags, wanted) &&
    (part === '' || `${check.name}\n${check.slug}\n${check.tags}`.toLowerCase().includes(part));
}

/** Place of a check in the order of a list. */
type Position = readonly [rank: number, name: string, id: number];

function positionOf(check: CheckSummary, sort: CheckSort, now: Micros): Position {
  if (sort === 'created') return [0, '', check.id];
  return [sort === 'attention' ? rankOf(statusOf(check, now)) : 0, nameKeyOf(check), check.id];
}

function comparePositions(one: Position, other: Position): number {
  return one[0] - other[0] || compareTexts(one[1], other[1]) || one[2] - other[2];
}

function formatPosition(sort: CheckSort, position: Position): string {
  return Buffer.from(JSON.stringify([sort, ...position])).toString('base64url');
}

function parsePosition(cursor: string, sort: CheckSort): Position {
  const [word, rank, name, id] = valuesIn(cursor);
  if (word === sort && typeof rank === 'number' && typeof name === 'string' && typeof id === 'number')
    return [rank, name, id];
  throw new InvalidInput(
    'cursor: must be a cursor from the header Link of a previous page with the same sort',
  );
}

function valuesIn(cursor: string): readonly unknown[] {
  try {
    const values: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    return Array.isArray(values) ? values : [];
  } catch {
    return [];
  }
}
