import { type Client, type Contract, createClient } from '@certloop/contracts/browser';
import { describeClient, type ServiceApi } from '../operations/operations.js';
import { background } from '../operations/query-options.js';
import { fetchOrTakeEarly } from './early.browser.js';
import { refusalFrom } from './refusal.js';

/** The CSRF token of the session, stored only in memory. */
export interface CsrfTokens {
  current(): string | undefined;
  /** Requests it from the service again; undefined without a session. */
  refresh(): Promise<string | undefined>;
}

/** Address of the service whose console this is, without a slash at its end: pages lie in `ui/` below it. */
export function serviceUrl(): string {
  return new URL('..', document.baseURI).href.replace(/\/$/, '');
}

/** How the clocks of the service differ, in a sentence; null while they agree or that cannot be known. */
export async function readClockFault(signal: AbortSignal): Promise<string | null> {
  const response = await fetch(`${serviceUrl()}/health/ready`, { headers: background, signal });
  const { clock } = (await response.json()) as { readonly clock?: unknown };
  return typeof clock === 'string' ? clock : null;
}

/** Path of the console on its origin, such as `/ui` or `/certs/ui`. */
export function consolePath(): string {
  return new URL('.', document.baseURI).pathname.replace(/\/$/, '');
}

export interface PageClientOptions<C extends Contract> {
  readonly basePath?: string;
  readonly csrf: CsrfTokens;
  /** How programs call an operation with this path, for the commands that pages show. */
  readonly programsCallBy: ServiceApi['programsCallBy'];
  /** Paths that replies of an operation depend on, beside the path of the operation itself. */
  readonly dependencies?: Readonly<Partial<Record<keyof C & string, readonly string[]>>>;
}

/** Client of an API of the page's own service. Throws Refusal for an error response, UpstreamFailed without one. */
export function createPageClient<C extends Contract>(
  contract: C,
  { basePath = '', csrf, programsCallBy, dependencies }: PageClientOptions<C>,
): Client<C> {
  const client = createClient(contract, {
    baseUrl: `${serviceUrl()}${basePath}`,
    timeoutMs: 30_000,
    fetch: (url, init) => sendWithToken(url, init, csrf),
    refuse: async (response) => refusalFrom(response.status, response.headers, await response.text()),
  });
  return describeClient(client, contract, {
    serviceUrl: serviceUrl(),
    basePath,
    programsCallBy,
    dependencies: dependencies ?? {},
  });
}

/** Sends a ping as a job does. Throws a Refusal. */
export async function sendPing(uuid: string): Promise<void> {
  const response = await fetch(`${serviceUrl()}/ping/${uuid}`, { method: 'POST' });
  if (!response.ok) throw refusalFrom(response.status, response.headers, await response.text());
}

/**
 * Sends a request with the CSRF token if it writes. A 403 may mean that another tab has begun a new session: if the
 * service has another token now, the request is sent once more.
 */
async function sendWithToken(
  url: RequestInfo | URL,
  init: RequestInit = {},
  csrf: CsrfTokens,
): Promise<Response> {
  if (init.method === 'GET') return fetchOrTakeEarly(url, init);
  const token = csrf.current();
  const response = await fetch(url, withToken(init, token));
  if (response.status !== 403) return response;
  const newer = await csrf.refresh().catch(() => undefined);
  return newer === undefined || newer === token ? response : fetch(url, withToken(init, newer));
}

function withToken(init: RequestInit, token: string | undefined): RequestInit {
  const headers = new Headers(init.headers);
  if (token !== undefined) headers.set('x-csrf-token', token);
  return { ...init, headers };
}
