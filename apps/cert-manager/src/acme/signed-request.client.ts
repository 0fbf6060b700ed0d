import type { KeyObject } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { AppError, UpstreamFailed } from '@certloop/contracts';
import { exportJwk, type FlattenedJws, signJws } from '@certloop/crypto';
import { type AcmeDirectory, readDirectory } from './directory.js';
import { isUntrusted, networkReason } from './network-reason.js';
import { type NoncePool, takeNonce } from './nonce-pool.store.js';
import { readProblem } from './problem-reading.js';

/** What requests to one CA need. */
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

/** The key that signs, and the URL of its account; undefined for a key that has no account yet. */
export interface AcmeSigner {
  readonly privateKey: KeyObject;
  readonly accountUrl?: string | undefined;
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

/** Signed requests to one CA (RFC 8555 §6). Every refusal is an AcmeProblem, everything else UpstreamFailed. */
export interface SignedRequests {
  /** The directory of the CA, which is read once. */
  directory(): Promise<AcmeDirectory>;
  /** Adds a nonce to the pool. */
  fetchNonce(): Promise<void>;
  /** Sends a payload by POST; without one, sends a POST-as-GET. */
  post(address: string, signer: AcmeSigner, payload?: object, accept?: string): Promise<AcmeReply>;
  /** Reads a public resource. */
  get(address: string): Promise<AcmeReply>;
}

export function createSignedRequests(connection: AcmeConnection): SignedRequests {
  let known: Promise<AcmeDirectory> | undefined;
  const directory = () => {
    known ??= fetchDirectory(connection);
    return known;
  };
  return {
    directory,
    fetchNonce: async () => {
      connection.nonces.add(await fetchNonce(connection, (await directory()).newNonce));
    },
    post: async (address, signer, payload, accept = 'application/json') => {
      requireOrigin(connection, address);
      const { newNonce } = await directory();
      return postSigned(connection, { address, signer, payload, accept, newNonce });
    },
    get: async (address) => {
      requireOrigin(connection, address);
      return replyOf(connection, await send(connection, address, {}));
    },
  };
}

/** An outer JWS around an inner one, both for the same address (RFC 8555 §7.3.5). */
export function innerJws(signer: AcmeSigner, url: string, payload: object): Promise<FlattenedJws> {
  return signJws(signer.privateKey, { jwk: exportJwk(signer.privateKey), url }, JSON.stringify(payload));
}

// Some test CAs reject half of all nonces; 999 of 1000 requests still succeed.
const maxTries = 10;
const quickTries = 3;
const noncePauseMs = 20;

interface SignedPost {
  readonly address: string;
  readonly signer: AcmeSigner;
  readonly payload: object | undefined;
  readonly accept: string;
  readonly newNonce: string;
}

/** Sends a request again with another nonce if its nonce was rejected, as the CA has not processed it (RFC 8555 §6.5). */
async function postSigned(connection: AcmeConnection, request: SignedPost): Promise<AcmeReply> {
  const { address, signer, payload, accept } = request;
  for (let tries = 1; ; tries += 1) {
    const nonce = takeNonce(connection.nonces) ?? (await fetchNonce(connection, request.newNonce));
    const { privateKey, accountUrl } = signer;
    const who = accountUrl === undefined ? { jwk: exportJwk(privateKey) } : { kid: accountUrl };
    const text = payload === undefined ? '' : JSON.stringify(payload);
    const jws = await signJws(privateKey, { ...who, nonce, url: address }, text);
    const answer = await send(connection, address, {
      method: 'POST',
      headers: { 'Content-Type': 'application/jose+json', Accept: accept },
      body: JSON.stringify(jws),
    });
    const isRefusedNonce = answer.status >= 400 && readProblem(answer).type === 'badNonce';
    if (!isRefusedNonce || tries === maxTries) return replyOf(connection, answer);
    // a CA that rejects many nonces is busy, or its servers do not share their nonces
    if (tries >= quickTries) await pause(connection, noncePauseMs * 2 ** (tries - quickTries));
  }
}

async function pause({ stopping }: AcmeConnection, ms: number): Promise<void> {
  await setTimeout(ms, undefined, { signal: stopping }).catch(() => stopping.throwIfAborted());
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
  readonly retryAfter: string | null;
}

async function send(connection: AcmeConnection, address: string, init: RequestInit): Promise<Answer> {
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

function replyOf(connection: AcmeConnection, answer: Answer): AcmeReply {
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

async function fetchDirectory(connection: AcmeConnection): Promise<AcmeDirectory> {
  const { status, text } = await send(connection, connection.directoryUrl, {});
  if (status !== 200) throw new UpstreamFailed(`the directory was answered with ${status}`);
  const directory = readDirectory(connection.directoryUrl, text);
  if (typeof directory === 'string') throw new UpstreamFailed(directory);
  return directory;
}

async function fetchNonce(connection: AcmeConnection, address: string): Promise<string> {
  const { status } = await send(connection, address, { method: 'HEAD' });
  const nonce = status < 400 ? takeNonce(connection.nonces) : undefined;
  if (nonce === undefined) throw new UpstreamFailed('the CA hands out no nonce');
  return nonce;
}

/** A CA cannot send this service to another host. */
function requireOrigin({ directoryUrl }: AcmeConnection, address: string): void {
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
