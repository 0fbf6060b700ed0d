import { lookup as resolveName } from 'node:dns';
import { isIP } from 'node:net';
import { rootCertificates } from 'node:tls';
import { AppError, UpstreamFailed } from '@certloop/contracts';
import { Agent, fetch as undiciFetch } from 'undici';
import { refusalOfAddress } from './address-rules.js';
import { bufferedResponse } from './buffered-response.js';

/** Name resolution in the form of `dns.lookup` with `all`. */
export type Resolve = (
  hostname: string,
  options: object,
  callback: (error: NodeJS.ErrnoException | null, addresses: readonly ResolvedAddress[]) => void,
) => void;

export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

export interface OutgoingOptions {
  /** Whether private, unique-local and loopback targets may be reached. */
  readonly allowPrivate: boolean;
  /** Set for addresses that the operator chose: they are called wherever they lead. */
  readonly isTrusted?: boolean;
  /** PEM of roots that the target's TLS certificate may chain to, beside the usual ones. */
  readonly ca?: string | undefined;
  /** Largest answer in octets. */
  readonly answerBytes?: number;
  readonly resolve?: Resolve;
  /** Told of every call that is refused for its target. */
  readonly onRefused?: () => void;
}

export interface OutgoingFetch {
  readonly fetch: typeof fetch;
  close(): Promise<void>;
}

/**
 * A fetch for addresses that came in from outside. The name is resolved once, every address it gives is
 * judged, and the connection goes to an address that was judged, so that a second answer of the DNS cannot
 * change the target. Redirects are handed back, not followed. Rejects with UpstreamFailed when a target is
 * refused or the answer is larger than `answerBytes` (1 MiB by default).
 */
export function createOutgoingFetch(options: OutgoingOptions): OutgoingFetch {
  const answerBytes = options.answerBytes ?? 1_048_576;
  const agent = new Agent({ connect: connectOptions(options) });
  const guardedFetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init);
    judgeLiteral(new URL(request.url), options);
    const body = request.body === null ? null : new Uint8Array(await request.arrayBuffer());
    const answer = await undiciFetch(request.url, {
      method: request.method,
      headers: [...request.headers],
      body,
      redirect: 'manual',
      signal: request.signal,
      dispatcher: agent,
    }).catch(unwrapRefusal);
    const headers = new Headers([...answer.headers]);
    const bytes = await boundedBytes(answer, answerBytes);
    return bufferedResponse(answer.status, headers, bytes);
  };
  const noteRefusal = (error: unknown): never => {
    if (error instanceof AppError && error.code === 'target_refused') options.onRefused?.();
    throw error;
  };
  return {
    fetch: (input, init) => guardedFetch(input, init).catch(noteRefusal),
    close: () => agent.close(),
  };
}

function connectOptions(options: OutgoingOptions) {
  const { ca, isTrusted = false } = options;
  return {
    timeout: 10_000,
    ...(!isTrusted && { lookup: guardedLookup(options) }),
    ...(ca !== undefined && { ca: [...rootCertificates, ca] }),
  };
}

function guardedLookup(options: OutgoingOptions) {
  const resolve: Resolve =
    options.resolve ?? ((host, opts, done) => resolveName(host, { ...opts, all: true }, done));
  return (
    hostname: string,
    lookupOptions: { readonly all?: boolean | undefined },
    callback: (error: Error | null, address: string | ResolvedAddress[], family?: number) => void,
  ): void => {
    resolve(hostname, lookupOptions, (error, addresses) => {
      if (error !== null) return callback(error, []);
      const refused = addresses
        .map(({ address }) => ({ address, reason: refusalOfAddress(address, options) }))
        .find(({ reason }) => reason !== undefined);
      if (refused !== undefined) return callback(targetRefused(hostname, refused.reason ?? ''), []);
      const [first] = addresses;
      if (first === undefined) return callback(targetRefused(hostname, 'has no address'), []);
      return lookupOptions.all === true
        ? callback(null, [...addresses])
        : callback(null, first.address, first.family);
    });
  };
}

/** A literal address is never looked up, so it is judged here. */
function judgeLiteral(url: URL, options: OutgoingOptions): void {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw targetRefused(url.protocol, 'is no protocol that is called');
  }
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) === 0 || options.isTrusted === true) return;
  const reason = refusalOfAddress(host, options);
  if (reason !== undefined) throw targetRefused(host, reason);
}

function targetRefused(host: string, reason: string): UpstreamFailed {
  return new UpstreamFailed(`${host} is not called: it ${reason}`, { code: 'target_refused' });
}

function unwrapRefusal(error: unknown): never {
  if (error instanceof Error && error.cause instanceof AppError) throw error.cause;
  throw error;
}

type Answer = Awaited<ReturnType<typeof undiciFetch>>;

async function boundedBytes(answer: Answer, limit: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of answer.body ?? []) {
    length += chunk.length;
    if (length > limit) throw new UpstreamFailed(`the answer is larger than ${limit} bytes`);
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
}
