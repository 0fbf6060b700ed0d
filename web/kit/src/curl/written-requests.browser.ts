// Requests of a page that are written down and not sent.

import { type Client, type Contract, createClient } from '@certloop/contracts/browser';
import type { Query, QueryClient } from '@tanstack/react-query';
import type { FormPart, WrittenRequest } from './curl-command.js';

type Send = (url: RequestInfo | URL, init: RequestInit) => Promise<Response>;
/** How programs call an operation, by the path of its address. */
export type ProgramsCallBy = (path: string) => WrittenRequest['by'];
type Note = (request: WrittenRequest) => void;

const forever = new Promise<never>(() => undefined);

/** For each client, the function that creates its twin, which writes down the requests in its place. */
const twins = new WeakMap<object, (note: Note) => object>();

/** Takes each request while the queries of a page are read, which is done at once. */
let reader: Note | undefined;

/** `send`, but for the requests of queries that are only read. */
export function orWritten(send: Send, by: ProgramsCallBy): typeof fetch {
  return (url, init = {}) => {
    if (reader === undefined) return send(url, init);
    reader(writtenOf(url, init, by));
    return forever;
  };
}

/** Remembers how to write down the requests of a client. */
export function rememberTwin<C extends Contract>(
  client: Client<C>,
  contract: C,
  { baseUrl, by }: { readonly baseUrl: string; readonly by: ProgramsCallBy },
): Client<C> {
  twins.set(client, (note) =>
    createClient(contract, {
      baseUrl,
      fetch: (url, init = {}) => {
        note(writtenOf(url, init, by));
        return forever;
      },
    }),
  );
  return client;
}

/** The first request of a call, which is not sent. Rejects with what the call throws before it. */
export function captureRequest<C extends object>(
  client: C,
  call: (to: C) => Promise<unknown>,
): Promise<WrittenRequest> {
  return new Promise((resolve, reject) => {
    const twin = twins.get(client)?.(resolve) as C | undefined;
    if (twin === undefined) reject(new Error('This client is not of a page.'));
    else call(twin).then(() => reject(new Error('This sends no request.')), reject);
  });
}

/** The requests by which the page has loaded what it shows, in the order in which it began to; those of its frame omitted. */
export function requestsOfPage(queries: QueryClient): readonly WrittenRequest[] {
  const shown = queries.getQueryCache().findAll({ type: 'active' });
  const requests = shown.filter(({ meta }) => meta?.['isOfFrame'] !== true).flatMap(requestsOf);
  return requests.filter(({ url }, place) => requests.findIndex((one) => one.url === url) === place);
}

function requestsOf(query: Query): readonly WrittenRequest[] {
  const { queryFn } = query.options;
  const found: WrittenRequest[] = [];
  if (typeof queryFn !== 'function') return found;
  const { queryKey, meta } = query;
  reader = (request) => found.push(request);
  try {
    const context = { queryKey, meta, signal: new AbortController().signal, pageParam: undefined };
    void Promise.resolve(queryFn(context as never)).catch(() => undefined);
  } finally {
    reader = undefined;
  }
  return found;
}

function writtenOf(url: RequestInfo | URL, { method = 'GET', body }: RequestInit, by: ProgramsCallBy) {
  const request = { method, url: String(url), by: by(new URL(String(url)).pathname) };
  if (body instanceof FormData) return { ...request, body: [...body].map(partOf) };
  return typeof body === 'string' ? { ...request, body } : request;
}

function partOf([name, value]: readonly [string, FormDataEntryValue]): FormPart {
  const isFile = typeof value !== 'string';
  return { name, value: isFile ? value.name : value, isFile };
}
