import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AppError } from '@certloop/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createOutgoingFetch, type OutgoingOptions, type Resolve, refusalOfTarget } from '../src/index.js';

const publicAddress = '93.184.215.14';
let target: Server;
let proxy: Server;
let targetPort: number;
let proxyUrl: string;
/** What the proxy was asked for. */
const asked: { readonly what: string; readonly authorization: string | undefined }[] = [];

const portOf = (server: Server) => (server.address() as AddressInfo).port;
const listen = (server: Server) => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const note = ({ method, url, headers }: IncomingMessage) =>
  asked.push({ what: `${method} ${url}`, authorization: headers['proxy-authorization'] });

beforeAll(async () => {
  target = createServer((incoming, response) => {
    if (incoming.url === '/moved') response.writeHead(302, { Location: 'http://10.0.0.1/' }).end();
    else response.end(`target ${incoming.headers.host}`);
  });
  // every name leads to the target of this test; a tunnel is refused, which is enough to see what was asked for
  proxy = createServer((incoming, response) => {
    note(incoming);
    const { pathname } = new URL(incoming.url ?? '');
    const { method, headers } = incoming;
    const forwarded = request({ host: '127.0.0.1', port: targetPort, method, path: pathname, headers });
    forwarded.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    incoming.pipe(forwarded);
  });
  proxy.on('connect', (incoming: IncomingMessage, socket) => {
    note(incoming);
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
  });
  await listen(target);
  await listen(proxy);
  targetPort = portOf(target);
  proxyUrl = `http://127.0.0.1:${portOf(proxy)}`;
});
beforeEach(() => {
  asked.length = 0;
});
afterAll(async () => {
  for (const server of [target, proxy]) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

const resolveTo =
  (...addresses: string[]): Resolve =>
  (_name, _options, done) =>
    done(
      null,
      addresses.map((address) => ({ address, family: 4 })),
    );
const unknown: Resolve = (_name, _options, done) =>
  done(Object.assign(new Error('queryA ENOTFOUND'), { code: 'ENOTFOUND' }), []);

async function attempt(url: string, options: Partial<OutgoingOptions>): Promise<string> {
  const { fetch, close } = createOutgoingFetch({ allowPrivate: false, proxy: proxyUrl, ...options });
  try {
    const answer = await fetch(url);
    return `${answer.status} ${await answer.text()}`;
  } catch (error) {
    return error instanceof AppError ? error.message : `failed: ${String(error)}`;
  } finally {
    await close();
  }
}

describe('a proxy for outgoing calls', () => {
  test('forwards a call to a public name', async () => {
    const said = await attempt('http://hook.example/a', { resolve: resolveTo(publicAddress) });
    expect(said).toBe('200 target hook.example');
    expect(asked).toEqual([{ what: 'GET http://hook.example/a', authorization: undefined }]);
  });

  test('receives CONNECT if the target uses TLS', async () => {
    const said = await attempt('https://hook.example/a', { resolve: resolveTo(publicAddress) });
    expect(said).toMatch(/^failed/);
    expect(asked.map(({ what }) => what)).toEqual(['CONNECT hook.example:443']);
  });

  test('receives the user and password of its address', async () => {
    const proxy = proxyUrl.replace('//', '//ada:s%20cret@');
    await attempt('http://hook.example/', { resolve: resolveTo(publicAddress), proxy });
    expect(asked[0]?.authorization).toBe(`Basic ${Buffer.from('ada:s cret').toString('base64')}`);
  });

  test.each([
    ['a name that leads inside', 'http://hook.example/', ['10.0.0.1']],
    ['a name that leads outside and inside', 'http://hook.example/', [publicAddress, '127.0.0.1']],
    ['a private address', 'http://192.168.1.1/', []],
    ['a metadata service', 'http://169.254.169.254/', []],
  ])('is not used for %s', async (_situation, url, addresses) => {
    expect(await attempt(url, { resolve: resolveTo(...addresses) })).toMatch(/ is not called: it is a /);
    expect(asked).toEqual([]);
  });

  test('returns a redirect, so that its target is checked like the first', async () => {
    const said = await attempt('http://hook.example/moved', { resolve: resolveTo(publicAddress) });
    expect(said).toBe('302 ');
    expect(await attempt('http://10.0.0.1/', {})).toMatch(/is not called/);
    expect(asked).toHaveLength(1);
  });

  test('is not used for private targets, if these are allowed', async () => {
    const options = { allowPrivate: true, resolve: resolveTo('127.0.0.1') };
    expect(await attempt(`http://127.0.0.1:${targetPort}/`, options)).toMatch(/^200 target 127\.0\.0\.1/);
    expect(await attempt(`http://inside.example:${targetPort}/`, options)).toMatch(/^200 target inside/);
    expect(asked).toEqual([]);
  });

  test('resolves names that this machine cannot resolve only if private targets are allowed', async () => {
    expect(await attempt('http://hook.example/', { resolve: unknown })).toMatch(/^failed/);
    expect(asked).toEqual([]);
    const said = await attempt('http://hook.example/', { resolve: unknown, allowPrivate: true });
    expect(said).toBe('200 target hook.example');
  });

  test('that does not answer fails the call, which is not sent directly', async () => {
    const gone = createServer();
    await listen(gone);
    const away = `http://127.0.0.1:${portOf(gone)}`;
    await new Promise((resolve) => gone.close(resolve));
    const said = await attempt('http://hook.example/', { resolve: resolveTo(publicAddress), proxy: away });
    expect(said).toMatch(/^failed/);
  });
});

describe('the rejection of a target', () => {
  const privateHint = 'SETTING=true allows it';
  const inside = 'it is a private or loopback address; SETTING=true allows it';

  test.each<[string, string, string[], string | undefined]>([
    ['a public name', 'https://hook.example/', [publicAddress], undefined],
    ['a public address', `http://${publicAddress}/`, [], undefined],
    ['a name inside', 'http://hook.example/', ['10.0.0.1'], `hook.example is not called: ${inside}`],
    ['loopback', 'http://127.0.0.1/', [], `127.0.0.1 is not called: ${inside}`],
    ['IPv6', 'http://[::1]:8080/', [], `::1 is not called: ${inside}`],
    [
      'a metadata service, which no setting allows',
      'http://169.254.169.254/',
      [],
      '169.254.169.254 is not called: it is a link-local address',
    ],
  ])('says why, and which setting allows it: %s', async (_situation, url, addresses, refusal) => {
    const rules = { allowPrivate: false, privateHint, resolve: resolveTo(...addresses) };
    expect(await refusalOfTarget(new URL(url), rules, 1000)).toBe(refusal);
    const said = await attempt(url, { ...rules, allowPrivate: false });
    if (refusal !== undefined) expect(said).toBe(refusal);
  });

  test.each<[string, Resolve]>([
    ['does not resolve', unknown],
    ['is not resolved in time', () => undefined],
  ])('does not name a target whose name %s', async (_situation, resolve) => {
    const rules = { allowPrivate: false, resolve };
    expect(await refusalOfTarget(new URL('http://hook.example/'), rules, 20)).toBeUndefined();
  });

  test('does not affect private targets, if these are allowed', async () => {
    expect(await refusalOfTarget(new URL('http://10.0.0.1/'), { allowPrivate: true }, 20)).toBeUndefined();
  });
});
