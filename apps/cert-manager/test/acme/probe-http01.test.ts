import { createServer, type ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { probeHttp01 } from '../../src/acme/http01-probe.client.js';
import { createOutgoing } from '../../src/providers/outgoing.client.js';
import { listening } from '../support/small-server.js';

const expected = { host: 'www.example.test', token: 'token-of-some-length', answer: 'token.thumbprint' };
const path = `/.well-known/acme-challenge/${expected.token}`;

describe('the probe for a published challenge response', () => {
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
    readonly trusted?: readonly string[];
    readonly resolve?: (host: string) => readonly { readonly address: string; readonly family: number }[];
  }
  /** What the log gets. */
  const faults: string[] = [];
  const unreachable =
    'www.example.test: the challenge is not reachable from here; the log of cert-manager has the reason';
  const probe = async ({
    addresses = ['127.0.0.1'],
    allowPrivate = true,
    selfCheck = 'warn',
    trusted = [],
    resolve,
  }: Situation = {}) => {
    faults.length = 0;
    const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    const outgoing = createOutgoing({
      trusted,
      resolve: (host, _options, done) => done(null, resolve?.(host) ?? found),
    });
    try {
      return await probeHttp01(
        {
          fetch: outgoing.fetchGuarded({ allowPrivate }),
          fetchAt: (address) => outgoing.fetchAt(address, { allowPrivate }),
          addressesOf: outgoing.addressesOf,
          selfCheck,
          requestMs: 2000,
          port,
          onFault: (reason) => void faults.push(reason),
        },
        expected,
      );
    } finally {
      await outgoing.close();
    }
  };
  const valid = (response: ServerResponse) => response.end(expected.answer);

  test('requests it by name at every address', async () => {
    answer = valid;
    expect(await probe()).toBeUndefined();
    expect(hosts.at(-1)).toBe(`www.example.test:${port}`);
  });

  test('logs at which of two addresses it cannot be read', async () => {
    answer = valid;
    // no one listens there
    expect(await probe({ addresses: ['127.0.0.1', '::1'] })).toBe(unreachable);
    expect(faults).toEqual(['at ::1: ECONNREFUSED, though it can at 127.0.0.1']);
  });

  test('calls no forbidden address', async () => {
    answer = valid;
    expect(await probe({ addresses: ['127.0.0.1', '169.254.169.254'] })).toBe(unreachable);
    expect(faults.join()).toMatch(/at 169\.254\.169\.254: .*metadata|at 169\.254\.169\.254: .*link-local/);
    const before = hosts.length;
    expect(await probe({ allowPrivate: false })).toBe(unreachable);
    expect(faults.join()).toMatch(/at 127\.0\.0\.1: .* private or loopback address/);
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
      /at 127\.0\.0\.1: there are too many redirects/,
    ],
  ])('logs %s, and shows users the same sentence for all', async (_, reply, reason) => {
    answer = reply;
    expect(await probe()).toBe(unreachable);
    expect(faults.join()).toMatch(reason);
  });

  test('follows a redirect', async () => {
    answer = (response, asked) =>
      asked === path
        ? response.writeHead(302, { location: `/elsewhere${path}` }).end()
        : response.end(expected.answer);
    expect(await probe()).toBeUndefined();
  });

  describe('calls no service on another port', () => {
    let internal: { readonly url: string; readonly close: () => Promise<void> };
    const asked: (string | undefined)[] = [];
    beforeAll(async () => {
      internal = await listening(
        createServer((request, response) => {
          asked.push(request.url);
          response.end('secret');
        }),
      );
    });
    afterAll(() => internal.close());

    test.each([
      ['another port', () => `${internal.url}/internal`],
      ['another port with a query', () => `${internal.url}/admin/x?y=1`],
      ['another port by name', () => `http://elsewhere.test:${new URL(internal.url).port}/`],
      ['a port where nothing listens', () => 'http://127.0.0.1:9/'],
    ])('when a redirect leads to %s', async (_, location) => {
      answer = (response) => response.writeHead(302, { location: location() }).end();
      expect(await probe()).toBe(unreachable);
      expect(faults.join()).toMatch(/at 127\.0\.0\.1: it leads to port \d+, where CAs do not follow/);
      expect(asked).toEqual([]);
    });

    test('when a redirect leads to an address that the operator trusts', async () => {
      const address = `http://127.0.0.1:${port}`;
      answer = (response) => response.writeHead(302, { location: `http://other.test:${port}/x` }).end();
      const before = hosts.length;
      const resolve = (host: string) => [
        { address: host === 'other.test' ? '169.254.169.254' : '127.0.0.1', family: 4 },
      ];
      expect(await probe({ trusted: [`http://other.test:${port}/x`, address], resolve })).toBe(unreachable);
      expect(faults.join()).toContain('other.test is not called');
      expect(hosts).toHaveLength(before + 1);
    });

    test('when the name leads elsewhere after it was looked up', async () => {
      answer = valid;
      let lookups = 0;
      const resolve = () => {
        lookups += 1;
        return [{ address: lookups === 1 ? '127.0.0.1' : '169.254.169.254', family: 4 }];
      };
      // the connection goes to the address that was found and judged
      expect(await probe({ resolve })).toBeUndefined();
      expect(lookups).toBe(1);
    });

    test('when a name looks public at first and private when it is called', async () => {
      answer = valid;
      let lookups = 0;
      const resolve = () => {
        lookups += 1;
        return [{ address: lookups === 1 ? '192.0.2.1' : '127.0.0.1', family: 4 }];
      };
      const before = hosts.length;
      expect(await probe({ allowPrivate: false, resolve })).toBe(unreachable);
      expect(hosts).toHaveLength(before);
    });
  });

  test('logs that a name has no address', async () => {
    expect(await probe({ addresses: [] })).toBe(unreachable);
    expect(faults).toEqual(['as the name has no address']);
  });

  test('ends the order only if configured, and can be disabled', async () => {
    answer = (response) => response.writeHead(500).end();
    await expect(probe({ selfCheck: 'strict' })).rejects.toMatchObject({ code: 'self_check_failed' });
    const before = hosts.length;
    expect(await probe({ selfCheck: 'off' })).toBeUndefined();
    expect(hosts).toHaveLength(before);
  });
});
