import { renewalIdOf } from '@certloop/acme-server/rules';
import { type AcmeClient, dnsIdentifiers } from '@certloop/acme-server/testing';
import { acmeRenewalInfoSchema } from '@certloop/contracts';
import { parseCertificate, splitChain } from '@certloop/crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startAcme, type TestAcme } from '../support/acme.js';

const now = new Date('2026-11-21T10:01:00.000Z');
let acme: TestAcme;
let client: AcmeClient;
beforeAll(async () => {
  acme = await startAcme({ now });
  client = await acme.client();
});
afterAll(() => acme.close());

const problem = (type: string, status: number) => ({
  status,
  body: { type: `urn:ietf:params:acme:error:${type}` },
});
const name = dnsIdentifiers('www.example.test');
const idOf = (pem: string) => renewalIdOf(parseCertificate(splitChain(pem)[0] ?? Buffer.alloc(0)));

describe('renewalInfo (RFC 9773 §4)', () => {
  test('suggests a window late in the validity, and a Retry-After', async () => {
    const { pem } = await client.issue(name);
    const { renewalInfo } = await client.directory();
    const response = await fetch(`${renewalInfo}/${idOf(pem)}`);
    expect(response.status).toBe(200);
    expect(response.headers.get('retry-after')).toBe('21600');
    expect(acmeRenewalInfoSchema.parse(await response.json())).toEqual({
      suggestedWindow: { start: '2027-01-20T10:00:00.000Z', end: '2027-01-22T05:12:00.000Z' },
    });
  });

  test('suggests to renew a revoked certificate at once', async () => {
    const { pem } = await client.issue(name);
    const certificate = splitChain(pem)[0]?.toString('base64url');
    await client.post(`${acme.url}/acme/revoke-cert`, { certificate });
    const { suggestedWindow } = acmeRenewalInfoSchema.parse(
      await (await fetch(`${acme.url}/acme/renewal-info/${idOf(pem)}`)).json(),
    );
    expect(new Date(suggestedWindow.end).getTime()).toBeLessThanOrEqual(now.getTime());
  });

  test.each([
    ['AAAA.AAAA', 404],
    ['nonsense', 400],
    ['a.b.c', 400],
  ])('refuses %s with %i', async (certId, status) => {
    const response = await fetch(`${acme.url}/acme/renewal-info/${certId}`);
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
  });
});

describe('an order that replaces a certificate (RFC 9773 §5)', () => {
  test('names it, and prevents another replacement', async () => {
    const replaces = idOf((await client.issue(name)).pem);
    const { body: first } = await client.order(name, { replaces });
    expect(first.replaces).toBe(replaces);
    expect(await client.order(name, { replaces })).toMatchObject(problem('alreadyReplaced', 409));
    await client.post(first.authorizations[0] ?? '', { status: 'deactivated' });
    expect((await client.order(name, { replaces })).status).toBe(201);
  });

  test('is refused for the certificate of another account', async () => {
    const replaces = idOf((await client.issue(name)).pem);
    const other = await acme.client();
    expect(await other.order(name, { replaces })).toMatchObject(problem('unauthorized', 403));
  });

  test('is rejected without a common identifier', async () => {
    const replaces = idOf((await client.issue(name)).pem);
    expect(await client.order(dnsIdentifiers('other.test'), { replaces })).toMatchObject(
      problem('malformed', 400),
    );
    expect((await client.order([...name, ...dnsIdentifiers('other.test')], { replaces })).status).toBe(201);
  });

  test.each([
    ['AAAA.AAAA', 404],
    ['nonsense', 400],
  ])('is refused for %s with %i', async (replaces, status) => {
    expect(await client.order(name, { replaces })).toMatchObject(problem('malformed', status));
  });
});
