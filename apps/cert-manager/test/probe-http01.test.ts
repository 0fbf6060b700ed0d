import { createServer, type ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { probeHttp01 } from '../src/acme/http01-probe.client.js';
import { createOutgoing } from '../src/providers/outgoing.client.js';
import { listening } from './support/small-server.js';

const expected = { host: 'www.example.test', token: 'token-of-some-length', answer: 'token.thumbprint' };
const path = `/.well-known/acme-challenge/${expected.token}`;

describe('the look for a published answer', () => {
  const hosts: (string | undefined)[] = [];
  let answer: (response: ServerResponse, path: string) => unknown;
  let port: number;
  let close: () => Promise<void>;
  beforeAll(async () => {
    const server = createServer((request, response) => {
      hosts.push(request.headers.host);
      answer(response, request.url ?? '');
    });
    const { url, close: closeServer } = await listening(server);
    port = Number(new URL(url).port);
    close = closeServer;
  });
  afterAll(() => close());

  interface Situation {
    readonly addresses?: readonly string[];
    readonly allowPrivate?: boolean;
    readonly selfCheck?: 'off' | 'warn' | 'strict';
  }
  const probe = async ({
    addresses = ['127.0.0.1'],
    allowPrivate = true,
    selfCheck = 'warn',
  }: Situation = {}) => {
    const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    const outgoing = createOutgoing({
      trusted: [],
      resolve: (_host, _options, done) => done(null, found),
    });
    try {
      return await probeHttp01(
        {
          fetch: (address, init) => outgoing.fetchFor({ address, allowPrivate })(address, init),
          fetchAt: (address) => outgoing.fetchAt(address, { allowPrivate }),
          addressesOf: outgoing.addressesOf,
          selfCheck,
          requestMs: 2000,
          port,
        },
        expected,
      );
    } finally {
      await outgoing.close();
    }
  };
  const sound = (response: ServerResponse) => response.end(expected.answer);

  test('finds it at every address, under the name', async () => {
    answer = sound;
    expect(await probe()).toBeUndefined();
    expect(hosts.at(-1)).toBe(`www.example.test:${port}`);
  });

  test('tells at which of two addresses it cannot be read', async () => {
    answer = sound;
    // nobody listens there
    expect(await probe({ addresses: ['127.0.0.1', '::1'] })).toBe(
      'www.example.test: the challenge cannot be read from here at ::1: ECONNREFUSED, though it can at 127.0.0.1',
    );
  });

  test('asks no address that must not be called', async () => {
    answer = sound;
    expect(await probe({ addresses: ['127.0.0.1', '169.254.169.254'] })).toMatch(
      /at 169\.254\.169\.254: .*metadata|at 169\.254\.169\.254: .*link-local/,
    );
    const before = hosts.length;
    expect(await probe({ allowPrivate: false })).toMatch(/at 127\.0\.0\.1: .* private or loopback address/);
    expect(hosts).toHaveLength(before);
  });

  test.each<[string, typeof answer, RegExp]>([
    ['an error', (response) => response.writeHead(404).end(), /at 127\.0\.0\.1: it was answered with 404/],
    [
      'something else',
      (response) => response.end('hello'),
      /at 127\.0\.0\.1: it was answered with something else/,
    ],
    [
      'redirects without end',
      (response) => response.writeHead(302, { location: path }).end(),
      /at 127\.0\.0\.1: there is no end of redirects/,
    ],
  ])('is told of %s', async (_, reply, reason) => {
    answer = reply;
    expect(await probe()).toMatch(reason);
  });

  test('follows a redirect', async () => {
    answer = (response, asked) =>
      asked === path
        ? response.writeHead(302, { location: `/elsewhere${path}` }).end()
        : response.end(expected.answer);
    expect(await probe()).toBeUndefined();
  });

  test('says that a name has no address', async () => {
    expect(await probe({ addresses: [] })).toBe(
      'www.example.test: the challenge cannot be read from here as the name has no address',
    );
  });

  test('ends the order only when that is wanted, and can be left out', async () => {
    answer = (response) => response.writeHead(500).end();
    await expect(probe({ selfCheck: 'strict' })).rejects.toMatchObject({ code: 'self_check_failed' });
    const before = hosts.length;
    expect(await probe({ selfCheck: 'off' })).toBeUndefined();
    expect(hosts).toHaveLength(before);
  });
});
