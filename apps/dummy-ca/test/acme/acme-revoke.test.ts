import { type AcmeClient, dnsIdentifiers } from '@certloop/acme-server/testing';
import { exportJwk, revocationReasons, splitChain } from '@certloop/crypto';
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

const problem = (type: string, status: number) => ({
  status,
  body: { type: `urn:ietf:params:acme:error:${type}` },
});
const url = () => `${acme.url}/acme/revoke-cert`;
const name = dnsIdentifiers('www.example.test');

async function issued(leafKey = p256().privateKey, identifiers = name): Promise<string> {
  const { pem } = await client.issue(identifiers, {}, leafKey);
  return splitChain(pem)[0]?.toString('base64url') ?? '';
}

describe('revokeCert (RFC 8555 §7.6)', () => {
  test('revokes for the account, once', async () => {
    const certificate = await issued();
    const { status, text } = await client.post(url(), { certificate, reason: 4 });
    expect([status, text]).toEqual([200, '']);
    expect(await client.post(url(), { certificate })).toMatchObject(problem('alreadyRevoked', 400));
  });

  test('revokes for the key of the certificate', async () => {
    const { privateKey } = p256();
    const certificate = await issued(privateKey);
    const header = { jwk: exportJwk(privateKey), kid: undefined };
    expect((await client.post(url(), { certificate, reason: 1 }, { key: privateKey, header })).status).toBe(
      200,
    );
  });

  test.each([
    ['refuses a key that its holder has reported as compromised', {}, 'keyCompromise', 400],
    ['certifies a key again that was superseded', {}, 'superseded', 200],
    [
      'certifies a compromised key again where the setting allows it',
      { blockCompromisedKeys: false },
      'keyCompromise',
      200,
    ],
  ] as const)('%s', async (_, settings, reason, status) => {
    const own = await startAcme({ settings });
    const holder = await own.client();
    const { privateKey } = p256();
    const { pem } = await holder.issue(name, {}, privateKey);
    const certificate = splitChain(pem)[0]?.toString('base64url');
    const signed = { key: privateKey, header: { jwk: exportJwk(privateKey), kid: undefined } };
    const revocation = { certificate, reason: revocationReasons[reason] };
    expect((await holder.post(`${own.url}/acme/revoke-cert`, revocation, signed)).status).toBe(200);
    const { body: order } = await holder.order(name);
    await holder.prove(order, 'dns-01');
    const again = await holder.finalize(order, privateKey);
    expect(again.status).toBe(status);
    if (status === 400) expect(again).toMatchObject(problem('badCSR', 400));
    await own.close();
  });

  test('refuses another key', async () => {
    const certificate = await issued();
    const { privateKey } = p256();
    const header = { jwk: exportJwk(privateKey), kid: undefined };
    expect(await client.post(url(), { certificate }, { key: privateKey, header })).toMatchObject(
      problem('unauthorized', 403),
    );
  });

  test('revokes for another account only when it holds authorizations for every identifier', async () => {
    const identifiers = dnsIdentifiers('a.test', '*.a.test');
    const certificate = await issued(undefined, identifiers);
    const other = await acme.client();
    expect(await other.post(url(), { certificate })).toMatchObject(problem('unauthorized', 403));
    const { body: one } = await other.order(dnsIdentifiers('a.test'));
    await other.prove(one, 'dns-01');
    expect(await other.post(url(), { certificate })).toMatchObject(problem('unauthorized', 403));
    const { body: both } = await other.order(dnsIdentifiers('*.a.test'));
    await other.prove(both, 'dns-01');
    // What it holds is not less for an order that still waits.
    await other.order(identifiers);
    expect((await other.post(url(), { certificate })).status).toBe(200);
  });

  test.each([[0], [1], [3], [4], [5], [9]])('takes the reason %i', async (reason) => {
    expect((await client.post(url(), { certificate: await issued(), reason })).status).toBe(200);
  });

  test.each([[2], [6], [7], [8], [10], [11], [-1]])('refuses the reason %i', async (reason) => {
    expect(await client.post(url(), { certificate: await issued(), reason })).toMatchObject(
      problem('badRevocationReason', 400),
    );
  });

  test.each([
    ['no certificate', { certificate: 'AAAA' }, 400],
    ['not in base64url', { certificate: 'a+b=' }, 400],
    ['nothing', {}, 400],
    ['a reason that is not a number', { certificate: 'AAAA', reason: 'x' }, 400],
  ])('refuses %s', async (_, payload, status) => {
    expect(await client.post(url(), payload)).toMatchObject(problem('malformed', status));
  });

  test('returns 404 for a certificate of another CA', async () => {
    const [root = Buffer.alloc(0)] = splitChain(acme.authority.rootPem);
    expect(await client.post(url(), { certificate: root.toString('base64url') })).toMatchObject(
      problem('malformed', 404),
    );
  });
});
