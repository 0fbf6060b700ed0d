import { request as requestHttp } from 'node:http';
import { text } from 'node:stream/consumers';
import { parseAcmeCsr } from '@certloop/acme-server/rules';
import { type AcmeClient, dnsIdentifiers } from '@certloop/acme-server/testing';
import { AppError } from '@certloop/contracts';
import { buildCsr } from '@certloop/crypto';
import fc from 'fast-check';
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

const isRefusal = (status: number) => status >= 400 && status < 500;

describe('random input', () => {
  test('as a body is rejected, and never causes a 5xx', async () => {
    const json = fc.oneof(fc.json(), fc.string());
    await fc.assert(
      fc.asyncProperty(json, async (body) => isRefusal((await client.send(client.kid, body)).status)),
      { numRuns: 100 },
    );
  });

  test('as a header of a JWS is rejected, and never causes a 5xx', async () => {
    const member = fc.constantFrom('alg', 'jwk', 'kid', 'url', 'nonce', 'crit');
    const header = fc.dictionary(member, fc.jsonValue(), { minKeys: 1 });
    await fc.assert(
      fc.asyncProperty(header, async (members) =>
        isRefusal((await client.post(client.kid, '', { header: members })).status),
      ),
      { numRuns: 100 },
    );
  });

  test('as a payload is rejected or ignored, and never causes a 5xx', async () => {
    const { body: order } = await client.order(dnsIdentifiers('a.test'));
    const urls = [
      ...['new-order', 'new-authz', 'revoke-cert', 'key-change'].map((path) => `${acme.url}/acme/${path}`),
      order.authorizations[0] ?? '',
      order.finalize,
    ];
    const names = [
      'identifiers',
      'identifier',
      'certificate',
      'reason',
      'account',
      'oldKey',
      'csr',
      'status',
    ];
    const payload = fc.dictionary(fc.constantFrom(...names), fc.jsonValue());
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...urls), payload, async (url, members) =>
        isRefusal((await client.post(url, members)).status),
      ),
      { numRuns: 200 },
    );
  });

  test('with deep nesting is rejected quickly', async () => {
    const payload = `{"identifiers":${'['.repeat(20_000)}${']'.repeat(20_000)}}`;
    expect(isRefusal((await client.send(client.kid, payload)).status)).toBe(true);
  });

  test('in place of a CSR is rejected, byte by byte', async () => {
    const { der } = await buildCsr({ privateKey: p256().privateKey, dnsNames: ['a.test'] });
    const account = p256().publicKey;
    let refused = 0;
    for (let place = 0; place < der.length; place += 1) {
      for (const bit of [0x01, 0x20, 0x80]) {
        const mutant = Buffer.from(der);
        mutant[place] = (mutant[place] ?? 0) ^ bit;
        try {
          parseAcmeCsr(mutant.toString('base64url'), [{ type: 'dns', value: 'a.test' }], account);
        } catch (error) {
          if (!(error instanceof AppError) || error.status !== 400) throw error;
          refused += 1;
        }
      }
    }
    expect(refused).toBeGreaterThan(der.length);
  });
});

describe('the requested address', () => {
  /** Status of a GET with a request line and a Host of one's own. */
  function get(path: string, host: string): Promise<{ readonly status: number; readonly body: string }> {
    const { hostname, port } = new URL(acme.url);
    return new Promise((resolve, reject) => {
      const asked = requestHttp(
        { hostname, port, path, headers: { Host: host }, agent: false },
        (response) => {
          text(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject);
        },
      );
      asked.once('error', reject);
      asked.end();
    });
  }

  test.each([['ca.test'], ['ca.test:14000'], ['[::1]:14000'], ['127.0.0.1']])(
    'is returned as the client wrote it: %s',
    async (host) => {
      const { status, body } = await get('/acme/directory', host);
      expect([status, JSON.parse(body)]).toMatchObject([200, { newNonce: `http://${host}/acme/new-nonce` }]);
    },
  );

  test.each([['ca.test/x'], ['a"b'], ['<x>'], ['ada@ca.test'], ['ca.test:port']])(
    'is rejected for an invalid Host: %s',
    async (host) => {
      expect((await get('/acme/directory', host)).status).toBe(400);
    },
  );

  test('is accepted in the absolute form, as proxies send it', async () => {
    const { status } = await get('http://ca.test/acme/directory', 'ca.test');
    expect(status).toBe(200);
  });
});

describe('memory', () => {
  test('is bounded for every kind of record, and the oldest is removed first', async () => {
    const small = await startAcme({ maxRecords: 10 });
    const owner = await small.client();
    const first = await owner.order(dnsIdentifiers('first.test'));
    const last = await owner.order(dnsIdentifiers(...Array.from({ length: 10 }, (_, n) => `n${n}.test`)));
    expect((await owner.post(first.headers.get('location') ?? '')).status).toBe(404);
    expect((await owner.post(last.headers.get('location') ?? '')).status).toBe(200);
    expect((await owner.post(first.body.authorizations[0] ?? '')).status).toBe(404);
    for (let count = 0; count < 10; count += 1) await small.client();
    expect(await owner.post(owner.kid)).toMatchObject({
      body: { type: 'urn:ietf:params:acme:error:accountDoesNotExist' },
    });
    await small.close();
  });
});
