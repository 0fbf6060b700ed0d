import { setTimeout } from 'node:timers/promises';
import { exportJwk, type FlattenedJws, signJws } from '@certloop/crypto';
import {
  type AcmeConnection,
  type AcmeReply,
  fetchDirectory,
  fetchNonce,
  replyOf,
  requireOrigin,
  sendAcmeRequest,
} from './acme-http.client.js';
import type { AcmeSigner } from './acme-operations.js';
import type { AcmeDirectory } from './directory.js';
import { takeNonce } from './nonce-pool.store.js';
import { readProblem } from './problem-reading.js';

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
      return replyOf(connection, await sendAcmeRequest(connection, address, {}));
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
    const answer = await sendAcmeRequest(connection, address, {
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
