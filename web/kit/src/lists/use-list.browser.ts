import { useInfiniteQuery } from '@tanstack/react-query';
import type { ListPage } from './list-page.js';

/**
 * Rows of a list, page by page; `more` loads the next one, and is absent after the last. If only the end of the key
 * changes, such as a search, the rows stay until the new ones are there. All pages are loaded again every `refetchMs`
 * milliseconds, if given.
 */
export function useList<Row>(
  key: readonly unknown[],
  load: (cursor: string | undefined, signal: AbortSignal) => Promise<ListPage<Row>>,
  refetchMs?: number,
) {
  const query = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }) => load(pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next,
    // rows of another project or space would be wrong
    placeholderData: (before, query) => (isSameOwner(query?.queryKey, key) ? before : undefined),
    ...(refetchMs === undefined ? {} : { refetchInterval: refetchMs }),
  });
  const pages = query.data?.pages;
  return {
    query,
    rows: pages?.flatMap(({ rows }) => rows),
    total: pages?.at(-1)?.total,
    more: query.hasNextPage ? () => void query.fetchNextPage() : undefined,
    isLoadingMore: query.isFetchingNextPage,
  };
}

/** Whether two keys begin with the same kind and id. */
function isSameOwner(one: readonly unknown[] | undefined, other: readonly unknown[]): boolean {
  return one !== undefined && one[0] === other[0] && one[1] === other[1];
}
