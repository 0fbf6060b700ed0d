import type { ChallengeSetup, Fqdn } from '@certloop/contracts';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, startAppOn, type TestApp } from '../support/app.js';
import { grant } from '../support/factories.js';
import { addCsr, addFqdn, addSpace, badIds, pathOf, unknownId } from '../support/inventory.js';
import { addJob } from '../support/issuance.js';
import { configure, newCsr, providerOf } from '../support/signing.js';

const environment = {
  ENCRYPTION_KEYS: `one:${Buffer.alloc(32, 7).toString('base64')}`,
  CERT_MANAGER_PUBLIC_URL: 'https://certs.example.org',
};
const authHeader = 'Basic c2VjcmV0';

describeEachDialect('the setup of challenges', (open) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(open, { environment });
  });
  afterAll(() => app.close());

  const useChallenge = async (challenge: object) => {
    const acme = await providerOf(app, 'acme');
    const config = { directoryUrl: 'https://8.8.8.8/dir', termsOfServiceAgreed: true, challenge };
    await configure(app, acme, config).expect(200);
    return acme;
  };
  const newFqdn = async (hostname = 'www.example.org', ...names: string[]): Promise<Fqdn> => {
    const { id } = await addSpace(app);
    const fqdn = await addFqdn(app, id, hostname);
    if (names.length > 0) await addCsr(app, fqdn, await newCsr(...names));
    return fqdn;
  };
  const setupOf = async (fqdn: Fqdn, of: TestApp = app): Promise<ChallengeSetup> => {
    const path = pathOf(fqdn, 'challenge-setup');
    return (await of.request.get(path).set(of.people.ada.auth).expect(200)).body;
  };

  describe('by http-01', () => {
    test('forwards the path to this service, for every name of the CSR', async () => {
      const { id } = await useChallenge({ type: 'http-01' });
      const fqdn = await newFqdn('www.example.org', 'www.example.org', 'example.org');
      const setup = await setupOf(fqdn);
      expect(setup).toEqual({
        fqdnId: fqdn.id,
        spaceId: fqdn.spaceId,
        fqdn: 'www.example.org',
        provider: { id, name: 'acme' },
        type: 'http-01',
        message:
          'on port 80 of each name, forward /.well-known/acme-challenge/ to this service at https://certs.example.org',
        names: ['www.example.org', 'example.org'],
        http01: {
          path: '/.well-known/acme-challenge/',
          target: 'https://certs.example.org/.well-known/acme-challenge/',
          redirect: 'https://certs.example.org/.well-known/acme-challenge/',
          servers: expect.any(Array),
        },
        waiting: [],
      });
    });

    test.each([
      [
        'nginx',
        [
          'location ^~ /.well-known/acme-challenge/ {',
          '    proxy_pass https://certs.example.org/.well-known/acme-challenge/;',
          '    proxy_ssl_server_name on;',
          '}',
        ],
      ],
      [
        'apache',
        [
          'SSLProxyEngine on',
          'ProxyPass "/.well-known/acme-challenge/" "https://certs.example.org/.well-known/acme-challenge/"',
        ],
      ],
      [
        'caddy',
        [
          'http://www.example.org {',
          '    handle /.well-known/acme-challenge/* {',
          '        reverse_proxy https://certs.example.org {',
          '            header_up Host {upstream_hostport}',
          '        }',
          '    }',
          '}',
        ],
      ],
      [
        'haproxy',
        [
          '# in the frontend of port 80',
          'use_backend certloop if { path_beg /.well-known/acme-challenge/ }',
          '',
          'backend certloop',
          '    http-request set-header Host certs.example.org',
          '    server certloop certs.example.org:443 ssl verify required ca-file @system-ca sni str(certs.example.org)',
        ],
      ],
      [
        'traefik',
        [
          'http:',
          '  routers:',
          '    certloop:',
          '      entryPoints: [web]',
          '      priority: 100000',
          '      rule: "PathPrefix(`/.well-known/acme-challenge/`) && (Host(`www.example.org`))"',
          '      service: certloop',
          '  services:',
          '    certloop:',
          '      loadBalancer:',
          '        passHostHeader: false',
          '        servers:',
          '          - url: "https://certs.example.org"',
        ],
      ],
    ])('has lines for %s', async (server, lines) => {
      await useChallenge({ type: 'http-01' });
      const { http01 } = await setupOf(await newFqdn());
      expect(http01?.servers.find((one) => one.server === server)?.config.split('\n')).toEqual(lines);
    });

    test('names the port of the listener and no redirect if no public address is configured', async () => {
      const other = await startAppOn(app.database, {
        environment: {
          ENCRYPTION_KEYS: environment.ENCRYPTION_KEYS,
          CERT_MANAGER_PORT: '3005',
          HTTP01_PORT: '8080',
        },
        beside: app,
      });
      const { message, http01 } = await setupOf(await newFqdn(), other);
      await other.close();
      expect(message).toBe(
        'on port 80 of each name, forward /.well-known/acme-challenge/ to this service at ' +
          'http://127.0.0.1:3005 (where it listens; set CERT_MANAGER_PUBLIC_URL to the address at which others reach it), ' +
          'or port 80 to its port 8080',
      );
      expect(http01).toMatchObject({ target: 'http://127.0.0.1:3005/.well-known/acme-challenge/' });
      expect(http01).not.toHaveProperty('redirect');
      expect(http01?.servers.map(({ config }) => /ssl|SSL/.test(config))).not.toContain(true);
    });

    test('says that a wildcard cannot be proven by http-01', async () => {
      await useChallenge({ type: 'http-01' });
      expect(await setupOf(await newFqdn('*.example.org'))).toMatchObject({
        names: ['*.example.org'],
        obstacle: '*.example.org can only be proven by dns-01 (RFC 8555 §8.4)',
      });
    });
  });

  describe('by dns-01', () => {
    const tsig = { name: 'key', secret: Buffer.alloc(32, 3).toString('base64') };
    const account = { username: 'user', password: 'pass', subdomain: 'sub' };
    test.each([
      [
        'a webhook publishes',
        { kind: 'webhook', url: 'https://8.8.4.4', authHeader },
        'webhook',
        { type: 'TXT', setBy: 'service' },
        /^nothing to set up: each order/,
      ],
      [
        'signed updates publish, too',
        { kind: 'rfc2136', url: 'dns://8.8.4.4', zone: 'example.org', tsig },
        'rfc2136',
        { type: 'TXT', setBy: 'service' },
        /^nothing to set up: each order/,
      ],
      [
        'an alias wants a CNAME',
        { kind: 'webhook', url: 'https://8.8.4.4', alias: 'Proofs.example.net.' },
        'webhook',
        { type: 'CNAME', value: 'proofs.example.net', setBy: 'you' },
        /^set the CNAME records once; later orders/,
      ],
      [
        'acme-dns wants a CNAME to its fulldomain',
        {
          kind: 'acme-dns',
          url: 'https://8.8.4.4',
          acmeDns: { ...account, fullDomain: 'sub.auth.example.net' },
        },
        'acme-dns',
        { type: 'CNAME', value: 'sub.auth.example.net', setBy: 'you' },
        /^set the CNAME records once; later orders/,
      ],
      [
        'acme-dns without a stated fulldomain says which',
        { kind: 'acme-dns', url: 'https://8.8.4.4', acmeDns: account },
        'acme-dns',
        { type: 'CNAME', setBy: 'you' },
        /to the fulldomain of the account at the acme-dns server/,
      ],
    ])('%s, once for a wildcard and its base', async (_, dns, backend, record, message) => {
      await useChallenge({ type: 'dns-01', dns });
      const setup = await setupOf(await newFqdn('*.example.org', '*.example.org', 'example.org'));
      expect(setup).toMatchObject({
        type: 'dns-01',
        message: expect.stringMatching(message),
        dns01: { backend, records: [{ name: '_acme-challenge.example.org', ...record }] },
      });
      expect(setup).not.toHaveProperty('obstacle');
      const text = JSON.stringify(setup);
      for (const secret of ['8.8.4.4', authHeader, tsig.secret, 'pass', '********'])
        expect(text).not.toContain(secret);
    });
  });

  describe('by hand', () => {
    test('names the record that a request waits for', async () => {
      await useChallenge({ type: 'manual' });
      const publish = { place: '_acme-challenge.www.example.org TXT', content: 'abc' };
      const item = { type: 'dns-01', status: 'waiting_manual', publish };
      const challenges = { status: 'waiting_manual' as const, items: { 'www.example.org': item } };
      const { job, fqdn } = await addJob(app, { steps: { challenges } });
      expect(await setupOf(fqdn)).toMatchObject({
        type: 'manual',
        message: expect.stringMatching(/^nothing to set up before the request/),
        waiting: [{ jobId: job.id, name: 'www.example.org', type: 'dns-01', ...publish }],
      });
    });

    test('is empty before the first request', async () => {
      await useChallenge({ type: 'manual' });
      expect((await setupOf(await newFqdn())).waiting).toEqual([]);
    });
  });

  test('is empty for a provider that requires no proof', async () => {
    const { id: providerId } = await providerOf(app, 'dummy-ca');
    const { id: spaceId } = await addSpace(app);
    const { body } = await app.request
      .post(`/spaces/${spaceId}/fqdns`)
      .set(app.people.ada.auth)
      .send({ fqdn: 'in.example.org', providerId })
      .expect(201);
    const setup = await setupOf(body as Fqdn);
    expect(setup).toMatchObject({
      provider: { id: providerId, name: 'dummy-ca' },
      message: 'nothing to set up: the provider dummy-ca signs without proof of control',
    });
    expect(setup).not.toHaveProperty('type');
  });

  describe('is refused', () => {
    test('to callers who cannot see the space, and shown to a caller with READ', async () => {
      const fqdn = await newFqdn();
      const path = pathOf(fqdn, 'challenge-setup');
      await app.request.get(path).expect(401);
      await app.request.get(path).set(app.people.ben.auth).expect(404);
      await grant(app, app.people.ben, 'READ', [fqdn.spaceId]);
      await app.request.get(path).set(app.people.ben.auth).expect(200);
    });

    test.each([unknownId, ...badIds])('for the FQDN %s, and for that space', async (id) => {
      const fqdn = await newFqdn();
      const get = (path: string) => app.request.get(path).set(app.people.ada.auth);
      await get(pathOf({ ...fqdn, id }, 'challenge-setup')).expect(404);
      await get(pathOf({ ...fqdn, spaceId: id }, 'challenge-setup')).expect(404);
    });
  });
});

describeEachDialect('the setup of challenges before anything is configured', (open) => {
  test('names the key that the provider lacks', async () => {
    const app = await startApp(open);
    const { id } = await addSpace(app);
    const fqdn = await addFqdn(app, id);
    const { body } = await app.request
      .get(pathOf(fqdn, 'challenge-setup'))
      .set(app.people.ada.auth)
      .expect(200);
    expect(body).toMatchObject({
      message: 'nothing to set up yet: the provider acme is not configured, directoryUrl is missing or wrong',
      names: ['www.example.com'],
    });
    await app.close();
  });
});
