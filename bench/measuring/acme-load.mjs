// Complete issuances by ACME, as clients make them: one connection's worth of work at a time for each client. The clients' own
// work (keys, signatures) is in the rate.
import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { buildCsr, exportJwk, generateKeyPair, signJws } from '../../packages/crypto/dist/src/index.js';

/** Answer of one request: { headers, body }, the body parsed if it is JSON. Throws for a status from 300 on. */
function exchange(agent, method, url, body) {
  return new Promise((resolve, reject) => {
    const headers = body === undefined ? {} : { 'Content-Type': 'application/jose+json' };
    const asked = request(url, { method, agent, headers }, async (response) => {
      const text = (await response.toArray()).join('');
      if (response.statusCode >= 300) return reject(new Error(`${response.statusCode} ${text}`));
      const isJson = response.headers['content-type'] === 'application/json';
      return resolve({ headers: response.headers, body: isJson ? JSON.parse(text) : text });
    });
    asked.once('error', reject);
    asked.end(body);
  });
}

/** A client with an account, which exists already if its key has one; `bind` makes the external binding of a JWK. */
export async function openAcmeClient({ base, agent, keys, bind }) {
  const { privateKey, publicKey } = keys ?? (await generateKeyPair('P-256'));
  const jwk = exportJwk(publicKey);
  const url = (path) => `${base}/acme/${path}`;
  let nonce = (await exchange(agent, 'HEAD', url('new-nonce'))).headers['replay-nonce'];
  let kid;
  const post = async (address, payload) => {
    const header = { nonce, url: address, ...(kid === undefined ? { jwk } : { kid }) };
    const jws = await signJws(privateKey, header, payload === undefined ? '' : JSON.stringify(payload));
    const answer = await exchange(agent, 'POST', address, JSON.stringify(jws));
    nonce = answer.headers['replay-nonce'];
    return answer;
  };
  const externalAccountBinding = bind?.(url('new-account'), jwk);
  kid = (await post(url('new-account'), { externalAccountBinding })).headers.location;
  const fetchNonce = async () => {
    nonce = (await exchange(agent, 'HEAD', url('new-nonce'))).headers['replay-nonce'];
  };
  return { jwk, url, post, fetchNonce };
}

/** Orders, proves by `prove`, finalizes and downloads a certificate for one name. */
export async function issueOnce({ jwk, url, post }, { name, leafKey, prove }) {
  const { body: order } = await post(url('new-order'), { identifiers: [{ type: 'dns', value: name }] });
  const { body: authorization } = await post(order.authorizations[0]);
  if (authorization.status === 'pending') await prove({ post, jwk, authorization });
  const { der } = await buildCsr({ privateKey: leafKey, dnsNames: [name] });
  let { headers, body } = await post(order.finalize, { csr: der.toString('base64url') });
  const { location } = headers;
  while (body.status === 'processing') {
    await delay(50);
    ({ body } = await post(location));
  }
  if (body.status !== 'valid') throw new Error(JSON.stringify(body));
  return (await post(body.certificate)).body;
}

/** Certificates that clients, each with its own names, get one after the other in `seconds`. */
export async function countIssued({ clients, seconds, nameOf, leafKey, prove }) {
  const end = Date.now() + seconds * 1000;
  let issued = 0;
  const work = async (client, place) => {
    for (let count = 0; Date.now() < end; count += 1) {
      await issueOnce(client, { name: nameOf(place, count), leafKey, prove });
      issued += 1;
    }
  };
  await Promise.all(clients.map(work));
  return issued;
}
