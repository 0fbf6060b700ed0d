import type { KeyObject } from 'node:crypto';
import { UpstreamFailed } from '@certloop/contracts';
import { exportJwk, macJws, signJws } from '@certloop/crypto';
import { explainCode } from '../faults/system-fault.js';
import { type AcmeAnswer, type AcmeCalls, callAcme } from './acme-http.js';

/** Addresses of the directory that are used here (RFC 8555 §7.1.1). */
export interface AcmeDirectory {
  readonly newNonce: string;
  readonly newAccount: string;
  readonly newOrder: string;
}

/** External account of a client: what binds a new account to it (RFC 8555 §7.3.4). */
export interface ExternalAccount {
  readonly kid: string;
  /** In base64url. */
  readonly hmacKey: string;
}

/** A directory and the response that it came with. */
export interface OpenedDirectory {
  readonly directory: AcmeDirectory;
  readonly answer: AcmeAnswer;
}

/** Reads a directory. Throws UpstreamFailed for what is none; errors of the network are not changed. */
export async function openDirectory(address: string, calls: AcmeCalls): Promise<OpenedDirectory> {
  const answer = await callAcme(address, calls);
  const textOf = (name: string) => {
    const value = answer.body?.[name];
    if (answer.status === 200 && typeof value === 'string' && URL.canParse(value)) return value;
    throw new UpstreamFailed(
      `${address} is not the directory of an ACME server: it responds with status ${answer.status}${answer.status === 200 ? ` and without ${name}` : ''}`,
    );
  };
  const directory = {
    newNonce: textOf('newNonce'),
    newAccount: textOf('newAccount'),
    newOrder: textOf('newOrder'),
  };
  return { directory, answer };
}

/** Returns the address of a new account that is bound to an external one. Throws UpstreamFailed with the server's reason. */
export async function registerAccount(
  { directory, key, calls }: { directory: AcmeDirectory; key: KeyObject; calls: AcmeCalls },
  { kid, hmacKey }: ExternalAccount,
  email: string | undefined,
): Promise<string> {
  const url = directory.newAccount;
  const jwk = exportJwk(key);
  const binding = macJws(Buffer.from(hmacKey, 'base64url'), { kid, url }, JSON.stringify(jwk));
  const account = {
    termsOfServiceAgreed: true,
    ...(email !== undefined && { contact: [`mailto:${email}`] }),
    externalAccountBinding: binding,
  };
  const answer = await postSigned({ directory, key, calls }, url, { jwk }, account);
  const address = answer.headers['location'];
  if (answer.status > 201 || typeof address !== 'string')
    throw new UpstreamFailed(`the server did not register the account: ${reasonIn(answer)}`);
  return address;
}

/** Sends a payload, once more with another nonce where the first was refused (RFC 8555 §6.5). */
export async function postSigned(
  { directory, key, calls }: { directory: AcmeDirectory; key: KeyObject; calls: AcmeCalls },
  url: string,
  who: object,
  payload: object,
): Promise<AcmeAnswer> {
  const send = async () => {
    const nonce = (await callAcme(directory.newNonce, calls)).headers['replay-nonce'];
    const header = { ...who, nonce: String(nonce), url };
    return callAcme(url, calls, await signJws(key, header, JSON.stringify(payload)));
  };
  const answer = await send();
  return answer.body?.['type'] === 'urn:ietf:params:acme:error:badNonce' ? send() : answer;
}

/** Why a server refused, in its own words, with what it says of single names. */
export function reasonIn({ status, body }: AcmeAnswer): string {
  const details = [body, ...subproblemsIn(body)]
    .map((one) => one?.['detail'])
    .filter((detail) => typeof detail === 'string');
  return details.length === 0 ? `status ${status}` : [...new Set(details)].join('; ');
}

function subproblemsIn(body: AcmeAnswer['body']): readonly Readonly<Record<string, unknown>>[] {
  const found = body?.['subproblems'];
  return Array.isArray(found) ? found : [];
}

const trustCodes = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
]);

/** Returns why a call failed, and whether the certificate of the server is what is not trusted. */
export function faultOfCall(error: unknown): { readonly reason: string; readonly isTrust: boolean } {
  const { code, message, name } = (error ?? {}) as NodeJS.ErrnoException;
  if (name === 'AbortError' || name === 'TimeoutError')
    return { reason: 'no response in time', isTrust: false };
  if (code !== undefined && trustCodes.has(code))
    return {
      reason: 'its certificate is not trusted here: name a file with the root by --ca',
      isTrust: true,
    };
  const isTrust = code === 'CERT_HAS_EXPIRED' || code === 'ERR_TLS_CERT_ALTNAME_INVALID';
  return { reason: code === undefined ? (message ?? String(error)) : explainCode(code), isTrust };
}
