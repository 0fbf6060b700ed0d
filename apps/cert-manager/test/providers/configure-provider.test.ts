import { randomBytes } from 'node:crypto';
import type { Provider } from '@certloop/contracts';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { secretMask } from '../../src/providers/changes/config-rules.js';
import { providers } from '../../src/providers/providers.repository.js';
import { startApp, type TestApp } from '../support/app.js';
import { auditEntries, badIds, unknownId } from '../support/inventory.js';
import { configure, providerOf } from '../support/signing.js';

const hmacKey = randomBytes(32).toString('base64url');
const tsigSecret = randomBytes(32).toString('base64');
const authHeader = 'Basic dXNlcjpwYXNzd29yZA==';
const key = `first:${randomBytes(32).toString('base64')}`;
const acmeConfig = {
  directoryUrl: 'https://8.8.8.8/dir',
  termsOfServiceAgreed: true,
  eab: { kid: 'kid-1', hmacKey },
};

describeEachDialect('configuring a provider', (open) => {
  let app: TestApp;
  let dummyCa: Provider;
  let acme: Provider;

  beforeAll(async () => {
    app = await startApp(open, { environment: { ENCRYPTION_KEYS: key } });
    dummyCa = await providerOf(app, 'dummy-ca');
    acme = await providerOf(app, 'acme');
  });
  afterAll(() => app.close());

  // public and literal: nothing is resolved, and no test calls it
  const address = 'http://8.8.8.8:3002';

  test('stores the members that are sent and fills in defaults', async () => {
    const { body } = await configure(app, dummyCa, { baseUrl: `${address}/`, validityDays: 30 }).expect(200);
    expect(body).toEqual({ message: 'provider dummy-ca is configured' });
    expect((await providerOf(app, 'dummy-ca')).config).toEqual({
      baseUrl: address,
      validityDays: 30,
      timeoutMs: 10_000,
      maxConcurrency: 4,
      allowPrivateNetwork: false,
    });
  });

  test('resets omitted and null members to their defaults', async () => {
    await configure(app, dummyCa, { baseUrl: address, validityDays: 30, timeoutMs: 500 }).expect(200);
    await configure(app, dummyCa, { baseUrl: address, timeoutMs: null }).expect(200);
    expect((await providerOf(app, 'dummy-ca')).config).toMatchObject({
      validityDays: 365,
      timeoutMs: 10_000,
    });
  });

  test('writes an audit entry with the old and new configuration, without secrets', async () => {
    await configure(app, dummyCa, { baseUrl: address, validityDays: 1 }).expect(200);
    await configure(app, dummyCa, { baseUrl: address, validityDays: 2 }).expect(200);
    expect((await auditEntries(app, 'provider.config')).at(-1)).toMatchObject({
      resourceType: 'provider',
      resourceId: dummyCa.id,
      userId: app.people.ada.id,
      details: { provider: 'dummy-ca', before: { validityDays: 1 }, after: { validityDays: 2 } },
    });
  });

  describe('with secrets', () => {
    const stored = async () => {
      const row = await app.database.read((tx) => tx.findOneByOrFail(providers, { id: acme.id }));
      return { text: JSON.stringify(row), secrets: row.secrets };
    };

    test('shows them as a mask, stores them encrypted and logs none of them', async () => {
      const challenge = { type: 'dns-01', dns: { kind: 'webhook', url: 'https://8.8.4.4', authHeader } };
      await configure(app, acme, { ...acmeConfig, challenge }).expect(200);
      expect((await providerOf(app, 'acme')).config).toMatchObject({
        eab: { kid: 'kid-1', hmacKey: '********' },
        challenge: { dns: { authHeader: '********', mode: 'fqdn-value' } },
      });
      const { text, secrets } = await stored();
      expect(Object.keys(secrets).sort()).toEqual(['challenge.dns.authHeader', 'eab.hmacKey']);
      const entries = JSON.stringify(await auditEntries(app, 'provider.config'));
      for (const place of [text, entries, JSON.stringify(app.logged())]) {
        expect(place).not.toContain(hmacKey);
        expect(place).not.toContain(authHeader);
      }
    });

    test('keeps one that is sent as its mask, and deletes an omitted one', async () => {
      await configure(app, acme, acmeConfig).expect(200);
      const before = await stored();
      const unchanged = { ...acmeConfig, profile: 'short', eab: { kid: 'kid-2', hmacKey: '********' } };
      await configure(app, acme, unchanged).expect(200);
      expect((await stored()).secrets).toEqual(before.secrets);
      expect((await providerOf(app, 'acme')).config).toMatchObject({
        profile: 'short',
        eab: { kid: 'kid-2' },
      });
      await configure(app, acme, { ...acmeConfig, eab: null }).expect(200);
      expect((await stored()).secrets).toEqual({});
      expect((await providerOf(app, 'acme')).config).not.toHaveProperty('eab');
    });

    test('clears one that is sent as null, and the account binding with its key', async () => {
      await configure(app, acme, acmeConfig).expect(200);
      await configure(app, acme, { ...acmeConfig, eab: { kid: 'kid-1', hmacKey: null } }).expect(200);
      expect((await stored()).secrets).toEqual({});
      expect((await providerOf(app, 'acme')).config).not.toHaveProperty('eab');
    });

    test('rejects a mask if no secret is stored, naming the key', async () => {
      await configure(app, acme, { ...acmeConfig, eab: null }).expect(200);
      const { body } = await configure(app, acme, {
        ...acmeConfig,
        eab: { kid: 'k', hmacKey: '********' },
      }).expect(400);
      expect(body.errors).toEqual([
        {
          path: 'config.eab.hmacKey',
          code: 'secret_refused',
          message: 'is the mask of a secret that is not stored',
        },
      ]);
    });
  });

  describe('with a secret that is sent as its mask', () => {
    const dnsProvider = (dns: object, rest: object = {}) =>
      configure(app, acme, { ...acmeConfig, challenge: { type: 'dns-01', dns }, ...rest });
    const account = { username: 'u', password: authHeader, subdomain: 's' };

    test.each([
      ['challenge.dns.authHeader', { kind: 'webhook' }, { authHeader }, { authHeader: secretMask }],
      [
        'challenge.dns.acmeDns.password',
        { kind: 'acme-dns' },
        { acmeDns: account },
        { acmeDns: { ...account, password: secretMask } },
      ],
    ])('rejects another address for %s, and keeps the secret otherwise', async (path, kind, secret, mask) => {
      await dnsProvider({ ...kind, ...secret, url: 'https://8.8.4.4' }).expect(200);
      const { body } = await dnsProvider({ ...kind, ...mask, url: 'https://9.9.9.9' }).expect(400);
      const message = 'is sent to challenge.dns.url, which changes: enter the secret again';
      expect(body.errors).toEqual([{ path: `config.${path}`, code: 'secret_refused', message }]);
      expect(body.detail).toBe(`config.${path}: ${message}`);
      expect((await providerOf(app, 'acme')).config).toMatchObject({
        challenge: { dns: { url: 'https://8.8.4.4' } },
      });
      await dnsProvider({ ...kind, ...mask, url: 'https://8.8.4.4/path' }).expect(200);
      await dnsProvider({ ...kind, ...secret, url: 'https://9.9.9.9' }).expect(200);
    });

    test('rejects another directory for the key of an account binding', async () => {
      await configure(app, acme, acmeConfig).expect(200);
      const masked = { ...acmeConfig, eab: { kid: 'kid-1', hmacKey: secretMask } };
      const { body } = await configure(app, acme, { ...masked, directoryUrl: 'https://9.9.9.9/dir' }).expect(
        400,
      );
      expect(body.errors).toEqual([
        {
          path: 'config.eab.hmacKey',
          code: 'secret_refused',
          message: 'is sent to directoryUrl, which changes: enter the secret again',
        },
      ]);
    });
  });

  describe('is refused', () => {
    test.each([
      ['an unknown key', { baseUrl: address, baseurl: address }, 'config.baseurl'],
      ['no address', {}, 'config.baseUrl'],
      ['an invalid address', { baseUrl: 'ca' }, 'config.baseUrl'],
      ['a validity out of range', { baseUrl: address, validityDays: 826 }, 'config.validityDays'],
      ['an invalid root', { baseUrl: address, rootPem: 'x' }, 'config.rootPem'],
    ])('for %s, naming it', async (_, config, path) => {
      const { body } = await configure(app, dummyCa, config).expect(400);
      expect(body.errors.map((fault: { path: string }) => fault.path)).toEqual([path]);
      expect(body.detail).toContain(path);
    });

    test.each([
      ['loopback', 'http://127.0.0.1:3002'],
      ['loopback in another spelling', 'http://0x7f.1:3002'],
      ['loopback of IPv6', 'http://[::1]:3002'],
      ['a private address', 'http://10.1.2.3'],
      ['a private address of IPv6', 'http://[fd00::1]'],
      ['an IPv4 address in one of IPv6', 'http://[::ffff:192.168.0.1]'],
      ['a name that leads to a private address', 'http://localhost:3002'],
    ])('for %s, unless private addresses are allowed', async (_, baseUrl) => {
      const { body } = await configure(app, dummyCa, { baseUrl }).expect(400);
      expect(body.code).toBe('target_refused');
      expect(body.errors[0].path).toBe('config.baseUrl');
      await configure(app, dummyCa, { baseUrl, allowPrivateNetwork: true }).expect(200);
    });

    test.each([
      ['a metadata service', 'http://169.254.169.254/latest'],
      ['a metadata service of IPv6', 'http://[fd00:ec2::254]'],
      ['no address', 'http://0.0.0.0'],
      ['link-local', 'http://[fe80::1]'],
      ['multicast', 'http://224.0.0.1'],
    ])('for %s, whatever is allowed', async (_, baseUrl) => {
      const { body } = await configure(app, dummyCa, { baseUrl, allowPrivateNetwork: true }).expect(400);
      expect(body.errors[0].path).toBe('config.baseUrl');
    });

    test('for a backend of challenges at a private address, naming it', async () => {
      const dns = { kind: 'webhook', url: 'http://10.0.0.1' };
      const config = {
        directoryUrl: 'https://8.8.8.8/dir',
        termsOfServiceAgreed: true,
        challenge: { type: 'dns-01', dns },
      };
      const { body } = await configure(app, acme, config).expect(400);
      expect(body.errors[0].path).toBe('config.challenge.dns.url');
    });

    test.each([
      ['at the top', '{"baseUrl":"http://8.8.8.8","__proto__":{"a":1}}', 'config.__proto__'],
      [
        'deeper',
        '{"directoryUrl":"https://8.8.8.8/d","termsOfServiceAgreed":true,"challenge":{"__proto__":{}}}',
        'config.challenge.__proto__',
      ],
    ])('for a key __proto__ %s, naming it', async (_, config, path) => {
      const provider = path === 'config.__proto__' ? dummyCa : acme;
      const { body } = await app.request
        .put(`/providers/${provider.id}/config`)
        .set(app.people.ada.auth)
        .set('content-type', 'application/json')
        .send(`{"config":${config}}`)
        .expect(400);
      expect(body.errors).toEqual([{ path, code: 'unknown_member', message: 'is not known' }]);
    });

    test.each([1, 7, 9, 22, 25, 6000, 10_080])(
      'for port %i, which clients refuse to call, naming the key',
      async (port) => {
        const { body } = await configure(app, dummyCa, { baseUrl: `http://8.8.8.8:${port}` }).expect(400);
        expect(body.errors).toEqual([
          {
            path: 'config.baseUrl',
            code: 'not_allowed',
            message: `must not have port ${port}, which HTTP clients refuse to call`,
          },
        ]);
        await configure(app, acme, { ...acmeConfig, directoryUrl: `https://8.8.8.8:${port}/d` }).expect(400);
      },
    );

    test('for terms of service without agreement, naming the key', async () => {
      const { body } = await configure(app, acme, { ...acmeConfig, termsOfServiceAgreed: false }).expect(400);
      expect(body.errors[0]).toMatchObject({ path: 'config.termsOfServiceAgreed', message: 'must be true' });
    });

    test('for a resolver at an address that is never called, or no address, naming it', async () => {
      const dns = (resolver: string) => ({
        kind: 'webhook',
        url: 'https://8.8.4.4',
        propagation: { resolvers: ['8.8.8.8', resolver] },
      });
      const config = (resolver: string, more: object = {}) => ({
        directoryUrl: 'https://8.8.8.8/dir',
        termsOfServiceAgreed: true,
        challenge: { type: 'dns-01', dns: dns(resolver) },
        ...more,
      });
      const path = 'config.challenge.dns.propagation.resolvers[1]';
      const none = ['ns.example.org', '8.8.8.8:0', 'fe80::1%eth0'];
      for (const resolver of ['10.0.0.1:53', '[::1]:53', '169.254.169.254', ...none]) {
        const { body } = await configure(app, acme, config(resolver)).expect(400);
        expect(body.errors[0].path).toBe(path);
      }
      await configure(app, acme, config('127.0.0.1:5353', { allowPrivateNetwork: true })).expect(200);
    });

    test.each([
      ['rfc2136', 'dns://[[['],
      ['rfc2136', 'dns://[::1'],
      ['rfc2136', 'dns://ns.example.org:99999'],
      ['rfc2136', 'dns://ns.example.org:0'],
      ['rfc2136', 'dns://ns.example.org:dns'],
      ['rfc2136', 'dns://8.8.8.8.8'],
      ['rfc2136', 'dns://256.8.8.8'],
      ['webhook', 'http://'],
      ['webhook', 'http://['],
    ])('for a backend of the kind %s at %s, which is not an address, naming it', async (kind, url) => {
      const tsig = { name: 'key.example.org', secret: tsigSecret };
      const challenge = { type: 'dns-01', dns: { kind, url, tsig } };
      const { body } = await configure(app, acme, { ...acmeConfig, challenge }).expect(400);
      expect(body.errors[0].path).toBe('config.challenge.dns.url');
    });

    test.each([
      ['none', {}],
      ['null', { config: null }],
      ['a list', { config: [] }],
      ['a text', { config: 'baseUrl' }],
    ])('when there is %s', async (_, body) => {
      await app.request
        .put(`/providers/${dummyCa.id}/config`)
        .set(app.people.ada.auth)
        .send(body)
        .expect(400);
    });

    test.each([unknownId, ...badIds])('for the provider %s', async (id) => {
      const config = { baseUrl: address };
      const path = `/providers/${id}/config`;
      await app.request.put(path).set(app.people.ada.auth).send({ config }).expect(404);
    });

    test('to everyone but administrators, and changes nothing', async () => {
      const { config: before } = await providerOf(app, 'dummy-ca');
      const path = `/providers/${dummyCa.id}/config`;
      const body = { config: { baseUrl: 'http://8.8.4.4' } };
      await app.request.put(path).set(app.people.ben.auth).send(body).expect(403);
      await app.request.put(path).send(body).expect(401);
      expect((await providerOf(app, 'dummy-ca')).config).toEqual(before);
    });
  });
});

describeEachDialect('configuring a provider without encryption keys', (open) => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startApp(open);
  });
  afterAll(() => app.close());

  test('accepts a configuration without secrets', async () => {
    const config = { directoryUrl: 'https://8.8.8.8/dir', termsOfServiceAgreed: true };
    await configure(app, await providerOf(app, 'acme'), config).expect(200);
  });

  test('refuses a secret, naming it', async () => {
    const { body } = await configure(app, await providerOf(app, 'acme'), acmeConfig).expect(400);
    expect(body.errors).toEqual([
      {
        path: 'config.eab.hmacKey',
        code: 'secret_refused',
        message: 'cannot be stored: this service has no ENCRYPTION_KEYS',
      },
    ]);
  });
});
