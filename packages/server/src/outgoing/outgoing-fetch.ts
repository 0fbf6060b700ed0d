import { isIP } from 'node:net';
import { rootCertificates } from 'node:tls';
import { AppError } from '@certloop/contracts';
import { Agent, type Dispatcher, ProxyAgent, request } from 'undici';
import { refusalOfAddress } from './address-rules.js';
import { readBounded, readSome } from './bounded-fetch.js';
import { bufferedResponse } from './buffered-response.js';
import {
  guardedLookup,
  hostOf,
  rejectOnAbort,
  resolveTarget,
  type TargetRules,
  validateLiteral,
} from './target-guard.js';

export interface OutgoingOptions extends TargetRules {
  /** PEM of roots that the target's TLS certificate may chain to, in addition to the usual ones. */
  readonly ca?: string | undefined;
  /** Largest answer in octets. */
  readonly answerBytes?: number;
  /** False if the status of an answer says all: one that is larger or breaks off counts as far as it was read. */
  readonly isBodyNeeded?: boolean;
  /** HTTP proxy by which targets are reached, with user and password if it asks for them; directly when absent. */
  readonly proxy?: string | undefined;
  /** Called for every call that is refused for its target. */
  readonly onRefused?: () => void;
}

export interface OutgoingFetch {
  readonly fetch: typeof fetch;
  close(): Promise<void>;
}

/**
 * A fetch for addresses that came in from outside. The name is resolved once, every address it gives is
 * judged, and the connection goes to an address that was judged, so that a second answer of the DNS cannot
 * change the target. With a proxy the name is resolved and judged here, and once more by the proxy. Redirects are handed back, not followed. Rejects with UpstreamFailed when a target is
 * refused or the answer is larger than `answerBytes` (1 MiB by default).
 */
export function createOutgoingFetch(options: OutgoingOptions): OutgoingFetch {
  const { answerBytes = 1_048_576, isBodyNeeded = true } = options;
  const direct = new Agent({ connect: connectOptions(options) });
  const proxied = options.proxy === undefined ? undefined : createProxyAgent(options.proxy, options.ca);
  const wayTo: Way =
    proxied === undefined ? () => Promise.resolve(direct) : wayByProxy(options, direct, proxied);
  const guardedFetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const { url, method, headers, body, signal } = await messageOf(input, init);
    validateLiteral(url, options);
    const dispatcher = await wayTo(url, signal);
    if (!headers.has('Accept')) headers.set('Accept', '*/*');
    // undici's own fetch takes several times as long
    const answer = await request(url, {
      method,
      headers: Object.fromEntries(headers),
      body,
      signal,
      dispatcher,
    }).catch((error: unknown) => rejectAsFetch(error, signal));
    const read = isBodyNeeded ? readBounded : readSome;
    const bytes = await read(answer, answerBytes).catch((error: unknown) => rejectAsFetch(error, signal));
    return bufferedResponse(answer.statusCode, headersOf(answer), bytes);
  };
  const noteRefusal = (error: unknown): never => {
    if (error instanceof AppError && error.code === 'target_refused') options.onRefused?.();
    throw error;
  };
  return {
    fetch: (input, init) => guardedFetch(input, init).catch(noteRefusal),
    close: async () => {
      await Promise.all([direct.close(), proxied?.close()]);
    },
  };
}

const connectTimeoutMs = 10_000;

/** The proxy is the operator's: it may be anywhere. Plain HTTP goes to it without a tunnel, which many refuse. */
function createProxyAgent(proxy: string, ca: string | undefined): ProxyAgent {
  const tls = { timeout: connectTimeoutMs };
  return new ProxyAgent({
    uri: proxy,
    proxyTunnel: false,
    proxyTls: tls,
    requestTls: { ...tls, ...tlsOptions(ca) },
  });
}

function connectOptions(options: OutgoingOptions) {
  const { ca, isTrusted = false } = options;
  return {
    timeout: connectTimeoutMs,
    ...(!isTrusted && { lookup: guardedLookup(options) }),
    ...tlsOptions(ca),
  };
}

function tlsOptions(ca: string | undefined): { readonly ca?: string[] } {
  return ca === undefined ? {} : { ca: [...rootCertificates, ca] };
}

/** How a target is reached; rejects with UpstreamFailed when it is refused. */
type Way = (url: URL, signal: AbortSignal) => Promise<Dispatcher>;

/**
 * Targets are judged by their addresses as this machine resolves them, then reached through the proxy; private ones,
 * where they are allowed, directly. A name that does not resolve here is left to the proxy only where no target is
 * refused for being private.
 */
function wayByProxy(options: OutgoingOptions, direct: Dispatcher, proxied: Dispatcher): Way {
  return async (url, signal) => {
    const host = hostOf(url);
    try {
      const addresses =
        isIP(host) === 0
          ? await Promise.race([resolveTarget(host, options), rejectOnAbort(signal)])
          : [{ address: host, family: isIP(host) }];
      const isPublic = addresses.every(
        ({ address }) => refusalOfAddress(address, { allowPrivate: false }) === undefined,
      );
      return isPublic ? proxied : direct;
    } catch (error) {
      if (error instanceof AppError || signal.aborted || !options.allowPrivate) throw error;
      return proxied;
    }
  };
}

interface Message {
  readonly url: URL;
  readonly method: Dispatcher.HttpMethod;
  readonly headers: Headers;
  readonly body: Uint8Array | null;
  readonly signal: AbortSignal;
}

const plainMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']);

/** Returns the message to send. Rare input is read by a Request, which takes a while to make. */
async function messageOf(input: string | URL | Request, init: RequestInit = {}): Promise<Message> {
  const { method = 'GET', body = null, headers, signal } = init;
  const isPlain = body === null || (body instanceof Uint8Array && method !== 'GET' && method !== 'HEAD');
  if (!(input instanceof Request) && isPlain && plainMethods.has(method)) {
    const url = new URL(input);
    if (url.username === '' && url.password === '')
      return {
        url,
        method: method as Dispatcher.HttpMethod,
        headers: new Headers(headers),
        body: body as Uint8Array | null,
        signal: signal ?? new AbortController().signal,
      };
  }
  const read = new Request(input, init);
  return {
    url: new URL(read.url),
    method: read.method as Dispatcher.HttpMethod,
    headers: new Headers(read.headers),
    body: read.body === null ? null : new Uint8Array(await read.arrayBuffer()),
    signal: read.signal,
  };
}

function headersOf({ headers }: Dispatcher.ResponseData): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((one): [string, string] => [name, one]),
  );
}

/** A refusal as it is; else as fetch rejects: with what the call was aborted by, or with a TypeError and its cause. */
function rejectAsFetch(error: unknown, signal: AbortSignal): never {
  if (error instanceof AppError) throw error;
  if (signal.aborted) throw signal.reason;
  throw new TypeError('fetch failed', { cause: error });
}
