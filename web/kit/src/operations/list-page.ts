/** One page of a list as a service answered it. */
export interface ListPage<Row> {
  readonly rows: readonly Row[];
  /** All that match, also those of other pages; undefined where the service does not count. */
  readonly total: number | undefined;
  /** Where the next page begins; undefined after the last one. */
  readonly next: string | undefined;
}

/** The page in an answer: `X-Total-Count`, and the cursor in `Link` with `rel="next"` (RFC 8288). */
export function listPageOf<Row>(
  rows: readonly Row[],
  headers: Readonly<Record<string, string>> = {},
): ListPage<Row> {
  const total = headers['x-total-count'];
  return {
    rows,
    total: total !== undefined && /^\d+$/.test(total) ? Number(total) : undefined,
    next: cursorIn(headers['link'] ?? ''),
  };
}

function cursorIn(link: string): string | undefined {
  const [, target] = /<([^>]*)>\s*;\s*rel="?next"?/.exec(link) ?? [];
  if (target === undefined) return undefined;
  return new URLSearchParams(target.split('?')[1] ?? '').get('cursor') ?? undefined;
}
