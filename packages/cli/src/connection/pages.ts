/** One page of a list, as a service returns it. */
interface Page<T> {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: readonly T[];
}

/** The rows of all pages, or the first `max` of them. `read` gets the cursor of a page, undefined for the first one. */
export async function readPages<T>(
  read: (cursor: string | undefined) => Promise<Page<T>>,
  max = Number.POSITIVE_INFINITY,
): Promise<T[]> {
  const rows: T[] = [];
  let cursor: string | undefined;
  do {
    const { body, headers } = await read(cursor);
    rows.push(...body);
    cursor = nextCursor(headers?.['link']);
  } while (cursor !== undefined && rows.length < max);
  return rows.slice(0, max);
}

/** The cursor in a header Link with rel="next" (RFC 8288); undefined after the last page. */
export function nextCursor(link = ''): string | undefined {
  const [, target] = /<([^>]*)>\s*;\s*rel="?next"?/.exec(link) ?? [];
  return new URLSearchParams(target?.split('?')[1] ?? '').get('cursor') ?? undefined;
}
