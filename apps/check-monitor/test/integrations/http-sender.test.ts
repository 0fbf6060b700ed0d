import { createOutgoingFetch, type OutgoingFetch, type OutgoingOptions } from '@certloop/server';
import { hostileFaults, startHostileServer } from '@certloop/server/testing';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { refusedForGood } from '../../src/integrations/delivery/delivery-result.js';
import { jsonPost } from '../../src/integrations/delivery/http-message.js';
import { createHttpSender, type SendHttp } from '../../src/integrations/delivery/http-sender.client.js';
import { type Recorder, startRecorder } from '../support/recorder.js';

let target: Recorder;
let elsewhere: Recorder;
const opened: OutgoingFetch[] = [];

beforeAll(async () => {
  target = await startRecorder();
  elsewhere = await startRecorder();
});
afterEach(() => {
  target.reset();
  elsewhere.reset();
});
afterAll(async () => {
  for (const { close } of opened) await close();
  await target.close();
  await elsewhere.close();
});

const now = Date.parse('2026-01-01T12:00:00Z');
const nowMs = () => now;

interface SenderOptions extends Partial<OutgoingOptions> {
  readonly timeoutMs?: number;
  readonly stop?: AbortSignal;
}

function sender(options: SenderOptions = {}): SendHttp {
  const { timeoutMs = 60_000, stop = new AbortController().signal, ...rest } = options;
  const outgoing = createOutgoingFetch({ allowPrivate: true, ...rest });
  opened.push(outgoing);
  return createHttpSender({ fetch: outgoing.fetch, timeoutMs, userAgent: 'tester', nowMs, stop });
}

describe('a message by HTTP', () => {
  test('arrives with its method, body, headers and the name of the service', async () => {
    const result = await sender()(jsonPost(`${target.url}/hook?x=1`, { a: 'é' }, { 'X-Key': 'k' }));
    expect(result).toEqual({ ok: true });
    expect(target.requests).toMatchObject([
      {
        method: 'POST',
        path: '/hook?x=1',
        body: '{"a":"é"}',
        headers: { 'user-agent': 'tester', 'x-key': 'k' },
      },
    ]);
    expect(target.requests[0]?.headers['content-type']).toBe('application/json');
  });

  test('has no Content-Type unless it is given one', async () => {
    await sender()({ method: 'POST', url: target.url, body: 'plain' });
    expect(target.requests[0]?.headers).not.toHaveProperty('content-type');
  });

  test.each([
    ['user and password', 'ada:p%40ss@', 'ada:p@ss'],
    ['a token for a user', 'tk_1@', 'tk_1:'],
    ['a percent sign without digits', 'ada:100%@', 'ada:100%'],
  ])('carries %s of the address as a login', async (_situation, login, pair) => {
    await sender()({ method: 'GET', url: target.url.replace('//', `//${login}`) });
    const { authorization = '' } = target.requests[0]?.headers ?? {};
    expect(Buffer.from(authorization.replace('Basic ', ''), 'base64').toString()).toBe(pair);
  });

  test.each([200, 201, 202, 204])('counts as delivered with status %i', async (status) => {
    target.answer((response) => response.writeHead(status).end());
    expect(await sender()({ method: 'GET', url: target.url })).toEqual({ ok: true });
    expect(target.requests).toHaveLength(1);
  });

  test.each([
    [203, {}],
    [400, {}],
    [401, { retryReason: 'rejected' }],
    [403, { retryReason: 'rejected' }],
    [404, { retryReason: 'rejected' }],
    [410, { retryReason: 'rejected' }],
    [422, { retryReason: 'rejected' }],
    [413, {}],
    [408, { retryReason: 'failed' }],
    [425, { retryReason: 'failed' }],
    [429, { retryReason: 'limited' }],
    [500, { retryReason: 'failed' }],
    [503, { retryReason: 'failed' }],
    [599, { retryReason: 'failed' }],
  ])('is tried once when the answer is %i, which means %j', async (status, meaning) => {
    target.answer((response) => response.writeHead(status).end());
    expect(await sender()({ method: 'GET', url: target.url })).toEqual({
      ok: false,
      error: `Received status code ${status}`,
      permanent: false,
      ...meaning,
    });
    expect(target.requests).toHaveLength(1);
  });

  test.each([
    [429, '1', 1000, 'limited'],
    [429, '7200', 3_600_000, 'limited'],
    [503, 'Thu, 01 Jan 2026 12:02:00 GMT', 120_000, 'failed'],
  ])(
    'waits as the target asks with %i and Retry-After %s',
    async (status, header, retryAfterMs, retryReason) => {
      target.answer((response) => response.writeHead(status, { 'Retry-After': header }).end());
      const error = `Received status code ${status}`;
      expect(await sender()({ method: 'GET', url: target.url })).toEqual({
        ok: false,
        error,
        permanent: false,
        retryReason,
        retryAfterMs,
      });
    },
  );

  test('ignores Retry-After when the target rejects the message itself', async () => {
    target.answer((response) => response.writeHead(400, { 'Retry-After': '60' }).end());
    const error = 'Received status code 400';
    expect(await sender()({ method: 'GET', url: target.url })).toEqual({
      ok: false,
      error,
      permanent: false,
    });
  });

  test('is aborted when the service stops', async () => {
    const stopping = new AbortController();
    target.answer(() => stopping.abort());
    expect(await sender({ stop: stopping.signal })({ method: 'GET', url: target.url })).toEqual({
      ok: false,
      error: 'the service is stopping',
      permanent: false,
      retryReason: 'stopped',
    });
  });

  test('is not retried when the target calls it invalid', async () => {
    target.answer((response) => response.writeHead(404).end('gone'));
    const judge = ({ status, body }: { status: number; body: string }) => refusedForGood(`${status} ${body}`);
    expect(await sender()({ method: 'GET', url: target.url }, { judge })).toEqual(refusedForGood('404 gone'));
    expect(target.requests).toHaveLength(1);
  });

  test('fails when the target does not respond in time', async () => {
    target.answer(() => undefined);
    const result = await sender({ timeoutMs: 50 })({ method: 'GET', url: target.url });
    expect(result).toMatchObject({ ok: false, error: 'Connection timed out', retryReason: 'timed-out' });
  });

  test.each([
    ['no server listens', 'http://127.0.0.1:2/secret', { error: 'Connection failed', retryReason: 'failed' }],
    ['the address is invalid', 'http://:/secret', { error: 'The address is not valid' }],
  ])('fails without the address in its error when %s', async (_situation, url, meaning) => {
    expect(await sender()({ method: 'GET', url })).toEqual({ ok: false, permanent: false, ...meaning });
  });

  test('fails when the name of the host is unknown', async () => {
    const notFound = Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
    const send = sender({ resolve: (_name, _options, done) => done(notFound, []) });
    expect(await send({ method: 'GET', url: 'http://unknown.example/' })).toMatchObject({
      error: 'Could not resolve host',
      retryReason: 'failed',
    });
  });
});

describe('a message to a hostile server', () => {
  test.each(['POST', 'PUT', 'GET'] as const)('by %s', async (method) => {
    const hostile = await startHostileServer();
    const send = async (url: string, { isSilent }: { readonly isSilent: boolean }) => {
      const body = method === 'GET' ? {} : { body: 'the message' };
      const tried = sender({ isBodyNeeded: false, ...(isSilent && { timeoutMs: 200 }) });
      const result = await tried({ method, url, ...body });
      return result.ok ? undefined : result.error;
    };
    const traits = { method, mayLeaveOrigin: true, isBodyNeeded: false, send };
    const body = method === 'GET' ? {} : { body: 'the message' };
    expect(await hostileFaults(hostile, { ...traits, ...body })).toEqual([]);
    await hostile.close();
  });

  test('that responds 500 with a large page is sent again', async () => {
    target.answer((response) => response.writeHead(500).end(Buffer.alloc(200_000)));
    const send = sender({ isBodyNeeded: false, answerBytes: 100_000 });
    expect(await send(jsonPost(target.url, {}))).toMatchObject({
      error: 'Received status code 500',
      retryReason: 'failed',
    });
  });
});

describe('a redirect', () => {
  test('to another server does not send it the keys, and says so', async () => {
    target.answer((response) => response.writeHead(307, { Location: `${elsewhere.url}/in` }).end());
    const message = jsonPost(target.url, {}, { Authorization: 'Bearer k' });
    for (const tried of [message, { ...message, headers: { 'X-Key': 'k' } }]) {
      expect(await sender()(tried)).toMatchObject({
        ok: false,
        error: `The address answers with a redirect to ${elsewhere.url}: use that address`,
      });
    }
    const withLogin = { method: 'POST', url: target.url.replace('//', '//ada:pw@'), body: '' } as const;
    expect(await sender()(withLogin)).toMatchObject({ ok: false });
    expect(elsewhere.requests).toHaveLength(0);
  });
});

describe('a port that HTTP clients refuse to call', () => {
  const refused = (host: string) => ({
    ok: false,
    error: `${host} is not called: it has port 25, which HTTP clients refuse to call`,
    permanent: false,
  });

  test('is not called, and not tried again', async () => {
    expect(await sender()(jsonPost('http://mx.example.org:25/', {}))).toEqual(refused('mx.example.org:25'));
  });

  test('is not called by a redirect', async () => {
    target.answer((response) => response.writeHead(307, { Location: 'http://127.0.0.1:25/' }).end());
    expect(await sender()(jsonPost(target.url, {}))).toEqual(refused('127.0.0.1:25'));
    expect(target.requests).toHaveLength(1);
  });
});

describe('private targets', () => {
  const refused = {
    ok: false,
    error: expect.stringMatching(/ is not called: it is a /),
    permanent: false,
  };

  test.each([
    ['a loopback address', 'http://127.0.0.1:PORT/'],
    ['a loopback address in another spelling', 'http://2130706433:PORT/'],
    ['a metadata service', 'http://169.254.169.254/'],
    ['a private address', 'http://10.0.0.1/'],
    ['an IPv6 loopback address', 'http://[::1]:PORT/'],
  ])('%s is refused, and not tried again', async (_situation, url) => {
    const send = sender({ allowPrivate: false });
    expect(await send({ method: 'GET', url: url.replace('PORT', String(target.port)) })).toEqual(refused);
    expect(target.requests).toHaveLength(0);
  });

  test('rejects a redirect from a public to a private address', async () => {
    // the name counts as public, but this process serves it
    const outgoing = createOutgoingFetch({ allowPrivate: false });
    opened.push(outgoing);
    const send = createHttpSender({
      fetch: (input, init) =>
        String(input).startsWith('http://outside.example/')
          ? Promise.resolve(new Response(null, { status: 302, headers: { Location: `${target.url}/in` } }))
          : outgoing.fetch(input, init),
      timeoutMs: 60_000,
      userAgent: 'tester',
      nowMs,
      stop: new AbortController().signal,
    });
    expect(await send({ method: 'GET', url: 'http://outside.example/' })).toEqual(refused);
    expect(target.requests).toHaveLength(0);
  });

  test('checks the address of a name again if it changes between resolution and call', async () => {
    const addresses = ['127.0.0.1', '169.254.169.254'];
    const asked: string[] = [];
    const send = sender({
      resolve: (_name, _options, done) => {
        const address = addresses[asked.length] ?? '';
        asked.push(address);
        done(null, [{ address, family: 4 }]);
      },
    });
    target.answer((response) => response.writeHead(500, { Connection: 'close' }).end());
    const message = { method: 'GET', url: `http://rebound.example:${target.port}/` } as const;
    expect(await send(message)).toMatchObject({ error: 'Received status code 500' });
    expect(await send(message)).toEqual(refused);
    expect(asked).toEqual(addresses);
    expect(target.requests).toHaveLength(1);
  });

  test('rejects a name with one private address', async () => {
    const send = sender({
      allowPrivate: false,
      resolve: (_name, _options, done) =>
        done(null, [
          { address: '93.184.216.34', family: 4 },
          { address: '10.0.0.1', family: 4 },
        ]),
    });
    expect(await send({ method: 'GET', url: 'http://mixed.example/' })).toEqual(refused);
  });
});
