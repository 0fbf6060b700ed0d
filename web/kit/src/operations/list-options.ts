import type { AnyInput } from '@certloop/contracts/browser';
import { type ListPage, listPageOf } from './list-page.js';
import type { BodyFrom, Operation, ReplyTo } from './operations.js';
import { callWith, keyAndFacts, type QueryFacts, type QueryOptions } from './query-options.js';

/** How the replies of an operation make pages of a list. */
export interface PageForm<O extends Operation, Row> {
  /** The page in a reply; without it the body has the rows, and the headers the total and the cursor. */
  readonly pageOf?: (reply: ReplyTo<O>) => ListPage<Row>;
  /** Query parameters of the page at a cursor beside those of the first one; without it `cursor`. */
  readonly next?: (cursor: string) => Readonly<Record<string, string>>;
}

type RowOf<O extends Operation> = BodyFrom<O> extends readonly (infer Row)[] ? Row : never;

/** A list that `useList` loads page by page. */
export interface ListOptions<Row> {
  readonly queryKey: readonly unknown[];
  readonly meta: QueryFacts;
  readonly load: (cursor: string | undefined, signal: AbortSignal) => Promise<ListPage<Row>>;
}

/** Options of a list of all that an operation finds. */
export function listOptions<O extends Operation, Row = RowOf<O>>(
  operation: O,
  input: Parameters<O>[0],
  form: PageForm<O, Row> = {},
): ListOptions<Row> {
  return {
    ...keyAndFacts(operation, input, ['pages']),
    load: loaderOf(operation, input, form),
  };
}

/** Options of a query of one page of a list, with the total. */
export function pageOptions<O extends Operation, Row = RowOf<O>>(
  operation: O,
  input: Parameters<O>[0],
  form: PageForm<O, Row> = {},
): QueryOptions<ListPage<Row>> {
  const load = loaderOf(operation, input, form);
  return {
    ...keyAndFacts(operation, input, ['page']),
    queryFn: ({ signal }) => load(undefined, signal),
  };
}

function loaderOf<O extends Operation, Row>(
  operation: O,
  input: Parameters<O>[0],
  { pageOf = rowsOf, next = atCursor }: PageForm<O, Row>,
): ListOptions<Row>['load'] {
  const asked = (input ?? {}) as AnyInput;
  return async (cursor, signal) => {
    const query = { ...asked.query, ...(cursor !== undefined && next(cursor)) };
    return pageOf(await callWith(operation, { ...asked, query, signal }));
  };
}

const atCursor = (cursor: string) => ({ cursor });

function rowsOf<Row>(reply: { readonly body: unknown; readonly headers?: Readonly<Record<string, string>> }) {
  return listPageOf(reply.body as readonly Row[], reply.headers);
}
