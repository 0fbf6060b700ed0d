import { X509Certificate } from 'node:crypto';
import { dnsIdentifiers } from '@certloop/acme-server/testing';
import { acmeDirectorySchema, acmeOrderSchema } from '@certloop/contracts';
import { splitChain } from '@certloop/crypto';
import { lintCertificate } from '@certloop/crypto/lint';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startAcme, type TestAcme } from '../support/acme.js';
import { p256 } from '../support/csrs.js';
import { type Http01Responder, startHttp01Responder } from '../support/http01-responder.js';

const now = new Date('2026-11-21T10:00:00.000Z');
let responder: Http01Responder;
let acme: TestAcme;
beforeAll(async () => {
  responder = await startHttp01Responder();
  acme = await startAcme({
    now,
    validation: { mode: 'real', http01Port: responder.port, resolveTo: '127.0.0.1' },
  });
});
afterAll(async () => {
  await acme.close();
  await responder.close();
});

describe('the whole way from an account to a certificate', () => {
  test('with http-01 returns a chain, leaf first, up to the root', async () => {
    const client = await acme.client();
    const { status, body: pending, headers } = await client.order(dnsIdentifiers('www.example.test'));
    expect(status).toBe(201);
    expect(acmeOrderSchema.parse(pending)).toMatchObject({
      status: 'pending',
      identifiers: [{ type: 'dns', value: 'www.example.test' }],
      profile: 'classic',
      expires: '2026-11-28T10:00:00.000Z',
    });
    const [challenge] = await client.challengesOf(pending, 'http-01');
    const token = challenge?.token ?? '';
    responder.answers.set(`/.well-known/acme-challenge/${token}`, client.keyAuthorization(token));
    expect(await client.prove(pending, 'http-01')).toMatchObject([{ status: 'valid' }]);
    expect(responder.hosts).toContain('www.example.test');

    const order = headers.get('location') ?? '';
    expect((await client.post(order)).body).toMatchObject({ status: 'ready' });
    const keys = p256();
    const { body: issued } = await client.finalize(pending, keys.privateKey);
    expect(issued).toMatchObject({ status: 'valid', certificate: expect.stringContaining('/certificates/') });
    const download = await client.post(issued.certificate ?? '');
    expect(download.headers.get('content-type')).toBe('application/pem-certificate-chain');

    const [leaf, intermediate, ...rest] = splitChain(download.text).map((der) => new X509Certificate(der));
    expect(rest).toEqual([]);
    expect(leaf?.publicKey.equals(keys.publicKey)).toBe(true);
    expect(leaf?.checkHost('www.example.test')).toBe('www.example.test');
    expect([leaf?.validFrom, leaf?.validTo]).toEqual([
      'Nov 21 09:59:00 2026 GMT',
      'Feb 19 09:59:00 2027 GMT',
    ]);
    const root = new X509Certificate(acme.authority.rootPem);
    expect(lintCertificate(leaf?.raw ?? Buffer.alloc(0), intermediate?.raw)).toEqual([]);
    expect(lintCertificate(intermediate?.raw ?? Buffer.alloc(0), root.raw)).toEqual([]);
  });

  test('is announced by the directory', async () => {
    const directory = await acme.stranger().directory();
    expect(acmeDirectorySchema.parse(directory)).toEqual(directory);
    expect(directory.meta?.profiles).toMatchObject({ classic: expect.stringContaining('90 days') });
  });
});
