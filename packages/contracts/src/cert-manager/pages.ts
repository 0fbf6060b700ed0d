import { z } from 'zod';
import * as scalars from '../scalars.js';

/** A place in a list that is sorted by a moment and, where that is the same, by id. */
export interface ListPosition {
  readonly at: Date;
  /** Uuid in lower case. */
  readonly id: string;
}

/** Text of a position, which is opaque to clients. */
export function formatListCursor({ at, id }: ListPosition): string {
  return btoa(`${at.getTime()}.${id}`).replaceAll('=', '');
}

const positionText = /^(\d{1,13})\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** The position of a cursor; undefined for any other text. */
function parseListCursor(text: string): ListPosition | undefined {
  if (!/^[A-Za-z0-9+/]{1,100}$/.test(text)) return undefined;
  try {
    const [, ms, id] = positionText.exec(atob(text)) ?? [];
    return ms === undefined || id === undefined ? undefined : { at: new Date(Number(ms)), id };
  } catch {
    // a length that no Base64 has
    return undefined;
  }
}

const listCursor = z
  .string()
  .transform((text, context) => {
    const position = parseListCursor(text);
    if (position !== undefined) return position;
    context.addIssue({ code: 'custom', message: 'must be a cursor from the header Link of a previous page' });
    return z.NEVER;
  })
  .meta({ type: 'string' });

/** Longest page of a list. */
export const maxPageSize = 1000;

/** Query of a list: the whole of it without either, else a page of `limit` after the place of `cursor`. */
export const pageQuery = {
  limit: scalars.optionalQueryInteger(1, maxPageSize),
  cursor: listCursor.optional(),
};

/** Query of a list in the order of storing: the oldest first unless `order=desc` asks for the newest. */
export const storedPageQuery = { ...pageQuery, order: z.enum(['asc', 'desc']).optional() };

/** A place in a list by the sort that it was read in and, where that is the same, by id. */
export interface SortedPosition {
  readonly sort: string;
  readonly at: Date | string;
  /** Uuid in lower case. */
  readonly id: string;
}

/** Text of a position in a list with several sorts; by creation it is that of every list. */
export function formatSortedCursor({ sort, at, id }: SortedPosition): string {
  if (sort === 'createdAt' && at instanceof Date) return formatListCursor({ at, id });
  const value = at instanceof Date ? `t${at.getTime()}` : `n${encodeURIComponent(at)}`;
  return btoa(`${sort}:${value}.${id}`).replaceAll('=', '');
}

const sortedText =
  /^([a-zA-Z]{1,20}):(?:t(\d{1,15})|n([\w.!~*'()%-]{0,2000}))\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

function parseSortedCursor(text: string): SortedPosition | undefined {
  const created = parseListCursor(text);
  if (created !== undefined) return { sort: 'createdAt', ...created };
  if (!/^[A-Za-z0-9+/]{1,3000}$/.test(text)) return undefined;
  try {
    const [, sort, ms, name, id] = sortedText.exec(atob(text)) ?? [];
    if (sort === undefined || id === undefined) return undefined;
    const at = ms === undefined ? decodeURIComponent(name ?? '') : new Date(Number(ms));
    return at instanceof Date && Number.isNaN(at.getTime()) ? undefined : { sort, at, id };
  } catch {
    // a length that no Base64 has, or a name that no one encoded
    return undefined;
  }
}

const sortedCursor = z
  .string()
  .transform((text, context) => {
    const position = parseSortedCursor(text);
    if (position !== undefined) return position;
    context.addIssue({ code: 'custom', message: 'must be a cursor from the header Link of a previous page' });
    return z.NEVER;
  })
  .meta({ type: 'string' });

/** Query of a list with several sorts; a cursor is of the sort that it was read in. */
export const sortedPageQuery = { limit: pageQuery.limit, cursor: sortedCursor.optional() };
