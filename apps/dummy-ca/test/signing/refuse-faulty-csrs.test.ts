import { generateKeyPairSync } from 'node:crypto';
import { type AcmeClient, dnsIdentifiers } from '@certloop/acme-server/testing';
import { csrProfiles } from '@certloop/contracts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startAcme, type TestAcme } from '../support/acme.js';
import { startCa, type TestCa } from '../support/app.js';
import { csrField, dns, extensionRequest, nameOf, rsa, subjectAltName } from '../support/csrs.js';

const request = (name: string, commonName = name) => ({
  attributes: [extensionRequest(subjectAltName(dns(name)))],
  subject: nameOf(['2.5.4.3', commonName]),
});
const clean = request('www.example.org');
const internal = request('www.example.test');
const small = { ...clean, keys: rsa(1024) };

describe('POST /csr', () => {
  const authorities = new Map<string, TestCa>();
  beforeAll(async () => {
    authorities.set('off', await startCa());
    for (const lint of csrProfiles) authorities.set(lint, await startCa({}, { lint }));
  });

  test.each<[string, object, Readonly<Record<string, number>>]>([
    ['a CSR without faults', clean, { off: 200, public: 200, acme: 200, private: 200 }],
    ['an internal name', internal, { off: 200, public: 400, acme: 200, private: 200 }],
    ['a small key', small, { off: 200, public: 400, acme: 400, private: 400 }],
    [
      'a common name outside of the names',
      request('www.example.org', 'a.example.org'),
      { off: 200, public: 400, acme: 400, private: 200 },
    ],
  ])('%s', async (_, parts, expected) => {
    const csr = csrField(parts);
    const found: Record<string, number> = {};
    for (const [profile, ca] of authorities) found[profile] = (await ca.sign({ csr })).status;
    expect(found).toEqual(expected);
  });

  test('names the finding and its rule', async () => {
    const { body } = await (authorities.get('public') as TestCa).sign({ csr: csrField(small) }).expect(400);
    expect(body).toEqual({
      error:
        'the CSR is refused: its RSA key has 1024 bits, less than 2048 (key_too_small, Baseline Requirements §6.1.5)',
    });
  });

  test('refuses what is no CSR, and a wrong signature, as without rules', async () => {
    const ca = authorities.get('private') as TestCa;
    await ca.sign({ csr: 'aGVsbG8=' }).expect(400);
    const { body } = await ca.sign({ csr: csrField({ signature: Buffer.alloc(70) }) }).expect(400);
    expect(body.error).toContain('signature');
  });
});

describe('a finalize request of ACME', () => {
  let acme: TestAcme;
  let client: AcmeClient;
  beforeAll(async () => {
    acme = await startAcme({ lint: 'acme' });
    client = await acme.client();
  });
  afterAll(() => acme.close());

  const finalizeWith = async (namedCurve: string) => {
    const { body: order } = await client.order(dnsIdentifiers('www.example.org'));
    await client.prove(order, 'dns-01');
    return client.finalize(order, generateKeyPairSync('ec', { namedCurve }).privateKey);
  };

  test('is answered with badCSR and the finding, and the order can be finalized again', async () => {
    expect(await finalizeWith('P-521')).toMatchObject({
      status: 400,
      body: {
        type: 'urn:ietf:params:acme:error:badCSR',
        detail: expect.stringContaining('(curve_not_public, Baseline Requirements'),
      },
    });
    expect((await finalizeWith('P-256')).status).toBe(200);
  });
});
