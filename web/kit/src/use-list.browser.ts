import { useInfiniteQuery } from '@tanstack/react-query';
import type { ListPage } from './list-page.js';

/** Rows of a list, page by page; `more` loads the next one, and is absent after the last. */
export function useList<Row>(
  key: readonly unknown[],
  load: (cursor: string | undefined, signal: AbortSignal) => Promise<ListPage<Row>>,
) {
  const query = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }) => load(pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next,
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
