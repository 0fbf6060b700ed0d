import type { ServerResponse } from 'node:http';
import { type AcmeClient, dnsIdentifiers } from '@certloop/acme-server/testing';
import { type AcmeAuthorization, type AcmeOrder, acmeAuthorizationSchema } from '@certloop/contracts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startAcme, type TestAcme } from '../support/acme.js';
import { serve } from '../support/served.js';

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

async function authorizationsOf({ authorizations }: AcmeOrder): Promise<AcmeAuthorization[]> {
  const answers = await Promise.all(authorizations.map((url) => client.post<AcmeAuthorization>(url)));
  return answers.map(({ body }) => body);
}

describe('newOrder (RFC 8555 §7.4)', () => {
  test('has one authorization for each identifier, with the supported challenges', async () => {
    const identifiers = [...dnsIdentifiers('www.a.test', '*.A.test'), { type: 'ip', value: '192.0.2.1' }];
    const { status, body, headers } = await client.order(identifiers);
    expect(status).toBe(201);
    expect(headers.get('location')).toMatch(/\/acme\/orders\/[\w-]+$/);
    const authorizations = await authorizationsOf(body);
    for (const each of authorizations) expect(acmeAuthorizationSchema.parse(each)).toEqual(each);
    const facts = authorizations.map(({ identifier, wildcard, challenges, status: state }) => [
      identifier.value,
      wildcard,
      state,
      challenges.map(({ type }) => type),
    ]);
    expect(facts).toEqual([
      ['www.a.test', undefined, 'pending', ['http-01', 'dns-01', 'tls-alpn-01']],
      ['a.test', true, 'pending', ['dns-01']],
      ['192.0.2.1', undefined, 'pending', ['http-01', 'tls-alpn-01']],
    ]);
  });

  test.each<[string, object, string, number]>([
    ['without identifiers', { identifiers: [] }, 'malformed', 400],
    ['with invalid identifiers', { identifiers: ['a.test'] }, 'malformed', 400],
    [
      'of another type',
      { identifiers: [{ type: 'email', value: 'a@b.test' }] },
      'unsupportedIdentifier',
      400,
    ],
    ['with an invalid name', { identifiers: dnsIdentifiers('a_b.test') }, 'malformed', 400],
    ['of an unknown profile', { identifiers: dnsIdentifiers('a.test'), profile: 'x' }, 'invalidProfile', 400],
    [
      'of a validity that is not an instant',
      { identifiers: dnsIdentifiers('a.test'), notAfter: 'soon' },
      'malformed',
      400,
    ],
    [
      'of a validity after the issuer’s',
      { identifiers: dnsIdentifiers('a.test'), notAfter: '2999-01-01T00:00:00Z' },
      'malformed',
      400,
    ],
  ])('is refused %s', async (_, payload, type, status) => {
    expect(await client.post(`${acme.url}/acme/new-order`, payload)).toMatchObject(problem(type, status));
  });

  test('has the requested profile and validity', async () => {
    const notAfter = new Date(acme.clock.now().getTime() + 3_600_000).toISOString();
    const { body } = await client.order(dnsIdentifiers('a.test'), { profile: 'shortlived', notAfter });
    expect(body).toMatchObject({ profile: 'shortlived', notAfter: expect.stringMatching(/\.000Z$/) });
  });
});

describe('an order (RFC 8555 §7.1.6)', () => {
  test('changes from pending to ready to valid, and links its certificate', async () => {
    const { body: pending, headers } = await client.order(dnsIdentifiers('a.test', 'b.test'));
    const url = headers.get('location') ?? '';
    const statusNow = async () => (await client.post<AcmeOrder>(url)).body.status;
    const [one, other] = await client.challengesOf(pending, 'http-01');
    await client.decide(one?.url ?? '');
    expect(await statusNow()).toBe('pending');
    await client.decide(other?.url ?? '');
    expect(await statusNow()).toBe('ready');
    expect((await client.finalize(pending)).body.status).toBe('valid');
    expect((await client.post<AcmeOrder>(url)).body.certificate).toMatch(/\/acme\/certificates\//);
  });

  test('is invalid once it expires, or an authorization is deactivated', async () => {
    const other = await startAcme({ settings: { orderSeconds: 60 } });
    const owner = await other.client();
    const { headers } = await owner.order(dnsIdentifiers('a.test'));
    const url = headers.get('location') ?? '';
    other.clock.advance(59_999);
    expect((await owner.post<AcmeOrder>(url)).body.status).toBe('pending');
    other.clock.advance(1);
    expect((await owner.post<AcmeOrder>(url)).body.status).toBe('invalid');
    await other.close();
  });

  test('of another account is not shown', async () => {
    const { headers } = await client.order(dnsIdentifiers('a.test'));
    const other = await acme.client();
    const url = headers.get('location') ?? '';
    expect(await other.post(url)).toMatchObject(problem('unauthorized', 403));
    expect(await other.post(`${url}x`)).toMatchObject(problem('malformed', 404));
  });
});

describe('authorizations (RFC 8555 §7.4.1, §7.5)', () => {
  const newAuthz = (value: string, type = 'dns') =>
    client.post<AcmeAuthorization>(`${acme.url}/acme/new-authz`, { identifier: { type, value } });

  test('can be created before an order, which then uses them', async () => {
    const { status, body, headers } = await newAuthz('early.test');
    expect(status).toBe(201);
    expect(body.status).toBe('pending');
    const { body: order } = await client.order(dnsIdentifiers('early.test'));
    expect(order.authorizations).toEqual([headers.get('location')]);
    await client.prove(order, 'http-01');
    const { body: ready } = await client.order(dnsIdentifiers('early.test'));
    expect(ready.status).toBe('ready');
    expect((await newAuthz('early.test')).status).toBe(200);
  });

  test.each([
    ['*.a.test', 'dns', 'malformed'],
    ['a_b.test', 'dns', 'malformed'],
    ['x', 'tn', 'unsupportedIdentifier'],
  ])('are rejected before an order for %s', async (value, type, expected) => {
    expect(await newAuthz(value, type)).toMatchObject(problem(expected, 400));
  });

  test('§7.5.2: are deactivated, after which nothing can be proven or finalized', async () => {
    const { body: order, headers } = await client.order(dnsIdentifiers('gone.test'));
    await client.prove(order, 'http-01');
    const [url = ''] = order.authorizations;
    const [challenge] = await client.challengesOf(order, 'http-01');
    expect((await client.post(url, { status: 'deactivated' })).body).toMatchObject({ status: 'deactivated' });
    expect((await client.post(url, { status: 'deactivated' })).status).toBe(200);
    expect((await client.post(headers.get('location') ?? '')).body).toMatchObject({ status: 'invalid' });
    expect(await client.finalize(order)).toMatchObject(problem('orderNotReady', 403));
    expect((await client.post(challenge?.url ?? '', {})).status).toBe(200);
    expect(await client.post(url, { status: 'valid' })).toMatchObject(problem('malformed', 400));
  });

  test('that are final show only the deciding challenge', async () => {
    const { body: order } = await client.order(dnsIdentifiers('a.test'));
    await client.prove(order, 'dns-01');
    expect(await authorizationsOf(order)).toMatchObject([
      { status: 'valid', challenges: [{ type: 'dns-01', status: 'valid', validated: expect.any(String) }] },
    ]);
  });

  test('of another account are not shown, nor their challenges', async () => {
    const { body: order } = await client.order(dnsIdentifiers('a.test'));
    const [challenge] = await client.challengesOf(order, 'http-01');
    const other = await acme.client();
    const [url = ''] = order.authorizations;
    for (const address of [url, challenge?.url ?? '']) {
      expect(await other.post(address)).toMatchObject(problem('unauthorized', 403));
    }
    expect(await client.post(`${url}x`)).toMatchObject(problem('malformed', 404));
    expect(await client.post(`${challenge?.url}x`)).toMatchObject(problem('malformed', 404));
  });

  test('of earlier orders are reused only if configured', async () => {
    const reusing = await startAcme({ settings: { reuseAuthorizations: true } });
    for (const [server, status] of [
      [acme, 'pending'],
      [reusing, 'ready'],
    ] as const) {
      const owner = await server.client();
      await owner.issue(dnsIdentifiers('again.test'));
      expect((await owner.order(dnsIdentifiers('again.test'))).body.status).toBe(status);
      expect((await owner.order(dnsIdentifiers('*.again.test'))).body.status).toBe('pending');
    }
    await reusing.close();
  });

  test('of earlier orders are reused although a later one is still pending', async () => {
    const reusing = await startAcme({ settings: { reuseAuthorizations: true } });
    const owner = await reusing.client();
    const { body: first } = await owner.order(dnsIdentifiers('twice.test'));
    await owner.order(dnsIdentifiers('twice.test'));
    await owner.prove(first, 'http-01');
    expect((await owner.order(dnsIdentifiers('twice.test'))).body).toMatchObject({
      status: 'ready',
      authorizations: first.authorizations,
    });
    await reusing.close();
  });
});

describe('a challenge (RFC 8555 §7.5.1)', () => {
  test('links its authorization, and is not started by POST-as-GET', async () => {
    const { body: order } = await client.order(dnsIdentifiers('a.test'));
    const [challenge] = await client.challengesOf(order, 'http-01');
    const answer = await client.post(challenge?.url ?? '');
    expect(answer.body).toMatchObject({ status: 'pending', token: expect.stringMatching(/^[\w-]{32}$/) });
    expect(answer.headers.get('link')).toContain(`<${order.authorizations[0]}>;rel="up"`);
  });

  test('rejects a payload that is not an object', async () => {
    const { body: order } = await client.order(dnsIdentifiers('a.test'));
    const [{ url } = { url: '' }] = await client.challengesOf(order, 'http-01');
    expect(await client.post(url, [])).toMatchObject(problem('malformed', 400));
    expect((await client.post(url)).body).toMatchObject({ status: 'pending' });
    expect((await client.post(url, { more: 1 })).body).toMatchObject({ status: 'valid' });
  });

  test('that fails makes authorization and order invalid, with the reason', async () => {
    const refusing = await startAcme({ validation: { mode: 'always-invalid' } });
    const owner = await refusing.client();
    const { body: order, headers } = await owner.order(dnsIdentifiers('a.test'));
    const [challenge] = await owner.prove(order, 'http-01');
    expect(challenge).toMatchObject({
      status: 'invalid',
      error: { type: 'urn:ietf:params:acme:error:unauthorized', status: 403 },
    });
    expect((await owner.post(order.authorizations[0] ?? '')).body).toMatchObject({ status: 'invalid' });
    expect((await owner.post(headers.get('location') ?? '')).body).toMatchObject({
      status: 'invalid',
      error: { subproblems: [{ identifier: { type: 'dns', value: 'a.test' } }] },
    });
    await refusing.close();
  });

  test('that fails is final, also for a running one', async () => {
    const held: ServerResponse[] = [];
    const web = await serve((_, response) => held.push(response));
    const real = { mode: 'real', http01Port: web.port, tlsAlpn01Port: 1, resolveTo: '127.0.0.1' } as const;
    const other = await startAcme({ validation: real, settings: { challengeWaitMs: 1 } });
    const owner = await other.client();
    const { body: order } = await owner.order(dnsIdentifiers('a.test'));
    const [slow] = await owner.challengesOf(order, 'http-01');
    const [failing] = await owner.challengesOf(order, 'tls-alpn-01');
    expect((await owner.post(slow?.url ?? '', {})).body).toMatchObject({ status: 'processing' });
    expect((await owner.decide(failing?.url ?? '')).status).toBe('invalid');
    for (const response of held) response.end(owner.keyAuthorization(slow?.token ?? ''));
    expect(held).toHaveLength(1);
    expect((await owner.decide(slow?.url ?? '')).status).toBe('invalid');
    const { body } = await owner.post(order.authorizations[0] ?? '');
    expect(body).toMatchObject({ status: 'invalid' });
    await other.close();
    await web.close();
  });

  test('is rejected when its authorization has expired', async () => {
    const other = await startAcme({ settings: { authorizationSeconds: 60 } });
    const owner = await other.client();
    const { body: order } = await owner.order(dnsIdentifiers('a.test'));
    const [challenge] = await owner.challengesOf(order, 'http-01');
    other.clock.advance(60_000);
    expect(await owner.post(challenge?.url ?? '', {})).toMatchObject(problem('malformed', 400));
    await other.close();
  });
});
