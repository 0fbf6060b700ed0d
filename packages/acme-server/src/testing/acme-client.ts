import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import type { AcmeAuthorization, AcmeChallenge, AcmeDirectory, AcmeOrder } from '@certloop/contracts';
import { buildCsr, exportJwk, keyAuthorization, macJws, signJws } from '@certloop/crypto';

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

/** Key of an external account (RFC 8555 §7.3.4). */
export interface ExternalKey {
  readonly kid: string;
  /** In base64url. */
  readonly hmacKey: string;
}

const newKey = (): KeyObject => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;

/** A small ACME client that does only what its caller asks. */
export class AcmeClient {
  readonly base: string;
  readonly directoryUrl: string;
  #key: KeyObject;
  #kid: string | undefined;

  /** `base` is the address of the service; the key is that of the account. */
  constructor(base: string, key: KeyObject = newKey()) {
    this.base = base;
    this.directoryUrl = `${base}/acme/directory`;
    this.#key = key;
  }

  get kid(): string {
    return this.#kid ?? '';
  }

  get key(): KeyObject {
    return this.#key;
  }

  useKey(next: KeyObject): void {
    this.#key = next;
  }

  keyAuthorization(token: string): string {
    return keyAuthorization(token, exportJwk(this.#key));
  }

  async directory(): Promise<AcmeDirectory> {
    return (await (await fetch(this.directoryUrl)).json()) as AcmeDirectory;
  }

  async nonce(): Promise<string> {
    const { headers } = await fetch(`${this.base}/acme/new-nonce`, { method: 'HEAD' });
    return headers.get('replay-nonce') ?? '';
  }

  async post<T = Record<string, unknown>>(
    url: string,
    payload: object | '' = '',
    options: PostOptions = {},
  ): Promise<Answer<T>> {
    const key = options.key ?? this.#key;
    const signer = this.#kid === undefined ? { jwk: exportJwk(key) } : { kid: this.#kid };
    const header = { nonce: await this.nonce(), url, ...signer, ...options.header };
    const jws = await signJws(key, header, payload === '' ? '' : JSON.stringify(payload));
    return this.send<T>(url, JSON.stringify(jws), options.contentType);
  }

  async send<T>(url: string, body: string, contentType = 'application/jose+json'): Promise<Answer<T>> {
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

  async register(members: object = {}): Promise<Answer> {
    this.#kid = undefined;
    const answer = await this.post(`${this.base}/acme/new-account`, {
      termsOfServiceAgreed: true,
      ...members,
    });
    this.#kid = answer.headers.get('location') ?? undefined;
    return answer;
  }

  /** The binding of the account to an external one; `header` replaces members of its protected header. */
  binding({ kid, hmacKey }: ExternalKey, header: Readonly<Record<string, unknown>> = {}) {
    const url = `${this.base}/acme/new-account`;
    const secret = Buffer.from(hmacKey, 'base64url');
    return macJws(secret, { kid, url, ...header }, JSON.stringify(exportJwk(this.#key)));
  }

  order(identifiers: Identifiers, members: object = {}): Promise<Answer<AcmeOrder>> {
    return this.post<AcmeOrder>(`${this.base}/acme/new-order`, { identifiers, ...members });
  }

  /** Challenges of the type in each authorization of an order. */
  async challengesOf(order: AcmeOrder, type: string): Promise<AcmeChallenge[]> {
    const authorizations = await Promise.all(
      order.authorizations.map(async (url) => (await this.post<AcmeAuthorization>(url)).body),
    );
    return authorizations.flatMap(({ challenges }) => challenges.filter((each) => each.type === type));
  }

  /** Says that the challenges of an order are ready, and polls them until they are decided. */
  async prove(order: AcmeOrder, type: string): Promise<AcmeChallenge[]> {
    const challenges = await this.challengesOf(order, type);
    return Promise.all(challenges.map(({ url }) => this.decide(url)));
  }

  async decide(url: string): Promise<AcmeChallenge> {
    let { body } = await this.post<AcmeChallenge>(url, {});
    while (body.status === 'processing') ({ body } = await this.post<AcmeChallenge>(url));
    return body;
  }

  async finalize(order: AcmeOrder, leafKey: KeyObject = newKey()): Promise<Answer<AcmeOrder>> {
    const valuesOf = (type: string) =>
      order.identifiers.filter((each) => each.type === type).map(({ value }) => value);
    const { der } = await buildCsr({
      privateKey: leafKey,
      dnsNames: valuesOf('dns'),
      ipAddresses: valuesOf('ip'),
    });
    return this.post<AcmeOrder>(order.finalize, { csr: der.toString('base64url') });
  }

  /** Orders, proves, finalizes and downloads a certificate for one name or several. */
  async issue(identifiers: Identifiers, members: object = {}, leafKey?: KeyObject) {
    const { body: pending } = await this.order(identifiers, members);
    for (const url of pending.authorizations) {
      const { body } = await this.post<AcmeAuthorization>(url);
      if (body.status === 'pending') await this.decide(body.challenges[0]?.url ?? '');
    }
    const { body: issued } = await this.finalize(pending, leafKey);
    const download = await this.post(issued.certificate ?? '');
    return { order: issued, download, pem: download.text };
  }
}
