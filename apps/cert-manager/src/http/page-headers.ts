import { formatListCursor, type ListPosition } from '@certloop/contracts';

/**
 * Headers of a page: how long the list is, and where the next page is (RFC 8288). `path` and `query` are those of
 * the request; what the query lacks is undefined.
 */
export function pageHeaders(
  { total, next }: { readonly total: number; readonly next: ListPosition | undefined },
  path: string,
  query: Readonly<Record<string, unknown>>,
): Readonly<Record<string, string>> {
  return listHeaders({ total, cursor: next && formatListCursor(next) }, path, query);
}

/** As pageHeaders, with the text of the cursor of the next page, if there is one. */
export function listHeaders(
  { total, cursor }: { readonly total: number; readonly cursor: string | undefined },
  path: string,
  query: Readonly<Record<string, unknown>>,
): Readonly<Record<string, string>> {
  const headers = { 'X-Total-Count': String(total) };
  if (cursor === undefined) return headers;
  const link = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (name !== 'cursor' && value !== undefined) link.set(name, String(value));
  }
  link.set('cursor', cursor);
  return { ...headers, Link: `<${path}?${link}>; rel="next"` };
}
