import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { live, QueryTimes } from '../../activity.browser.js';
import type { ListPage } from './list-page.js';

/**
 * Rows of a list, page by page; `more` loads the next one, and is absent after the last. If only the end of the key
 * changes, such as a search, the rows stay until the new ones are there. With `refresh`, the
 * first page is loaded again and again; later pages stay as they are while they are shown.
 */
export function useList<Row>(
  key: readonly unknown[],
  load: (cursor: string | undefined, signal: AbortSignal) => Promise<ListPage<Row>>,
  refresh?: ReturnType<typeof live>,
) {
  const query = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }) => load(pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next,
    // rows of another project or space would be wrong
    placeholderData: (before, query) => (isSameOwner(query?.queryKey, key) ? before : undefined),
    ...(refresh !== undefined && {
      ...refresh,
      // several pages would be several requests each time
      refetchInterval: (query: LoadedPages) =>
        (query.state.data?.pages.length ?? 0) > 1 ? false : refresh.refetchInterval(query),
    }),
  });
  const pages = query.data?.pages;
  const rows: readonly Row[] | undefined = useMemo(() => pages?.flatMap((page) => page.rows), [pages]);
  return {
    query,
    rows,
    total: pages?.at(-1)?.total,
    more: query.hasNextPage ? () => void query.fetchNextPage() : undefined,
    isLoadingMore: query.isFetchingNextPage,
  };
}

interface LoadedPages extends QueryTimes {
  readonly state: QueryTimes['state'] & {
    readonly data: { readonly pages: readonly unknown[] } | undefined;
  };
}

/** Whether two keys begin with the same kind and id. */
function isSameOwner(one: readonly unknown[] | undefined, other: readonly unknown[]): boolean {
  return one !== undefined && one[0] === other[0] && one[1] === other[1];
}
