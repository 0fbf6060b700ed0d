import { hashKey, type UseInfiniteQueryResult, useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import type { ListOptions } from '../../operations/list-options.js';
import type { live, QueryTimes } from '../../service/activity.browser.js';

/**
 * Rows of a list, page by page; `more` loads the next one, and is absent after the last. If only the end of the key
 * changes, such as a search, the rows stay until the new ones are there. With `refresh`, the
 * first page is loaded again and again; later pages stay as they are while they are shown.
 */
export function useList<Row>(
  { queryKey: key, meta, load }: ListOptions<Row>,
  refresh?: ReturnType<typeof live>,
) {
  const query = useInfiniteQuery({
    queryKey: key,
    meta,
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
  return { query, rows, total: pages?.at(-1)?.total, ...useMore(query, key) };
}

/**
 * The way to the next page. A load of the pages before it, such as after a change by others, and the load of the next one
 * would end each other, so the next page waits for the former and is asked for again after it.
 */
function useMore(query: NextPageQuery, key: readonly unknown[]) {
  const [wanted, setWanted] = useState<{ readonly after: string; readonly failures: number }>();
  const pageCount = query.data?.pages.length ?? 0;
  const here = hashKey([key, pageCount]);
  const isWanted = wanted?.after === here && wanted.failures === query.errorUpdateCount && query.hasNextPage;
  const { fetchStatus, fetchNextPage } = query;
  useEffect(() => {
    if (isWanted && fetchStatus === 'idle') void fetchNextPage();
  }, [isWanted, fetchStatus, fetchNextPage]);
  const askForMore = () => {
    // the rows of another search may stand in for those of this one
    if (!query.isPlaceholderData) setWanted({ after: here, failures: query.errorUpdateCount });
  };
  return {
    more: query.hasNextPage ? askForMore : undefined,
    isLoadingMore: isWanted || query.isFetchingNextPage,
  };
}

type NextPageQuery = Pick<
  UseInfiniteQueryResult<{ readonly pages: readonly unknown[] }>,
  | 'data'
  | 'hasNextPage'
  | 'fetchStatus'
  | 'fetchNextPage'
  | 'isFetchingNextPage'
  | 'isPlaceholderData'
  | 'errorUpdateCount'
>;

interface LoadedPages extends QueryTimes {
  readonly state: QueryTimes['state'] & {
    readonly data: { readonly pages: readonly unknown[] } | undefined;
  };
}

/** Whether two keys begin with the same kind and id. */
function isSameOwner(one: readonly unknown[] | undefined, other: readonly unknown[]): boolean {
  return one !== undefined && one[0] === other[0] && one[1] === other[1];
}
