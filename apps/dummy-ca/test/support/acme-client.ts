import type { KeyObject } from 'node:crypto';
import type { AcmeAuthorization, AcmeChallenge, AcmeDirectory, AcmeOrder } from '@certloop/contracts';
import { buildCsr, exportJwk, keyAuthorization, signJws } from '@certloop/crypto';
import { p256 } from './csrs.js';

export interface Answer<T = unknown> {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: T;
}

export interface PostOptions {
  readonly key?: KeyObject;
  /** Members of the protected header that replace those of a valid request; undefined leaves one out. */
  readonly header?: Readonly<Record<string, unknown>>;
  readonly contentType?: string;
}

export type Identifiers = readonly { readonly type: string; readonly value: string }[];

export const dnsIdentifiers = (...values: readonly string[]): Identifiers =>
  values.map((value) => ({ type: 'dns', value }));

/** A small ACME client that does only what its caller asks. */
export type AcmeClient = ReturnType<typeof createAcmeClient>;

/** `base` is the address of the service; the key is that of the account. */
export function createAcmeClient(base: string, key: KeyObject = p256().privateKey) {
  let kid: string | undefined;
  let accountKey = key;
  const directoryUrl = `${base}/acme/directory`;
  const directory = async () => (await (await fetch(directoryUrl)).json()) as AcmeDirectory;

  const nonce = async (): Promise<string> => {
    const { headers } = await fetch(`${base}/acme/new-nonce`, { method: 'HEAD' });
    return headers.get('replay-nonce') ?? '';
  };

  async function post<T = Record<string, unknown>>(
    url: string,
    payload: object | '' = '',
    options: PostOptions = {},
  ): Promise<Answer<T>> {
    const signer = kid === undefined ? { jwk: exportJwk(options.key ?? accountKey) } : { kid };
    const header = { nonce: await nonce(), url, ...signer, ...options.header };
    const jws = await signJws(
      options.key ?? accountKey,
      header,
      payload === '' ? '' : JSON.stringify(payload),
    );
    return send<T>(url, JSON.stringify(jws), options.contentType);
  }

  async function send<T>(
    url: string,
    body: string,
    contentType = 'application/jose+json',
  ): Promise<Answer<T>> {
    const response = await fetch(url, { method: 'POST', headers: { 'Content-Type': contentType }, body });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') === true;
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: (isJson ? JSON.parse(text) : undefined) as T,
    };
  }

  async function register(members: object = {}): Promise<Answer> {
    kid = undefined;
    const answer = await post(`${base}/acme/new-account`, { termsOfServiceAgreed: true, ...members });
    kid = answer.headers.get('location') ?? undefined;
    return answer;
  }

  const order = (identifiers: Identifiers, members: object = {}) =>
    post<AcmeOrder>(`${base}/acme/new-order`, { identifiers, ...members });

  /** Challenges of the type in each authorization of an order. */
  async function challengesOf(asked: AcmeOrder, type: string): Promise<AcmeChallenge[]> {
    const authorizations = await Promise.all(
      asked.authorizations.map(async (url) => (await post<AcmeAuthorization>(url)).body),
    );
    return authorizations.flatMap(({ challenges }) => challenges.filter((each) => each.type === type));
  }

  /** Says that the challenges of an order are ready, and looks until they are decided. */
  async function prove(asked: AcmeOrder, type: string): Promise<AcmeChallenge[]> {
    const challenges = await challengesOf(asked, type);
    return Promise.all(challenges.map(({ url }) => decide(url)));
  }

  async function decide(url: string): Promise<AcmeChallenge> {
    let { body } = await post<AcmeChallenge>(url, {});
    while (body.status === 'processing') ({ body } = await post<AcmeChallenge>(url));
    return body;
  }

  const finalize = async (asked: AcmeOrder, leafKey: KeyObject = p256().privateKey) => {
    const valuesOf = (type: string) =>
      asked.identifiers.filter((each) => each.type === type).map(({ value }) => value);
    const { der } = await buildCsr({
      privateKey: leafKey,
      dnsNames: valuesOf('dns'),
      ipAddresses: valuesOf('ip'),
    });
    return post<AcmeOrder>(asked.finalize, { csr: der.toString('base64url') });
  };

  return {
    base,
    directoryUrl,
    directory,
    nonce,
    post,
    send,
    register,
    order,
    challengesOf,
    prove,
    decide,
    finalize,
    get kid() {
      return kid ?? '';
    },
    get key() {
      return accountKey;
    },
    useKey: (next: KeyObject) => {
      accountKey = next;
    },
    keyAuthorization: (token: string) => keyAuthorization(token, exportJwk(accountKey)),
    /** The whole way for one name or several; the answer to the download, and the order. */
    issue: async (identifiers: Identifiers, members: object = {}, leafKey?: KeyObject) => {
      const { body: pending } = await order(identifiers, members);
      for (const url of pending.authorizations) {
        const { body } = await post<AcmeAuthorization>(url);
        if (body.status === 'pending') await decide(body.challenges[0]?.url ?? '');
      }
      const { body: issued } = await finalize(pending, leafKey);
      const download = await post(issued.certificate ?? '');
      return { order: issued, download, pem: download.text };
    },
  };
}
