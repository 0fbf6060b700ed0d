import type { KeyObject } from 'node:crypto';
import { exportJwk, type FlattenedJws, signJws } from '@certloop/crypto';
import { byteMutants, jsonMutants } from './json-mutants.js';

/** A client with an account. */
export interface SampleClient {
  /** Address of the server. */
  readonly base: string;
  readonly kid: string;
  readonly key: KeyObject;
  nonce(): Promise<string>;
}

/** A request that the server accepts, or could. */
export interface SampleRequest {
  readonly name: string;
  readonly url: string;
  /** Empty for POST-as-GET. */
  readonly payload: object | '';
  /** Signed by the key itself instead of its account. */
  readonly isByKey?: true;
  /** Member of the payload that is DER in base64url. */
  readonly der?: string;
}

/** A changed request. */
export interface RequestMutant {
  readonly name: string;
  /** Returns the status of the answer. */
  send(): Promise<number>;
}

/** Returns the request with each change that is possible in payload, header, body, media type, method and address. */
export function requestMutants(client: SampleClient, sample: SampleRequest): RequestMutant[] {
  const named = (part: string, name: string, send: () => Promise<number>) => ({
    name: `${sample.name}, ${part}: ${name}`,
    send,
  });
  return [
    ...payloadsOf(sample).map(({ name, value }) =>
      named('payload', name, () => signed(client, sample, value)),
    ),
    ...jsonMutants(headerOf(client, sample)).map(({ name, value }) =>
      named('header', name, () => signed(client, sample, sample.payload, value)),
    ),
    ...[null, 7, '', 'AAAA', 'ü', 'A'.repeat(5_000), [], {}].map((nonce) =>
      named('nonce', JSON.stringify(nonce).slice(0, 20), () =>
        signed(client, sample, sample.payload, { ...headerOf(client, sample), nonce }),
      ),
    ),
    ...jsonMutants({ protected: 'e30', payload: '', signature: 'AAAA' }).map(({ name, value }) =>
      named('body', name, async () => rawly(sample.url, JSON.stringify(value))),
    ),
    ...['', '{', '[', 'null', '\u0000', '{"a":'.repeat(2_000), '"\\ud800"'].map((body) =>
      named('body', JSON.stringify(body.slice(0, 20)), async () => rawly(sample.url, body)),
    ),
    ...['', 'application/json', 'application/jose+json; charset=utf-16', 'multipart/form-data'].map((type) =>
      named('media type', type, async () => rawly(sample.url, '{}', type)),
    ),
    ...['GET', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'HEAD'].map((method) =>
      named('method', method, async () => (await fetch(sample.url, { method })).status),
    ),
    ...addressesLike(sample.url).flatMap((url) => [
      named('address', url, () => signed(client, { ...sample, url }, sample.payload)),
      named('address', `GET ${url}`, async () => (await fetch(url)).status),
    ]),
  ];
}

export interface MutantsReport {
  readonly sent: number;
  readonly refused: number;
  /** Names of requests that were answered with 5xx, or not at all. */
  readonly failed: readonly string[];
}

/** Sends every so-many-th of the mutants, a few at a time. */
export async function sendMutants(mutants: readonly RequestMutant[], every = 1): Promise<MutantsReport> {
  const chosen = mutants.filter((_, place) => place % every === 0);
  const waiting = [...chosen];
  const failed: string[] = [];
  let refused = 0;
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const status = await next.send().catch((error: unknown) => String(error));
      if (typeof status === 'string' || status >= 500) failed.push(`${next.name}: ${status}`);
      else if (status >= 400) refused += 1;
    }
  };
  await Promise.all(Array.from({ length: 4 }, work));
  return { sent: chosen.length, refused, failed };
}

function payloadsOf({ payload, der }: SampleRequest): { readonly name: string; readonly value: unknown }[] {
  if (payload === '') return jsonMutants({});
  if (der === undefined) return jsonMutants(payload);
  const text = (payload as Readonly<Record<string, string>>)[der] ?? '';
  const bytes = byteMutants(Buffer.from(text, 'base64url')).map(({ name, value }) => ({
    name: `${der} with ${name}`,
    value: { ...payload, [der]: value.toString('base64url') },
  }));
  return [...jsonMutants(payload), ...bytes];
}

/** Protected header of the valid request, without the nonce, which is fresh for each one. */
function headerOf(client: SampleClient, { url, isByKey }: SampleRequest) {
  return { alg: 'ES256', url, ...(isByKey ? { jwk: exportJwk(client.key) } : { kid: client.kid }) };
}

async function signed(
  client: SampleClient,
  sample: SampleRequest,
  payload: unknown,
  header: unknown = headerOf(client, sample),
): Promise<number> {
  const text = payload === '' ? '' : JSON.stringify(payload);
  const isObject = typeof header === 'object' && header !== null && !Array.isArray(header);
  if (!isObject) return rawly(sample.url, JSON.stringify({ ...encoded(header), signature: 'AAAA' }));
  const jws = await signJws(client.key, { nonce: await client.nonce(), ...header }, text);
  return rawly(sample.url, JSON.stringify(jws));
}

const encoded = (header: unknown): Pick<FlattenedJws, 'protected' | 'payload'> => ({
  protected: Buffer.from(JSON.stringify(header)).toString('base64url'),
  payload: '',
});

async function rawly(url: string, body: string, type = 'application/jose+json'): Promise<number> {
  const response = await fetch(url, { method: 'POST', headers: { 'Content-Type': type }, body });
  await response.arrayBuffer();
  return response.status;
}

/** Addresses that differ in their last part, or have a query. */
function addressesLike(url: string): string[] {
  const parent = url.slice(0, url.lastIndexOf('/'));
  const ids = [
    '%00',
    '%zz',
    '%ed%a0%80',
    '..%2f',
    'A'.repeat(3_000),
    '00000000-0000-0000-0000-000000000000',
    "'--",
  ];
  const queries = ['?cursor=', '?cursor=%00', '?cursor=x&cursor=y', '?cursor[a]=b'];
  return [...ids.map((id) => `${parent}/${id}`), ...queries.map((query) => `${url}${query}`)];
}
