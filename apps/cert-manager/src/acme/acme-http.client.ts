import { AppError, UpstreamFailed } from '@certloop/contracts';
import { redirectWords } from '@certloop/server';
import { type AcmeDirectory, readDirectory } from './directory.js';
import { isUntrusted, networkReason } from './network-reason.js';
import { type NoncePool, takeNonce } from './nonce-pool.store.js';
import { readProblem } from './problem-reading.js';

/** Parts that requests to one CA need. */
export interface AcmeConnection {
  readonly directoryUrl: string;
  /**
   * Rejects addresses that the service may not call, and never follows a redirect. Waits for its turn without a limit;
   * throws a TimeoutError if the CA takes too long to respond, or to complete its response.
   */
  readonly fetch: (address: string, init: RequestInit) => Promise<Response>;
  readonly nonces: NoncePool;
  /** Aborts when the service stops: requests in progress then throw its reason. */
  readonly stopping: AbortSignal;
  /** The moment that a Retry-After header names. */
  readonly retryAt: (header: string | null) => Date | undefined;
}

/** A successful response. */
export interface AcmeReply {
  readonly status: number;
  readonly text: string;
  readonly location: string | undefined;
  /** Addresses of the `Link` headers with a relation, such as `alternate`. */
  readonly links: (relation: string) => readonly string[];
  readonly retryAt: Date | undefined;
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
  readonly retryAfter: string | null;
}

export async function sendAcmeRequest(
  connection: AcmeConnection,
  address: string,
  init: RequestInit,
): Promise<Answer> {
  try {
    const headers = { 'User-Agent': 'certloop', 'Accept-Language': 'en', ...init.headers };
    const answer = await connection.fetch(address, { ...init, headers });
    const nonce = answer.headers.get('replay-nonce');
    if (nonce !== null) connection.nonces.add(nonce);
    const retryAfter = answer.headers.get('retry-after');
    return { status: answer.status, headers: answer.headers, retryAfter, text: await answer.text() };
  } catch (error) {
    connection.stopping.throwIfAborted();
    throw asUpstreamFailure(error);
  }
}

export function replyOf(connection: AcmeConnection, answer: Answer): AcmeReply {
  const { status, text, headers } = answer;
  if (status >= 400) throw readProblem(answer, connection.retryAt(answer.retryAfter));
  if (status >= 300) throw new UpstreamFailed(`the CA answered with ${status}`);
  return {
    status,
    text,
    location: headers.get('location') ?? undefined,
    links: (relation) => linksOf(headers.get('link') ?? '', relation),
    retryAt: connection.retryAt(answer.retryAfter),
  };
}

export async function fetchDirectory(connection: AcmeConnection): Promise<AcmeDirectory> {
  const { status, text, headers } = await sendAcmeRequest(connection, connection.directoryUrl, {});
  const location = headers.get('location');
  if (status > 300 && status < 400 && location !== null && URL.canParse(location, connection.directoryUrl)) {
    const directory = new URL(connection.directoryUrl);
    throw new UpstreamFailed(`the CA ${redirectWords(directory, new URL(location, directory))}`);
  }
  if (status !== 200) throw new UpstreamFailed(`the directory was answered with ${status}`);
  const directory = readDirectory(connection.directoryUrl, text);
  if (typeof directory === 'string') throw new UpstreamFailed(directory);
  return directory;
}

export async function fetchNonce(connection: AcmeConnection, address: string): Promise<string> {
  const { status } = await sendAcmeRequest(connection, address, { method: 'HEAD' });
  const nonce = status < 400 ? takeNonce(connection.nonces) : undefined;
  if (nonce === undefined) throw new UpstreamFailed('the CA sends no nonce');
  return nonce;
}

/** A CA cannot send this service to another host. */
export function requireOrigin({ directoryUrl }: AcmeConnection, address: string): void {
  const isThere = URL.canParse(address) && new URL(address).origin === new URL(directoryUrl).origin;
  if (!isThere) throw new UpstreamFailed('the CA points to another host');
}

/** `<address>;rel="alternate"` (RFC 8288 §3), separated by commas. */
function linksOf(link: string, relation: string): string[] {
  return [...link.matchAll(/<([^<>]*)>((?:\s*;\s*[\w*-]+\s*=\s*(?:"[^"]*"|[^\s";,]+))*)/g)].flatMap(
    ([, address, parameters]) => {
      const [, quoted, bare] = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s";,]+))/i.exec(parameters ?? '') ?? [];
      const relations = (quoted ?? bare ?? '').toLowerCase().split(/\s+/);
      return address !== undefined && relations.includes(relation) ? [address] : [];
    },
  );
}

function asUpstreamFailure(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if ((error as Error).name === 'TimeoutError') {
    return new UpstreamFailed('the CA did not answer in time', { timedOut: true, cause: error });
  }
  const reason = networkReason(error);
  return new UpstreamFailed(
    isUntrusted(reason)
      ? `the CA's TLS certificate chains to no known root (${reason}); caBundlePem can hold its root`
      : `the CA did not answer: ${reason}`,
    { cause: error },
  );
}
