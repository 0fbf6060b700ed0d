import { createServer } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { createOutgoing, type Outgoing } from '../../src/providers/outgoing.client.js';
import { listening } from '../support/small-server.js';

type Resolve = NonNullable<Parameters<typeof createOutgoing>[0]['resolve']>;

/** Resolves every name to the addresses in turn, one for each look-up. */
function resolving(...addresses: string[]): Resolve {
  let turn = 0;
  return (_host, _options, done) => {
    const address = addresses[Math.min(turn, addresses.length - 1)] ?? '';
    turn += 1;
    done(null, [{ address, family: address.includes(':') ? 6 : 4 }]);
  };
}

describe('calling an address', () => {
  const closers: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closers.splice(0)) await close();
  });

  const serve = async (status = 200, headers: Record<string, string> = {}, body = 'here') => {
    const paths: string[] = [];
    const server = createServer((request, response) => {
      paths.push(request.url ?? '');
      response.writeHead(status, headers).end(body);
    });
    const { url, close } = await listening(server);
    closers.push(close);
    return { url, paths };
  };
  const outgoing = (settings: Partial<Parameters<typeof createOutgoing>[0]> = {}): Outgoing => {
    const made = createOutgoing({ trusted: [], ...settings });
    closers.push(() => made.close());
    return made;
  };
  const call = async (ways: Outgoing, address: string, allowPrivate: boolean) => {
    const answer = await ways.fetchFor({ address, allowPrivate })(`${address}/path`);
    return [answer.status, await answer.text()];
  };

  test('from the environment needs no permission', async () => {
    const { url } = await serve();
    expect(await call(outgoing({ trusted: [`${url}/`] }), url, false)).toEqual([200, 'here']);
  });

  test('that is private needs permission', async () => {
    const { url, paths } = await serve();
    await expect(call(outgoing(), url, false)).rejects.toThrow('is a private or loopback address');
    expect(paths).toEqual([]);
    expect(await call(outgoing(), url, true)).toEqual([200, 'here']);
  });

  test('is reported when it is rejected', async () => {
    const { url } = await serve();
    let refused = 0;
    const onRefused = () => {
      refused += 1;
    };
    await expect(call(outgoing({ onRefused }), url, false)).rejects.toThrow('private or loopback');
    await call(outgoing({ onRefused }), url, true);
    await call(outgoing({ onRefused, trusted: [url] }), url, false);
    expect(refused).toBe(1);
  });

  test('needs permission even if it differs from a trusted one only in the port', async () => {
    const { url, paths } = await serve();
    const { url: trusted } = await serve();
    await expect(call(outgoing({ trusted: [trusted] }), url, false)).rejects.toThrow('private or loopback');
    expect(paths).toEqual([]);
  });

  test('by a name that resolves to a private address needs permission', async () => {
    const { url, paths } = await serve();
    const named = url.replace('127.0.0.1', 'ca.example');
    const ways = outgoing({ resolve: resolving('127.0.0.1') });
    expect(await ways.refusalOf({ address: named, allowPrivate: false })).toBe(
      'is a private or loopback address',
    );
    await expect(call(ways, named, false)).rejects.toThrow('private or loopback');
    expect(paths).toEqual([]);
    expect(await ways.refusalOf({ address: named, allowPrivate: true })).toBeUndefined();
    expect(await call(ways, named, true)).toEqual([200, 'here']);
  });

  test('is rejected if its name was public when checked and is private when called', async () => {
    const { url, paths } = await serve();
    const named = url.replace('127.0.0.1', 'ca.example');
    const ways = outgoing({ resolve: resolving('8.8.8.8', '127.0.0.1') });
    expect(await ways.refusalOf({ address: named, allowPrivate: false })).toBeUndefined();
    await expect(call(ways, named, false)).rejects.toThrow('private or loopback');
    expect(paths).toEqual([]);
  });

  test('is rejected if one of the addresses of its name is private', async () => {
    const resolve: Resolve = (_host, _options, done) =>
      done(null, [
        { address: '8.8.8.8', family: 4 },
        { address: '10.0.0.1', family: 4 },
      ]);
    const target = { address: 'http://ca.example', allowPrivate: false };
    expect(await outgoing({ resolve }).refusalOf(target)).toBe('is a private or loopback address');
  });

  test('is allowed by a name that does not resolve yet', async () => {
    const resolve: Resolve = (_host, _options, done) => done(new Error('ENOTFOUND'), []);
    const target = { address: 'http://ca.example', allowPrivate: false };
    expect(await outgoing({ resolve }).refusalOf(target)).toBeUndefined();
  });

  test.each([[true], [false]])('follows no redirect (of the environment: %s)', async (isTrusted) => {
    const target = await serve();
    const { url } = await serve(302, { location: target.url });
    const ways = outgoing({ trusted: isTrusted ? [url] : [] });
    expect((await call(ways, url, true))[0]).toBe(302);
    expect(target.paths).toEqual([]);
  });

  test.each([[true], [false]])('reads at most 1 MiB (of the environment: %s)', async (isTrusted) => {
    const whole = await serve(200, {}, 'x'.repeat(1_048_576));
    const more = await serve(200, {}, 'x'.repeat(1_048_577));
    const ways = outgoing({ trusted: isTrusted ? [whole.url, more.url] : [] });
    expect((await call(ways, whole.url, true))[0]).toBe(200);
    await expect(call(ways, more.url, true)).rejects.toThrow('the answer is larger than 1048576 bytes');
  });
});
