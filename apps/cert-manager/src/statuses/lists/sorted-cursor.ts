import type { ListPosition, SortedPosition } from '@certloop/contracts';
import { invalidField } from '../../http/problem.js';

/** The position of a cursor, if there is one. Throws InvalidInput where it is of another sort than the list. */
export function positionIn(
  cursor: SortedPosition | undefined,
  { sort, isText }: { readonly sort: string; readonly isText: boolean },
): SortedPosition | undefined {
  if (cursor === undefined) return undefined;
  if (cursor.sort === sort && (typeof cursor.at === 'string') === isText) return cursor;
  const message = `is of a list sorted by ${cursor.sort}; start again without it, or ask for sort=${cursor.sort}`;
  throw invalidField('query.cursor', message, 'other_sort');
}

/** The window of a request that asks for no more than the plain list; undefined for any other. */
export function plainWindow({
  limit,
  cursor,
  ...others
}: {
  readonly limit?: number | undefined;
  readonly cursor?: SortedPosition | undefined;
}): { readonly limit: number | undefined; readonly cursor?: ListPosition } | undefined {
  if (Object.values(others).some((value) => value !== undefined)) return undefined;
  if (cursor === undefined) return { limit };
  const { sort, at, id } = cursor;
  return sort === 'createdAt' && at instanceof Date ? { limit, cursor: { at, id } } : undefined;
}
