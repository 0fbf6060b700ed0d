import { createSocket } from 'node:dgram';
import { type AddressInfo, createServer } from 'node:net';
import { acmeIdentifierValue, dns01Value } from '@certloop/acme-server/rules';
import { type DnsServer, startDnsServer } from '@certloop/server/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createValidation } from '../../src/acme/validation/validate-challenge.client.js';
import type { ValidationSettings } from '../../src/acme/validation/validation-settings.js';
import { type Http01Responder, startHttp01Responder } from '../support/http01-responder.js';
import { startSilentServer } from '../support/silent-server.js';
import { type ChallengeCertificate, startTlsAlpnResponder } from '../support/tls-alpn-responder.js';

const token = 'token';
const keyAuthorization = 'token.thumbprint';
const path = '/.well-known/acme-challenge/token';
const identifier = { type: 'dns', value: 'www.example.test', wildcard: false } as const;

let responder: Http01Responder;
let dns: DnsServer;
let settings: ValidationSettings;
beforeAll(async () => {
  responder = await startHttp01Responder();
  dns = await startDnsServer();
  settings = {
    mode: 'real',
    http01Port: responder.port,
    tlsAlpn01Port: 1,
    dnsServer: dns.address,
    resolveTo: '127.0.0.1',
    allowPrivate: true,
    timeoutMs: 60_000,
    maxConnectMs: 50,
  };
});
afterAll(async () => {
  await responder.close();
  await dns.close();
});

const proving = (
  type: 'http-01' | 'dns-01' | 'tls-alpn-01',
  changes: Partial<ValidationSettings> = {},
  who: { type: 'dns' | 'ip'; value: string; wildcard: boolean } = identifier,
) => createValidation({ ...settings, ...changes })({ type, identifier: who, token, keyAuthorization });

const problem = (type: string, message = /\S/) =>
  expect.objectContaining({ type, message: expect.stringMatching(message) });

describe('http-01 (RFC 8555 §8.3)', () => {
  const answer = (value: Parameters<Http01Responder['answers']['set']>[1]) =>
    responder.answers.set(path, value);

  test('succeeds with the key authorization', async () => {
    answer(`${keyAuthorization}\n`);
    await expect(proving('http-01')).resolves.toBeUndefined();
  });

  test.each<[string, Parameters<typeof answer>[0], RegExp]>([
    ['another text', 'something else', /something else/],
    ['nothing', '', /key authorization/],
    ['a key authorization after 4 kB', `${' '.repeat(5_000)}${keyAuthorization}`, /key authorization/],
    ['a status of refusal', { status: 403 }, /403/],
  ])('is not met by %s', async (_, value, reason) => {
    answer(value);
    await expect(proving('http-01')).rejects.toEqual(problem('incorrectResponse', reason));
  });

  test('follows ten redirects, and not eleven', async () => {
    for (const length of [10, 11]) {
      answer({ location: '/1' });
      for (let step = 1; step < length; step += 1)
        responder.answers.set(`/${step}`, { location: `http://other.test/${step + 1}` });
      responder.answers.set(`/${length}`, keyAuthorization);
      const outcome = await proving('http-01').then(
        () => 'met',
        (error: Error) => error.message,
      );
      expect(outcome).toBe(length === 10 ? 'met' : 'there are more than 10 redirects');
    }
  });

  test('truncates a long address in the error', async () => {
    answer({ location: `/${'a'.repeat(5_000)}` });
    await expect(proving('http-01')).rejects.toEqual(problem('incorrectResponse', /^GET http.{200,400}$/));
  });

  test('does not follow to another port', async () => {
    answer({ location: 'http://other.test:22/' });
    await expect(proving('http-01')).rejects.toEqual(problem('connection', /another port/));
  });

  test.each([
    ['to a name says it', 'www.example.test', true],
    ['to an address says none (RFC 6066 §3)', '192.0.2.1', false],
  ])('by TLS after a redirect %s', async (_, host, isSaid) => {
    const hellos: Buffer[] = [];
    const secure = createServer((socket) =>
      socket.once('data', (hello) => {
        hellos.push(hello);
        socket.destroy();
      }),
    );
    await new Promise<void>((resolve) => secure.listen(0, '127.0.0.1', resolve));
    const { port } = secure.address() as AddressInfo;
    answer({ location: `https://${host}/x` });
    await expect(proving('http-01', { tlsAlpn01Port: port })).rejects.toEqual(problem('connection'));
    secure.close();
    expect(hellos.map((hello) => hello.includes(host))).toEqual([isSaid]);
  });

  test('reports an unreachable server', async () => {
    await expect(proving('http-01', { http01Port: 1 })).rejects.toEqual(
      problem('connection', /ECONNREFUSED/),
    );
  });

  test('times out on a silent server', async () => {
    const silent = createServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo;
    await expect(proving('http-01', { http01Port: port, timeoutMs: 50 })).rejects.toEqual(
      problem('connection', /timed out/),
    );
    silent.close();
  });

  test('fails for a server that switches protocols', async () => {
    const head = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n';
    const switching = createServer((socket) =>
      socket.on('error', () => {}).once('data', () => socket.write(head)),
    );
    await new Promise<void>((resolve) => switching.listen(0, '127.0.0.1', resolve));
    const { port } = switching.address() as AddressInfo;
    await expect(proving('http-01', { http01Port: port })).rejects.toEqual(
      problem('incorrectResponse', /answered with 101/),
    );
    switching.close();
  });

  test('sends the address as Host, IPv6 in brackets', async () => {
    answer(keyAuthorization);
    await proving('http-01', {}, { type: 'ip', value: '2001:db8::1', wildcard: false });
    expect(responder.hosts.at(-1)).toBe('[2001:db8::1]');
  });
});

describe('the address of a validation', () => {
  const byDns = { resolveTo: undefined };

  test('is the one that the resolver returns', async () => {
    dns.addresses.set('www.example.test', '127.0.0.1');
    responder.answers.set(path, keyAuthorization);
    await expect(proving('http-01', byDns)).resolves.toBeUndefined();
  });

  test.each(['http-01', 'tls-alpn-01'] as const)(
    'is the next one if no server accepts the connection: %s',
    async (type) => {
      const certificate = { dnsNames: ['www.example.test'], value: acmeIdentifierValue(keyAuthorization) };
      const server = await startTlsAlpnResponder(certificate);
      // who answers listens on the last one alone, and what is not to be reached is omitted
      dns.addresses.set('www.example.test', ['127.0.0.2', '169.254.169.254', '127.0.0.1']);
      responder.answers.set(path, keyAuthorization);
      await expect(proving(type, { ...byDns, tlsAlpn01Port: server.port })).resolves.toBeUndefined();
      await server.close();
    },
  );

  test.each(['http-01', 'tls-alpn-01'] as const)(
    'is the next one if the first one does not respond: %s',
    async (type) => {
      const certificate = { dnsNames: ['www.example.test'], value: acmeIdentifierValue(keyAuthorization) };
      const server = await startTlsAlpnResponder(certificate);
      const port = type === 'http-01' ? responder.port : server.port;
      const silent = await startSilentServer('127.0.0.2', port);
      // also behind a redirect
      dns.addresses.set('www.example.test', ['127.0.0.2', '127.0.0.1']);
      responder.answers.set(path, { location: '/elsewhere' });
      responder.answers.set('/elsewhere', keyAuthorization);
      await expect(proving(type, { ...byDns, tlsAlpn01Port: server.port })).resolves.toBeUndefined();
      await silent.close();
      await server.close();
    },
  );

  test('is the last one that is reported if none responds', async () => {
    const silent = await startSilentServer('127.0.0.2', responder.port);
    dns.addresses.set('www.example.test', ['127.0.0.2', '127.0.0.3']);
    await expect(proving('http-01', byDns)).rejects.toEqual(problem('connection', /127\.0\.0\.3: .*REFUSED/));
    await silent.close();
  });

  test('is only the first one that accepts the connection', async () => {
    dns.addresses.set('www.example.test', ['127.0.0.1', '127.0.0.1']);
    responder.answers.set(path, { status: 403 });
    const before = responder.hosts.length;
    await expect(proving('http-01', byDns)).rejects.toEqual(problem('incorrectResponse', /403/));
    expect(responder.hosts.length - before).toBe(1);
  });

  test('is undefined without an address record', async () => {
    const absent = { ...identifier, value: 'absent.test' };
    await expect(proving('http-01', byDns, absent)).rejects.toEqual(problem('dns', /no address/));
  });

  test.each([['http-01'], ['dns-01'], ['tls-alpn-01']] as const)(
    'times out if the resolver does not respond: %s',
    async (type) => {
      const silent = createSocket('udp4');
      const queries = new Set<string>();
      let repeated = 0;
      silent.on('message', (query) => {
        const text = query.toString('hex');
        if (queries.has(text)) repeated += 1;
        queries.add(text);
      });
      await new Promise<void>((resolve) => silent.bind(0, '127.0.0.1', resolve));
      const dnsServer = `127.0.0.1:${silent.address().port}`;
      await expect(proving(type, { ...byDns, dnsServer, timeoutMs: 50 })).rejects.toEqual(
        problem('dns', /timed out/),
      );
      // the resolver itself would ask again for many seconds
      expect(repeated).toBe(0);
      silent.close();
    },
  );

  test.each([['http-01'], ['tls-alpn-01']] as const)(
    'times out if the resolver responds for IPv4 and not for IPv6: %s',
    async (type) => {
      const half = createSocket('udp4');
      half.on('message', (query, { port, address }) => {
        // The root label, then type A and class IN.
        const end = query.indexOf(Buffer.of(0, 0, 1, 0, 1)) + 5;
        if (end < 5) return;
        const answer = Buffer.from('c00c000100010000000000047f000001', 'hex');
        const head = Buffer.from('81800001000100000000', 'hex');
        half.send(
          Buffer.concat([query.subarray(0, 2), head, query.subarray(12, end), answer]),
          port,
          address,
        );
      });
      await new Promise<void>((resolve) => half.bind(0, '127.0.0.1', resolve));
      const dnsServer = `127.0.0.1:${half.address().port}`;
      await expect(proving(type, { ...byDns, dnsServer, timeoutMs: 50 })).rejects.toEqual(
        problem('dns', /timed out/),
      );
      half.close();
    },
  );

  test.each([
    ['a loopback address, unless that is allowed', '127.0.0.1', { allowPrivate: false }],
    ['a private address, unless that is allowed', '10.0.0.1', { allowPrivate: false }],
    ['a metadata service, ever', '169.254.169.254', {}],
  ])('is never %s', async (_, address, changes) => {
    dns.addresses.set('guarded.test', address);
    const guarded = { ...identifier, value: 'guarded.test' };
    await expect(proving('http-01', { ...byDns, ...changes }, guarded)).rejects.toEqual(
      problem('dns', /is not connected to/),
    );
    const literal = { type: 'ip', value: address, wildcard: false } as const;
    await expect(proving('http-01', { ...byDns, ...changes }, literal)).rejects.toEqual(
      problem('dns', /is not connected to/),
    );
  });

  test('is checked again for each redirect', async () => {
    dns.addresses.set('www.example.test', '127.0.0.1');
    dns.addresses.set('inner.test', '169.254.169.254');
    responder.answers.set(path, { location: 'http://inner.test/' });
    await expect(proving('http-01', byDns)).rejects.toEqual(problem('dns', /inner\.test/));
  });
});

test('a validation with ten redirects leaves no listeners at its signal', async () => {
  const warnings: Error[] = [];
  const collect = (warning: Error) => warnings.push(warning);
  process.on('warning', collect);
  dns.addresses.set('www.example.test', '127.0.0.1');
  responder.answers.set(path, { location: '/1' });
  for (let step = 1; step < 10; step += 1) responder.answers.set(`/${step}`, { location: `/${step + 1}` });
  responder.answers.set('/10', keyAuthorization);
  await proving('http-01', { resolveTo: undefined });
  // warnings are emitted in a later turn
  await new Promise((resolve) => setImmediate(resolve));
  process.off('warning', collect);
  expect(warnings).toEqual([]);
});

describe('dns-01 (RFC 8555 §8.4)', () => {
  const name = '_acme-challenge.www.example.test';

  test('succeeds with one of several records', async () => {
    dns.texts.set(name, ['of another account', dns01Value(keyAuthorization)]);
    await expect(proving('dns-01')).resolves.toBeUndefined();
  });

  test('fails with other records', async () => {
    dns.texts.set(name, [keyAuthorization]);
    await expect(proving('dns-01')).rejects.toEqual(problem('incorrectResponse', /thumbprint/));
  });

  test('fails without a record', async () => {
    dns.texts.delete(name);
    await expect(proving('dns-01')).rejects.toEqual(problem('unauthorized', /no TXT record/));
  });
});

describe('tls-alpn-01 (RFC 8737, RFC 8738 §6)', () => {
  const value = acmeIdentifierValue(keyAuthorization);

  async function outcomeOf(
    certificate: ChallengeCertificate,
    who: Parameters<typeof proving>[2] = identifier,
    protocols?: readonly string[],
  ): Promise<{ readonly outcome: unknown; readonly serverNames: readonly string[] }> {
    const server = await startTlsAlpnResponder(certificate, protocols);
    const outcome: unknown = await proving('tls-alpn-01', { tlsAlpn01Port: server.port }, who).catch(
      (error: unknown) => error,
    );
    await server.close();
    return { outcome, serverNames: server.serverNames };
  }

  test('succeeds with a certificate with the digest, for a name', async () => {
    const { outcome, serverNames } = await outcomeOf({ dnsNames: ['www.example.test'], value });
    expect(outcome).toBeUndefined();
    expect(serverNames).toEqual(['www.example.test']);
  });

  test('succeeds for an address, requested by its reverse name', async () => {
    const who = { type: 'ip', value: '192.0.2.1', wildcard: false } as const;
    const { outcome, serverNames } = await outcomeOf({ ipAddresses: ['192.0.2.1'], value }, who);
    expect(outcome).toBeUndefined();
    expect(serverNames).toEqual(['1.2.0.192.in-addr.arpa']);
  });

  test('fails for an address with a certificate that has its text as a host name', async () => {
    const who = { type: 'ip', value: '192.0.2.1', wildcard: false } as const;
    const { outcome } = await outcomeOf({ dnsNames: ['192.0.2.1'], value }, who);
    expect(outcome).toEqual(problem('incorrectResponse', /alone/));
  });

  test.each<[string, ChallengeCertificate, RegExp]>([
    ['another name', { dnsNames: ['other.test'], value }, /alone/],
    ['two names', { dnsNames: ['www.example.test', 'other.test'], value }, /alone/],
    ['a mail address too', { dnsNames: ['www.example.test'], emailAddresses: ['a@b.test'], value }, /alone/],
    ['no acmeIdentifier', { dnsNames: ['www.example.test'], value: undefined }, /critical/],
    ['one that is not critical', { dnsNames: ['www.example.test'], value, critical: false }, /critical/],
    [
      'another digest',
      { dnsNames: ['www.example.test'], value: acmeIdentifierValue('token.other') },
      /digest/,
    ],
  ])('is not met by a certificate with %s', async (_, certificate, reason) => {
    expect((await outcomeOf(certificate)).outcome).toEqual(problem('incorrectResponse', reason));
  });

  test('fails for a server with another protocol', async () => {
    const certificate = { dnsNames: ['www.example.test'], value };
    expect((await outcomeOf(certificate, identifier, ['h2'])).outcome).toEqual(problem('tls'));
  });

  test('reports a server that is not there', async () => {
    await expect(proving('tls-alpn-01')).rejects.toEqual(problem('connection', /ECONNREFUSED/));
  });
});

test('fixed modes decide without a request', async () => {
  await expect(proving('dns-01', { mode: 'always-valid' })).resolves.toBeUndefined();
  await expect(proving('dns-01', { mode: 'always-invalid' })).rejects.toEqual(problem('unauthorized'));
});
