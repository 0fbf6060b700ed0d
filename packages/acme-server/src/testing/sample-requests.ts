import { X509Certificate } from 'node:crypto';
import type { AcmeOrder } from '@certloop/contracts';
import { buildCsr, exportJwk, generateKeyPair, parseCertificate, signJws } from '@certloop/crypto';
import { renewalIdOf } from '../certificates/renewal-id.js';
import type { SampleClient, SampleRequest } from './request-mutants.js';

export interface Samples {
  /** An order that is ready, and its address. */
  readonly ready: { readonly url: string; readonly order: AcmeOrder };
  /** An order with its certificate. */
  readonly issued: { readonly order: AcmeOrder; readonly pem: string };
  /** Binding of a new account; undefined where none is needed. */
  readonly externalAccountBinding?: object | undefined;
}

/** Returns a request to each resource of a server. */
export async function sampleRequests(client: SampleClient, samples: Samples): Promise<SampleRequest[]> {
  const { base, kid, key } = client;
  const { ready, issued, externalAccountBinding } = samples;
  const at = (path: string) => `${base}/acme/${path}`;
  const [authorization = ''] = ready.order.authorizations;
  const { raw } = new X509Certificate(issued.pem);
  const renewalId = renewalIdOf(parseCertificate(raw));
  const identifiers = ready.order.identifiers;
  const contact = ['mailto:ada@a.test'];
  return [
    { name: 'directory', url: at('directory'), payload: '' },
    { name: 'newNonce', url: at('new-nonce'), payload: '' },
    {
      name: 'newAccount',
      url: at('new-account'),
      payload: { contact, termsOfServiceAgreed: true, externalAccountBinding },
      isByKey: true,
    },
    { name: 'account', url: kid, payload: { contact } },
    { name: 'orders', url: `${kid}/orders`, payload: '' },
    { name: 'newOrder', url: at('new-order'), payload: { identifiers, replaces: renewalId, profile: 'x' } },
    { name: 'order', url: ready.url, payload: '' },
    { name: 'authorization', url: authorization, payload: '' },
    {
      name: 'challenge',
      url: authorization.replace(/authorizations\/(.*)$/, 'challenges/$1/dns-01'),
      payload: {},
    },
    { name: 'finalize', url: ready.order.finalize, payload: { csr: await csrOf(ready.order) }, der: 'csr' },
    { name: 'certificate', url: issued.order.certificate ?? '', payload: '' },
    { name: 'renewalInfo', url: at(`renewal-info/${renewalId}`), payload: '' },
    {
      name: 'revokeCert',
      url: at('revoke-cert'),
      payload: { certificate: raw.toString('base64url'), reason: 4 },
      der: 'certificate',
    },
    { name: 'keyChange', url: at('key-change'), payload: await innerOf({ kid, key }, at('key-change')) },
  ];
}

async function csrOf({ identifiers }: AcmeOrder): Promise<string> {
  const { privateKey } = await generateKeyPair('P-256');
  const { der } = await buildCsr({ privateKey, dnsNames: identifiers.map(({ value }) => value) });
  return der.toString('base64url');
}

/** Inner JWS of a key change to a new key. */
async function innerOf({ kid, key }: Pick<SampleClient, 'kid' | 'key'>, url: string): Promise<object> {
  const { privateKey, publicKey } = await generateKeyPair('P-256');
  const payload = JSON.stringify({ account: kid, oldKey: exportJwk(key) });
  return signJws(privateKey, { jwk: exportJwk(publicKey), url }, payload);
}
