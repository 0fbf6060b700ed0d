import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AppError } from '@certloop/contracts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createOutgoingFetch, type OutgoingOptions, type Resolve } from '../src/index.js';

let server: Server;
let port: number;
let asked = 0;

beforeAll(async () => {
  server = createServer((request, response) => {
    asked += 1;
    if (request.url === '/redirect') {
      response.writeHead(302, { Location: 'http://169.254.169.254/' }).end();
    } else if (request.url === '/large') {
      response.end(Buffer.alloc(2_000));
    } else if (request.url === '/echo') {
      request.pipe(response.writeHead(201, { 'X-Seen': String(request.headers['x-sent']) }));
    } else {
      response.end(request.headers.host);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

/** Names that resolve to what the test says. */
function resolveTo(...addresses: string[]): Resolve {
  return (_name, _options, done) =>
    done(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
}

async function attempt(url: string, options: OutgoingOptions): Promise<string> {
  const { fetch, close } = createOutgoingFetch(options);
  try {
    return await (await fetch(url)).text();
  } catch (error) {
    return error instanceof AppError ? error.message : String(error);
  } finally {
    await close();
  }
}

describe('createOutgoingFetch', () => {
  test('calls addresses that the operator configured in any network', async () => {
    const address = `http://127.0.0.1:${port}/`;
    expect(await attempt(address, { allowPrivate: false })).toMatch(/is not called/);
    expect(await attempt(address, { allowPrivate: false, isTrusted: true })).toBe(`127.0.0.1:${port}`);
  });

  test('reports each rejected call', async () => {
    let refused = 0;
    const onRefused = () => {
      refused += 1;
    };
    const address = `http://127.0.0.1:${port}/`;
    await attempt(address, { allowPrivate: false, onRefused });
    await attempt('http://ca.example/', { allowPrivate: false, onRefused, resolve: resolveTo('10.0.0.1') });
    expect(refused).toBe(2);
    await attempt(address, { allowPrivate: true, onRefused });
    await attempt(`${address}large`, { allowPrivate: true, answerBytes: 10, onRefused });
    expect(refused).toBe(2);
  });

  test('sends method, headers and body, and returns status, headers and body', async () => {
    const { fetch, close } = createOutgoingFetch({ allowPrivate: true });
    const response = await fetch(`http://127.0.0.1:${port}/echo`, {
      method: 'POST',
      headers: { 'X-Sent': 'yes' },
      body: 'text',
    });
    expect([response.status, response.headers.get('x-seen'), await response.text()]).toEqual([
      201,
      'yes',
      'text',
    ]);
    await close();
  });

  test('returns a redirect instead of following it', async () => {
    const { fetch, close } = createOutgoingFetch({ allowPrivate: true });
    const response = await fetch(`http://127.0.0.1:${port}/redirect`);
    expect([response.status, response.headers.get('location')]).toEqual([302, 'http://169.254.169.254/']);
    await close();
  });

  test('calls a name by the allowed address that it resolves to', async () => {
    const options = { allowPrivate: true, resolve: resolveTo('127.0.0.1') };
    expect(await attempt(`http://ca.example:${port}/`, options)).toBe(`ca.example:${port}`);
  });

  test('rejects a response over the limit', async () => {
    const answer = await attempt(`http://127.0.0.1:${port}/large`, {
      allowPrivate: true,
      answerBytes: 1_999,
    });
    expect(answer).toBe('the answer is larger than 1999 bytes');
  });

  test.each([
    ['a literal loopback address', 'http://127.0.0.1:PORT/', undefined],
    ['a loopback address in another spelling', 'http://0x7f.1:PORT/', undefined],
    ['a loopback address as one number', 'http://2130706433:PORT/', undefined],
    ['a literal IPv6 loopback address', 'http://[::1]:PORT/', undefined],
    ['an IPv4 address mapped into IPv6', 'http://[::ffff:127.0.0.1]:PORT/', undefined],
    ['a name that resolves to loopback', 'http://ca.example:PORT/', ['127.0.0.1']],
    ['a name of which one address is private', 'http://ca.example:PORT/', ['93.184.216.34', '10.0.0.1']],
    ['another protocol', 'file:///etc/passwd', undefined],
  ])('rejects %s before a connection is made', async (_, url, addresses) => {
    const before = asked;
    const answer = await attempt(url.replace('PORT', String(port)), {
      allowPrivate: false,
      ...(addresses === undefined ? {} : { resolve: resolveTo(...addresses) }),
    });
    expect(answer).toMatch(/is not called: it (is|has)|is not called: it is no protocol/);
    expect(asked).toBe(before);
  });

  test.each([
    ['SMTP', 'http://mx.example.org:25/', {}],
    ['X11, over TLS', 'https://mx.example.org:6000/', {}],
    ['0', 'http://mx.example.org:0/', {}],
    ['SMTP of a literal address', 'http://93.184.216.34:25/', {}],
    ['SMTP of an address of the operator', 'http://mx.example.org:25/', { isTrusted: true }],
    ['SMTP behind a proxy', 'http://mx.example.org:25/', { proxy: 'http://127.0.0.1:9' }],
  ])('rejects the port of %s before a name is resolved', async (_, url, options) => {
    const { host, port } = new URL(url);
    const resolve = () => {
      throw new Error('asked the DNS');
    };
    expect(await attempt(url, { allowPrivate: true, resolve, ...options })).toBe(
      `${host} is not called: it has port ${port}, which HTTP clients refuse to call`,
    );
  });

  test('calls the port of the protocol', async () => {
    const resolve = resolveTo('169.254.169.254');
    for (const url of ['http://ca.example:80/', 'https://ca.example:443/']) {
      expect(await attempt(url, { allowPrivate: true, resolve })).toMatch(/link-local/);
    }
  });

  test('rejects a metadata address even if private ones are allowed', async () => {
    const options = { allowPrivate: true, resolve: resolveTo('169.254.169.254') };
    expect(await attempt('http://ca.example/', options)).toBe(
      'ca.example is not called: it is a link-local address',
    );
  });
});
