import { pageOptions } from '@certloop/web-kit';
import { useQueries, useQuery } from '@tanstack/react-query';
import { spaceQuery } from '../lookups.js';
import { api } from '../service.js';

const maxSpaces = 1_000;
const maxLookups = 50;

/** Query of the first spaces by their names, of those with the part `q` in it. */
export function spacesByName(q: string, limit: number) {
  const query = { sort: 'name', limit: String(limit), ...(q !== '' && { q }) } as const;
  return pageOptions(api.listSpaces, { query });
}

/** Names of spaces: of the first 1000 by one request, of the given others one by one, at most 50. */
export function useSpaceNames(spaceIds: readonly string[]) {
  const all = useQuery(spacesByName('', maxSpaces)).data;
  const spaces = all?.rows;
  const known = new Map(spaces?.map(({ id, name }) => [id, name]));
  const missing = all === undefined ? [] : spaceIds.filter((id) => !known.has(id)).slice(0, maxLookups);
  const looked = useQueries({ queries: missing.map(spaceQuery) });
  for (const { data } of looked) if (data !== undefined) known.set(data.id, data.name);
  return { spaces, nameOf: (id: string) => known.get(id) };
}

/** Names of a few spaces by their ids, each by a request of its own; at most 50 are asked for. */
export function useNamesOfSpaces(spaceIds: readonly string[]): ReadonlyMap<string, string> {
  const ids = [...new Set(spaceIds)].slice(0, maxLookups);
  const looked = useQueries({ queries: ids.map(spaceQuery) });
  return new Map(looked.flatMap(({ data }) => (data === undefined ? [] : [[data.id, data.name] as const])));
}
