import type { accountChecksContract, QueryOf } from '@certloop/contracts';
import { filterOf } from '../checks/check-filter.js';

type ListQuery = QueryOf<typeof accountChecksContract.listAccountChecks>;

/** Without query parameters of pages, the response is the whole list, as in earlier versions. */
export function isPaged({ slug: _slug, tag: _tag, ...others }: ListQuery): boolean {
  return Object.values(others).some((value) => value !== undefined);
}

export function pageQueryOf(query: ListQuery) {
  const { q, status = [], channel, sort = 'created', limit = 100, cursor, include } = query;
  const paging = { q, statuses: status, channel, sort, limit, cursor };
  return { ...filterOf(query), ...paging, hasState: include === 'state' };
}

/** Headers with the number of matches and the link to the next page (RFC 8288). */
export function pageHeaders(
  { total, next }: { readonly total: number; readonly next: string | undefined },
  path: string,
  query: ListQuery,
): Readonly<Record<string, string>> {
  const headers = { 'X-Total-Count': String(total) };
  if (next === undefined) return headers;
  const link = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...query, cursor: next })) {
    for (const one of [value ?? []].flat()) link.append(name, String(one));
  }
  return { ...headers, Link: `<${path}?${link}>; rel="next"` };
}
