import { type AcmeClient, type Answer, dnsIdentifiers } from '@certloop/acme-server/testing';
import { acmeAccountSchema } from '@certloop/contracts';
import { exportJwk, macJws, signJws } from '@certloop/crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startAcme, type TestAcme } from '../support/acme.js';
import { p256 } from '../support/csrs.js';

const macKey = Buffer.alloc(32, 9);
let acme: TestAcme;
let bound: TestAcme;
beforeAll(async () => {
  acme = await startAcme({ settings: { ordersPerPage: 2 } });
  bound = await startAcme({
    settings: {
      termsOfService: 'https://example.test/terms',
      externalAccounts: new Map([['kid-1', macKey]]),
      requireExternalAccount: true,
    },
  });
});
afterAll(async () => {
  await acme.close();
  await bound.close();
});

const problem = (type: string, status: number) => ({
  status,
  body: { type: `urn:ietf:params:acme:error:${type}` },
});

describe('newAccount (RFC 8555 §7.3)', () => {
  test('creates an account, and finds it again by its key', async () => {
    const client = acme.stranger();
    const first = await client.register({ contact: ['mailto:ada@example.test'] });
    expect(first.status).toBe(201);
    expect(acmeAccountSchema.parse(first.body)).toEqual({
      status: 'valid',
      contact: ['mailto:ada@example.test'],
      termsOfServiceAgreed: true,
      orders: `${client.kid}/orders`,
    });
    const { kid } = client;
    const second = await client.register({ contact: 'other@example.test', onlyReturnExisting: 'no' });
    expect(second.status).toBe(200);
    expect(second.body).toEqual(first.body);
    expect(client.kid).toBe(kid);
  });

  test('§7.3.1: creates none if onlyReturnExisting is set', async () => {
    const client = acme.stranger();
    expect(await client.register({ onlyReturnExisting: true })).toMatchObject(
      problem('accountDoesNotExist', 400),
    );
    await client.register();
    expect((await client.register({ onlyReturnExisting: true })).status).toBe(200);
  });

  test.each([
    [['tel:+371'], 'unsupportedContact'],
    [['mailto:unknown'], 'invalidContact'],
  ])('refuses the contacts %j', async (contact, type) => {
    expect(await acme.stranger().register({ contact })).toMatchObject(problem(type, 400));
  });

  test.each([[{ contact: 'mailto:a@b.test' }], [{ contact: [1] }], [{ onlyReturnExisting: 'yes' }]])(
    'refuses the payload %j',
    async (payload) => {
      expect(await acme.stranger().register(payload)).toMatchObject(problem('malformed', 400));
    },
  );
});

describe('an account (RFC 8555 §7.3.2, §7.3.6)', () => {
  test('is returned, and its contacts are replaced', async () => {
    const client = await acme.client();
    expect((await client.post(client.kid)).body).toMatchObject({ status: 'valid', contact: [] });
    const { body } = await client.post(client.kid, { contact: ['mailto:new@example.test'] });
    expect(body).toMatchObject({ contact: ['mailto:new@example.test'] });
    expect((await client.post(client.kid, {})).body).toEqual(body);
  });

  test.each([
    [{ orders: 'http://elsewhere.test' }],
    [{ status: 'valid' }],
    [{ status: 'revoked' }],
    [{ status: 5 }],
    [{ status: null }],
    [{ termsOfServiceAgreed: 'no' }],
    [{ onlyReturnExisting: true }],
  ])('§7.3.2: ignores read-only members: %j', async (members) => {
    const client = await acme.client();
    const { status, body } = await client.post(client.kid, members);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      status: 'valid',
      termsOfServiceAgreed: true,
      orders: `${client.kid}/orders`,
    });
  });

  test.each([[{ contact: null }], [{ contact: 'mailto:a@b.test' }], [[]], [5]])(
    'refuses the update %j',
    async (update) => {
      const client = await acme.client();
      expect(await client.post(client.kid, Object(update))).toMatchObject(problem('malformed', 400));
    },
  );

  test('is not shown to another account', async () => {
    const [one, other] = [await acme.client(), await acme.client()];
    expect(await one.post(other.kid)).toMatchObject(problem('unauthorized', 403));
  });

  test('§7.3.6: once deactivated, gets 401 for every request, also by its key', async () => {
    const client = await acme.client();
    const { status, body } = await client.post(client.kid, { status: 'deactivated' });
    expect([status, body]).toEqual([200, expect.objectContaining({ status: 'deactivated' })]);
    expect(await client.post(client.kid)).toMatchObject(problem('unauthorized', 401));
    expect(await client.order(dnsIdentifiers('a.test'))).toMatchObject(problem('unauthorized', 401));
    expect(await client.register()).toMatchObject(problem('unauthorized', 401));
  });
});

describe('terms and external accounts (RFC 8555 §7.3.3, §7.3.4)', () => {
  const url = () => `${bound.url}/acme/new-account`;
  const binding = (client: AcmeClient, header: object = {}, key = macKey, payload?: object) =>
    macJws(key, { kid: 'kid-1', url: url(), ...header }, JSON.stringify(payload ?? exportJwk(client.key)));

  test('are announced by the directory', async () => {
    expect((await bound.stranger().directory()).meta).toMatchObject({
      termsOfService: 'https://example.test/terms',
      externalAccountRequired: true,
    });
  });

  test('a valid binding is accepted, and returned', async () => {
    const client = bound.stranger();
    const externalAccountBinding = binding(client);
    const { status, body } = await client.register({ externalAccountBinding });
    expect(status).toBe(201);
    expect(body).toMatchObject({ externalAccountBinding, termsOfServiceAgreed: true });
  });

  test('an account without agreement is refused with a link to the terms', async () => {
    const client = bound.stranger();
    const answer = await client.register({ termsOfServiceAgreed: false });
    expect(answer).toMatchObject(problem('userActionRequired', 403));
    expect(answer.headers.get('link')).toContain('<https://example.test/terms>;rel="terms-of-service"');
    expect(answer.headers.get('link')).toContain(`<${client.directoryUrl}>;rel="index"`);
  });

  test('an account without a binding is refused', async () => {
    expect(await bound.stranger().register()).toMatchObject(problem('externalAccountRequired', 403));
  });

  test.each<[string, (client: AcmeClient) => unknown, string, number]>([
    ['of an unknown kid', (client) => binding(client, { kid: 'kid-2' }), 'unauthorized', 403],
    ['of another MAC key', (client) => binding(client, {}, Buffer.alloc(32)), 'unauthorized', 403],
    ['for another address', (client) => binding(client, { url: `${bound.url}/x` }), 'malformed', 400],
    [
      'for another account key',
      (client) => binding(client, {}, macKey, exportJwk(p256().publicKey)),
      'malformed',
      400,
    ],
    ['with a nonce', (client) => binding(client, { nonce: 'AAAA' }), 'malformed', 400],
    ['signed instead of by MAC', (client) => binding(client, { alg: 'ES256' }), 'badSignatureAlgorithm', 400],
    ['that is not a JWS', () => 'x', 'malformed', 400],
    ['that is null', () => null, 'malformed', 400],
    ['by a longer MAC', (client) => binding(client, { alg: 'HS512' }), 'badSignatureAlgorithm', 400],
    ['without a kid', (client) => binding(client, { kid: undefined }), 'unauthorized', 403],
  ])('a binding %s is refused', async (_, make, type, status) => {
    const client = bound.stranger();
    const externalAccountBinding = make(client);
    expect(await client.register({ externalAccountBinding })).toMatchObject(problem(type, status));
  });
});

test('a binding of another algorithm is refused with the one that is accepted (RFC 8555 §6.2)', async () => {
  const client = bound.stranger();
  const header = { alg: 'HS384', kid: 'kid-1', url: `${bound.url}/acme/new-account` };
  const externalAccountBinding = macJws(macKey, header, JSON.stringify(exportJwk(client.key)));
  const { body } = await client.register({ externalAccountBinding });
  expect(body).toMatchObject({ algorithms: ['HS256'] });
});

describe('key change (RFC 8555 §7.3.5)', () => {
  const url = () => `${acme.url}/acme/key-change`;

  async function innerOf(
    client: AcmeClient,
    next = p256(),
    { header = {}, payload = {} }: { readonly header?: object; readonly payload?: object } = {},
  ) {
    const { privateKey, publicKey } = next;
    return signJws(
      privateKey,
      { jwk: exportJwk(publicKey), url: url(), ...header },
      JSON.stringify({ account: client.kid, oldKey: exportJwk(client.key), ...payload }),
    );
  }

  test('moves the account from the old key to the new one', async () => {
    const client = await acme.client();
    const next = p256();
    const old = client.key;
    expect((await client.post(url(), await innerOf(client, next))).status).toBe(200);
    expect(await client.post(client.kid)).toMatchObject({ status: 400 });
    client.useKey(next.privateKey);
    expect((await client.post(client.kid)).status).toBe(200);
    const { kid } = client;
    expect((await client.register({ onlyReturnExisting: true })).headers.get('location')).toBe(kid);
    const other = acme.stranger();
    other.useKey(old);
    expect(await other.register({ onlyReturnExisting: true })).toMatchObject({ status: 400 });
  });

  test('rejects a key that has an account, and names the account', async () => {
    const [client, other] = [await acme.client(), await acme.client()];
    const inner = await signJws(
      other.key,
      { jwk: exportJwk(other.key), url: url() },
      JSON.stringify({ account: client.kid, oldKey: exportJwk(client.key) }),
    );
    const answer = await client.post(url(), inner);
    expect(answer).toMatchObject(problem('malformed', 409));
    expect(answer.headers.get('location')).toBe(other.kid);
  });

  test.each<[string, (client: AcmeClient) => Promise<object>]>([
    ['that is not a JWS', async () => ({})],
    ['with a kid', async (client) => innerOf(client, p256(), { header: { kid: client.kid } })],
    ['without a key', async (client) => innerOf(client, p256(), { header: { jwk: undefined } })],
    ['with a nonce', async (client) => innerOf(client, p256(), { header: { nonce: 'AAAA' } })],
    ['for another address', async (client) => innerOf(client, p256(), { header: { url: 'http://x.test/' } })],
    [
      'of another key than its jwk',
      async (client) => innerOf(client, p256(), { header: { jwk: exportJwk(p256().publicKey) } }),
    ],
    [
      'for another account',
      async (client) => innerOf(client, p256(), { payload: { account: `${acme.url}/acme/accounts/x` } }),
    ],
    [
      'with another old key',
      async (client) => innerOf(client, p256(), { payload: { oldKey: exportJwk(p256().publicKey) } }),
    ],
    ['without an old key', async (client) => innerOf(client, p256(), { payload: { oldKey: undefined } })],
  ])('refuses an inner JWS %s', async (_, make) => {
    const client = await acme.client();
    const answer = await client.post(url(), await make(client));
    expect(answer.status).toBe(400);
    expect((await client.post(client.kid)).status).toBe(200);
  });
});

describe('the orders of an account (RFC 8555 §7.1.2.1)', () => {
  test('are returned in pages, without invalid ones', async () => {
    const client = await acme.client();
    const addresses: string[] = [];
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) {
      const answer = await client.order(dnsIdentifiers(`${name}.test`));
      addresses.push(answer.headers.get('location') ?? '');
      if (name === 'b') await client.post(answer.body.authorizations[0] ?? '', { status: 'deactivated' });
    }
    const listed: string[] = [];
    let pages = 0;
    for (let next: string | undefined = `${client.kid}/orders`; next !== undefined; pages += 1) {
      const answer: Answer<{ readonly orders: string[] }> = await client.post(next);
      listed.push(...answer.body.orders);
      next = /<([^>]+)>;rel="next"/.exec(answer.headers.get('link') ?? '')?.[1];
    }
    expect(listed).toEqual(addresses.filter((_, place) => place !== 1));
    expect(pages).toBe(3);
  });

  test('are not shown to another account, nor for an invalid page', async () => {
    const [one, other] = [await acme.client(), await acme.client()];
    expect(await one.post(`${other.kid}/orders`)).toMatchObject(problem('unauthorized', 403));
    expect(await one.post(`${one.kid}/orders?cursor=x`)).toMatchObject(problem('malformed', 404));
  });
});
