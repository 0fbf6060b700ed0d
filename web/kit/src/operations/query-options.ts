import type { AnyInput } from '@certloop/contracts/browser';
import { type BodyFrom, type Call, describedOperation, type Operation, type ReplyTo } from './operations.js';
import { pathFor } from './resource-paths.js';

/** Facts of a query that the kit needs beside its key. */
export interface QueryFacts extends Record<string, unknown> {
  /** Paths of the resources that it shows. */
  readonly shows?: readonly string[];
  /** The request that loads it. */
  readonly call?: Call;
  /** Whether the frame of the page shows it, on every page. */
  readonly isOfFrame?: boolean;
  /** Whether it only asks whether a row is still there. */
  readonly isLookUp?: boolean;
}

/** A query whose request is described by a contract. */
export interface QueryOptions<Data> {
  readonly queryKey: readonly unknown[];
  readonly meta: QueryFacts;
  readonly queryFn: (context: { readonly signal: AbortSignal }) => Promise<Data>;
}

/** Header of requests that a page sends without user action, so that they do not extend the session. */
export const background: Readonly<Record<string, string>> = { 'x-activity': 'background' };

/** Options of the query of one operation, whose data is the body of the reply. */
export function queryOptions<O extends Operation>(
  operation: O,
  ...[input]: Parameters<O>
): QueryOptions<BodyFrom<O>> {
  return {
    ...keyAndFacts(operation, input, []),
    queryFn: async ({ signal }) =>
      (await callWith(operation, { ...(input as AnyInput | undefined), signal })).body,
  };
}

/** Options of a query that only asks, in the background, whether an object is still there. */
export function lookUpOptions<O extends Operation>(
  operation: O,
  ...[input]: Parameters<O>
): QueryOptions<BodyFrom<O>> {
  const { meta, queryKey } = keyAndFacts(operation, input, ['look-up']);
  const asked = { ...(input as AnyInput | undefined), headers: background };
  return {
    queryKey,
    meta: { ...meta, isLookUp: true },
    queryFn: async ({ signal }) => (await callWith(operation, { ...asked, signal })).body,
  };
}

/** Calls an operation with an input whose type was checked before. */
export function callWith<O extends Operation>(operation: O, input: AnyInput): Promise<ReplyTo<O>> {
  return operation(input as never) as Promise<ReplyTo<O>>;
}

/**
 * The key of a query: name of the operation, resource, and the rest of the input, with `form` for queries whose data has
 * another form than the body. Its facts name what it shows.
 */
export function keyAndFacts(
  operation: Operation,
  input: AnyInput | undefined,
  form: readonly string[],
): { readonly queryKey: readonly unknown[]; readonly meta: QueryFacts } {
  const described = describedOperation(operation);
  const { name, api } = described;
  const path = pathFor(operation, input);
  const { query = {}, body, ...others } = input ?? {};
  return {
    queryKey: [name, path, { query, ...(body !== undefined && { body }) }, ...form],
    meta: {
      shows: [path, ...(api.dependencies[name] ?? [])],
      call: { operation: described, input: { ...others, query, body } },
    },
  };
}

/** The same query, which the frame shows on every page. */
export function ofFrame<Data>(options: QueryOptions<Data>): QueryOptions<Data> {
  return { ...options, meta: { ...options.meta, isOfFrame: true } };
}

/** The same query, whose reply is another one when one of these values changes. */
export function keyedBy<Options extends Pick<QueryOptions<unknown>, 'queryKey'>>(
  options: Options,
  ...values: readonly unknown[]
): Options {
  return { ...options, queryKey: [...options.queryKey, ...values] };
}

/** The same query, which follows changes of these resources instead of those that its operation names. */
export function showing<Options extends { readonly meta: QueryFacts }>(
  options: Options,
  shows: readonly string[],
): Options {
  return { ...options, meta: { ...options.meta, shows } };
}
