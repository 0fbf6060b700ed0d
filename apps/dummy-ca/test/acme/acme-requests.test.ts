import { generateKeyPairSync } from 'node:crypto';
import { type AcmeClient, type Answer, dnsIdentifiers } from '@certloop/acme-server/testing';
import { exportJwk, signJws } from '@certloop/crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startAcme, type TestAcme } from '../support/acme.js';
import { p256 } from '../support/csrs.js';

let acme: TestAcme;
let client: AcmeClient;
beforeAll(async () => {
  acme = await startAcme();
  client = await acme.client();
});
afterAll(() => acme.close());

const problem = (type: string) => `urn:ietf:params:acme:error:${type}`;

function expectProblem(answer: Answer, status: number, type: string): void {
  expect(answer.headers.get('content-type')).toBe('application/problem+json');
  expect(answer.body).toMatchObject({ type: problem(type), status, detail: expect.stringMatching(/\S/) });
  expect(answer.status).toBe(status);
}

describe('a signed request (RFC 8555 §6)', () => {
  test('gets a fresh nonce, a link to the directory, and no-store', async () => {
    const { status, headers } = await client.post(client.kid);
    expect(status).toBe(200);
    expect(headers.get('replay-nonce')).toMatch(/^[\w-]{22}$/);
    expect(headers.get('link')).toContain(`<${client.directoryUrl}>;rel="index"`);
    expect(headers.get('cache-control')).toBe('no-store');
  });

  test.each([['application/json'], ['text/plain'], ['application/jose']])(
    '§6.2: is refused as %s',
    async (contentType) => {
      expectProblem(await client.post(client.kid, '', { contentType }), 415, 'malformed');
    },
  );

  test('§6.2: can have parameters in its media type', async () => {
    const contentType = 'application/jose+json; charset=utf-8';
    expect((await client.post(client.kid, '', { contentType })).status).toBe(200);
  });

  test.each<[string, string | object]>([
    ['no JSON', '{'],
    ['a text', '"x"'],
    ['an array', []],
    ['empty', ''],
    ['compact', 'a.b.c'],
    ['with an unprotected header', { protected: 'e30', payload: '', signature: '', header: {} }],
    ['with several signatures', { payload: '', signatures: [] }],
    ['with padding', { protected: 'e30=', payload: '', signature: '' }],
    ['without a payload', { protected: 'e30', signature: '' }],
  ])('§6.2: is refused with a body that is %s', async (_, body) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    expectProblem(await client.send(client.kid, text), 400, 'malformed');
  });

  test('§6.2: with an algorithm that does not fit the key is rejected with the accepted ones', async () => {
    const answer = await client.post(client.kid, '', { header: { alg: 'RS256' } });
    expectProblem(answer, 400, 'badSignatureAlgorithm');
    expect(answer.body).toMatchObject({ algorithms: expect.arrayContaining(['ES256', 'RS256', 'EdDSA']) });
  });

  test('§6.2: by an account that does not exist is refused', async () => {
    const header = { kid: `${acme.url}/acme/accounts/unknown` };
    expectProblem(await client.post(client.kid, '', { header }), 400, 'accountDoesNotExist');
  });

  test('§6.2: signed by another key is refused', async () => {
    expectProblem(await client.post(client.kid, '', { key: p256().privateKey }), 400, 'malformed');
  });

  test('§6.2: whose payload was changed is refused', async () => {
    const header = { nonce: await client.nonce(), url: client.kid, kid: client.kid };
    const jws = await signJws(client.key, header, '{}');
    const changed = { ...jws, payload: Buffer.from('{"status":"deactivated"}').toString('base64url') };
    expectProblem(await client.send(client.kid, JSON.stringify(changed)), 400, 'malformed');
  });

  test('§6.4: for another address is refused', async () => {
    const header = { url: `${client.kid}/orders` };
    expectProblem(await client.post(client.kid, '', { header }), 403, 'unauthorized');
  });

  test('§6.5: with a nonce used before is refused, with a fresh one that works', async () => {
    const nonce = await client.nonce();
    expect((await client.post(client.kid, '', { header: { nonce } })).status).toBe(200);
    const refused = await client.post(client.kid, '', { header: { nonce } });
    expectProblem(refused, 400, 'badNonce');
    const fresh = refused.headers.get('replay-nonce') ?? '';
    expect((await client.post(client.kid, '', { header: { nonce: fresh } })).status).toBe(200);
  });

  test('§6.5: consumes its nonce even if its signature is invalid', async () => {
    const nonce = await client.nonce();
    await client.post(client.kid, '', { header: { nonce }, key: p256().privateKey });
    expectProblem(await client.post(client.kid, '', { header: { nonce } }), 400, 'badNonce');
  });

  test('§6.5: with an unknown nonce is rejected', async () => {
    expectProblem(await client.post(client.kid, '', { header: { nonce: 'AAAA' } }), 400, 'badNonce');
  });

  test('of more than 64 KiB is refused', async () => {
    const answer = await client.send(client.kid, JSON.stringify({ payload: 'A'.repeat(70_000) }));
    expectProblem(answer, 413, 'malformed');
  });

  test.each([
    ['ES256', generateKeyPairSync('ec', { namedCurve: 'P-256' })],
    ['ES384', generateKeyPairSync('ec', { namedCurve: 'P-384' })],
    ['ES512', generateKeyPairSync('ec', { namedCurve: 'P-521' })],
    ['RS256', generateKeyPairSync('rsa', { modulusLength: 2048 })],
    ['EdDSA', generateKeyPairSync('ed25519')],
  ])('may be signed by %s', async (_, { privateKey }) => {
    const other = acme.stranger();
    other.useKey(privateKey);
    expect((await other.register()).status).toBe(201);
    expect((await other.post(other.kid)).status).toBe(200);
  });

  test('is rejected with a jwk where a kid is required', async () => {
    const header = { jwk: exportJwk(client.key), kid: undefined };
    expectProblem(await client.post(client.kid, '', { header }), 400, 'malformed');
  });
});

describe('POST-as-GET (RFC 8555 §6.3)', () => {
  test('returns the directory and a nonce as GET does', async () => {
    const { status, body } = await client.post(client.directoryUrl);
    expect([status, body]).toEqual([200, await (await fetch(client.directoryUrl)).json()]);
    const answer = await client.post(`${acme.url}/acme/new-nonce`);
    expect([answer.status, answer.text]).toEqual([200, '']);
    expect(answer.headers.get('replay-nonce')).toMatch(/^[\w-]{22}$/);
  });

  test('returns the target of the link "up" of a certificate', async () => {
    const { status, text } = await client.post(`${acme.url}/acme/issuers/0`);
    expect([status, text]).toEqual([200, await (await fetch(`${acme.url}/acme/issuers/0`)).text()]);
    expectProblem(await client.post(`${acme.url}/acme/issuers/7`), 404, 'malformed');
  });

  test('requires an empty payload for reads', async () => {
    const { headers, body } = await client.order(dnsIdentifiers('a.test'));
    await client.prove(body, 'http-01');
    const { certificate = '' } = (await client.finalize(body)).body;
    const addresses = [
      headers.get('location') ?? '',
      `${client.kid}/orders`,
      certificate,
      client.directoryUrl,
    ];
    for (const address of addresses) {
      expectProblem(await client.post(address, {}), 400, 'malformed');
      expect((await client.post(address)).status).toBe(200);
    }
  });
});

describe('nonces (RFC 8555 §7.2)', () => {
  test.each([
    ['HEAD', 200],
    ['GET', 204],
  ])('are returned by %s with %i', async (method, status) => {
    const response = await fetch(`${acme.url}/acme/new-nonce`, { method });
    expect(response.status).toBe(status);
    expect(response.headers.get('replay-nonce')).toMatch(/^[\w-]{22}$/);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(await response.text()).toBe('');
  });

  test('that are removed from memory are no longer valid', async () => {
    const small = await startAcme({ maxRecords: 10 });
    const other = await small.client();
    const nonce = await other.nonce();
    for (let count = 0; count < 10; count += 1) await other.nonce();
    expectProblem(await other.post(other.kid, '', { header: { nonce } }), 400, 'badNonce');
    await small.close();
  });
});

describe('paths of ACME', () => {
  test.each([
    ['GET', '/acme/new-account', 405, 'POST'],
    ['DELETE', '/acme/orders/1', 405, 'POST'],
    ['PUT', '/acme/directory', 405, 'GET, HEAD, POST'],
    ['POST', '/acme/roots/0', 405, 'GET, HEAD'],
    ['GET', '/acme/nothing', 404, null],
    ['GET', '/acme', 404, null],
    ['GET', '/acme/roots/7', 404, null],
    ['GET', '/acme/roots/%zz', 404, null],
  ])('%s %s returns %i', async (method, path, status, allow) => {
    const response = await fetch(`${acme.url}${path}`, { method });
    expect([response.status, response.headers.get('allow')]).toEqual([status, allow]);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect(await response.json()).toMatchObject({ type: problem('malformed'), status });
  });
});
