import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createCertManagerClient } from '../cert-manager/index.js';
import { createCheckMonitorClient, createPingClient } from '../check-monitor/index.js';
import { createDummyCaClient } from '../dummy-ca/index.js';
import { bytes, empty, endpoint, json, text } from '../endpoint.js';
import { AppError, InvalidInput, UpstreamFailed } from '../errors.js';
import { createClient } from './http.client.js';

const params = z.object({ id: z.string() });
const contract = {
  show: endpoint({
    method: 'GET',
    path: '/things/{id}',
    summary: 'Show',
    params,
    query: z.object({ tag: z.union([z.string(), z.array(z.string())]).optional() }),
    responses: { 200: json(z.object({ n: z.int() }), 'It'), 201: json(z.object({ n: z.int() }), 'New') },
    failures: [404],
  }),
  read: endpoint({
    method: 'GET',
    path: '/text',
    summary: 'Read',
    responses: { 200: text('text/plain', 'It') },
    failures: [],
  }),
  load: endpoint({
    method: 'GET',
    path: '/bytes',
    summary: 'Load',
    responses: { 200: bytes('image/png', 'It') },
    failures: [],
  }),
  drop: endpoint({
    method: 'DELETE',
    path: '/things/{id}',
    summary: 'Drop',
    params,
    responses: { 204: empty('Gone') },
    failures: [],
  }),
  put: endpoint({
    method: 'PUT',
    path: '/text',
    summary: 'Put',
    body: { kind: 'raw' },
    responses: { 204: empty('Stored') },
    failures: [],
  }),
};

interface Received {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

type Answer = (response: ServerResponse) => void;

let server: Server;
let baseUrl: string;
let received: Received;
let answer: Answer;

const reply =
  (status: number, body: string | Uint8Array = '', headers: Record<string, string> = {}): Answer =>
  (response) =>
    response.writeHead(status, headers).end(body);

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const chunks: Buffer[] = await request.toArray();
    const { method, url, headers } = request;
    received = { method, url, headers, body: Buffer.concat(chunks) };
    answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

beforeEach(() => {
  answer = reply(200, '{"n":1}');
});

const client = () => createClient(contract, { baseUrl });

async function refusalOf(call: Promise<unknown>): Promise<AppError> {
  const outcome = await call.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (outcome instanceof AppError) return outcome;
  throw new Error(`expected a refusal, got ${String(outcome)}`);
}

describe('success', () => {
  test('json, with its status and headers', async () => {
    answer = reply(201, '{"n":7}', { location: '/things/7' });
    const shown = await client().show({ params: { id: '7' } });
    expect(shown.status).toBe(201);
    expect(shown.body).toEqual({ n: 7 });
    expect(shown.headers?.['location']).toBe('/things/7');
  });

  test('text', async () => {
    answer = reply(200, 'grüße\n');
    expect((await client().read()).body).toBe('grüße\n');
  });

  test('bytes', async () => {
    answer = reply(200, new Uint8Array([0x89, 0x50, 0x00, 0xff]));
    expect((await client().load()).body).toEqual(new Uint8Array([0x89, 0x50, 0x00, 0xff]));
  });

  test('empty', async () => {
    answer = reply(204);
    expect(await client().drop({ params: { id: '7' } })).toMatchObject({ status: 204, body: undefined });
  });
});

describe('address', () => {
  test.each([
    ['plain', 'a', '/things/a'],
    ['a slash is not a new segment', 'a/../b', '/things/a%2F..%2Fb'],
    ['question mark and hash', 'a?b#c', '/things/a%3Fb%23c'],
    ['per cent', '100%', '/things/100%25'],
    ['beyond ASCII', 'é', '/things/%C3%A9'],
  ])('parameter: %s', async (_, id, url) => {
    await client().show({ params: { id } });
    expect(received.url).toBe(url);
  });

  test.each(['', '.', '..'])("rejects the parameter '%s' before anything is sent", async (id) => {
    const refusal = await refusalOf(client().show({ params: { id } }));
    expect(refusal).toBeInstanceOf(InvalidInput);
    expect(refusal.message).toBe(`id cannot be '${id}'`);
  });

  test('a missing parameter does not compile, and is rejected', async () => {
    // @ts-expect-error params are required here
    expect(await refusalOf(client().show({}))).toBeInstanceOf(InvalidInput);
  });

  test.each([
    ['one value', 'a b&c=é', '?tag=a+b%26c%3D%C3%A9'],
    ['repeated values', ['x', 'y z'], '?tag=x&tag=y+z'],
    ['no value at all', [], ''],
  ])('query: %s', async (_, tag, search) => {
    await client().show({ params: { id: '7' }, query: { tag } });
    expect(received.url).toBe(`/things/7${search}`);
  });

  test('several slashes at the end of the base count as one', async () => {
    await createClient(contract, { baseUrl: `${baseUrl}/v1//` }).show({ params: { id: '7' } });
    expect(received.url).toBe('/v1/things/7');
  });
});

describe('body', () => {
  test('json', async () => {
    answer = reply(201, '{}');
    const manager = createCertManagerClient({ baseUrl, token: 'cmt_x_y' });
    await manager.createSpace({ body: { name: 'Küche' } });
    expect(received).toMatchObject({ method: 'POST', url: '/spaces' });
    expect(received.headers).toMatchObject({
      'content-type': 'application/json',
      authorization: 'Bearer cmt_x_y',
    });
    expect(received.body.toString()).toBe('{"name":"Küche"}');
  });

  test('unchanged raw bytes', async () => {
    answer = reply(204);
    await client().put({ body: new Uint8Array([0xff, 0x00, 0x7b]) });
    expect([...received.body]).toEqual([0xff, 0x00, 0x7b]);
  });

  test('none', async () => {
    answer = reply(204);
    await client().put();
    expect(received.body.length).toBe(0);
    expect(received.headers['content-type']).toBeUndefined();
  });

  test('multipart, its fields before its file', async () => {
    answer = reply(201, '{}');
    const file = { name: 'a.csr', contentType: 'application/x-pem-file', bytes: Buffer.from('PEM\r\n') };
    await createCertManagerClient({ baseUrl }).uploadCsr({
      params: { spaceId: 's', fqdnId: 'f' },
      body: { file, fields: { spaceId: 's', fqdn: 'a.example' } },
    });
    const request = new Request('http://localhost/', {
      method: 'POST',
      headers: { 'content-type': received.headers['content-type'] ?? '' },
      body: new Uint8Array(received.body),
    });
    const parts = [...(await request.formData()).entries()];
    expect(parts.map(([name]) => name)).toEqual(['spaceId', 'fqdn', 'csr']);
    const sent = parts[2]?.[1];
    if (!(sent instanceof File)) throw new Error('csr is not a file');
    expect([sent.name, sent.type, await sent.text()]).toEqual(['a.csr', 'application/x-pem-file', 'PEM\r\n']);
  });
});

describe('headers', () => {
  test('of the call override those of the client', async () => {
    const named = createClient(contract, { baseUrl, headers: { 'x-who': 'client', 'x-other': 'client' } });
    await named.show({ params: { id: '7' }, headers: { 'x-who': 'call' } });
    expect(received.headers).toMatchObject({ 'x-who': 'call', 'x-other': 'client' });
  });

  test('the monitor receives its API key, at its own base address', async () => {
    answer = reply(200, '{"checks":[]}');
    const monitor = createCheckMonitorClient({ baseUrl: `${baseUrl}/`, apiKey: 'k'.repeat(32) });
    expect((await monitor.listChecks({ query: { tag: ['a', 'b'] } })).body).toEqual({ checks: [] });
    expect(received.url).toBe('/api/v3/checks/?tag=a&tag=b');
    expect(received.headers['x-api-key']).toBe('k'.repeat(32));
  });

  test('a ping needs no API key', async () => {
    answer = reply(200, 'OK');
    const ping = await createPingClient({ baseUrl }).pingFail({
      params: { uuid: 'u' },
      body: Buffer.from('because'),
    });
    expect(ping.body).toBe('OK');
    expect([received.method, received.url, received.body.toString()]).toEqual([
      'POST',
      '/ping/u/fail',
      'because',
    ]);
  });
});

describe('refusals', () => {
  const problem = JSON.stringify({
    title: 'Not there',
    detail: 'No space 7',
    error: 'Not there',
    message: 'x',
  });
  const show = () => client().show({ params: { id: '7' } });

  test.each([
    ['problem document: its detail', 404, problem, 'not_found', 'No space 7'],
    ['message', 403, '{"message":"Not yours"}', 'forbidden', 'Not yours'],
    ['error', 400, '{"error":"invalid csr"}', 'invalid_input', 'invalid csr'],
    ['plain text', 404, 'not found\n', 'not_found', 'not found'],
    ['json that is not an object', 409, '"taken"', 'conflict', '"taken"'],
    ['nothing', 401, '', 'unauthenticated', 'GET /things/{id} was answered with 401'],
    ['controls and marks of direction', 400, '{"error":"a\\u001b[1m\\u202eb"}', 'invalid_input', 'a [1m b'],
    ['a server error is a failure of the other side', 500, '{"error":"boom"}', 'upstream_failed', 'boom'],
    ['so is its being away', 503, 'draining', 'upstream_failed', 'draining'],
    ['so is a status that the APIs do not use', 418, 'teapot', 'upstream_failed', 'teapot'],
    ['so is another success than declared', 202, 'later', 'upstream_failed', 'later'],
  ])('%s', async (_, status, body, kind, message) => {
    answer = reply(status, body);
    expect(await refusalOf(show())).toMatchObject({ kind, message });
  });

  test('truncates a long message at a valid character', async () => {
    answer = reply(400, 'x'.repeat(499) + '😀'.repeat(9));
    const { message } = await refusalOf(show());
    expect(message).toHaveLength(500);
    expect(message.isWellFormed()).toBe(true);
  });

  test.each([
    [429, 'too_many_requests'],
    [503, 'upstream_failed'],
  ])('passes on Retry-After of a %i', async (status, kind) => {
    answer = reply(status, '{"message":"slow down"}', { 'retry-after': '17' });
    expect(await refusalOf(show())).toMatchObject({ kind, headers: { 'Retry-After': '17' } });
  });

  test('the client creates errors from the response with the given function', async () => {
    answer = reply(409, '{"code":"taken"}', { 'x-request-id': 'r-1' });
    const strict = createClient(contract, {
      baseUrl,
      refuse: async (response) =>
        new AppError('conflict', `${response.headers.get('x-request-id')}: ${await response.text()}`, {
          code: 'taken',
        }),
    });
    expect(await refusalOf(strict.read())).toMatchObject({ code: 'taken', message: 'r-1: {"code":"taken"}' });
    answer = reply(200, 'fine');
    expect((await strict.read()).body).toBe('fine');
  });

  test('does not follow a redirect', async () => {
    answer = reply(302, '', { location: '/bytes' });
    expect(await refusalOf(show())).toMatchObject({ kind: 'upstream_failed' });
    expect(received.url).toBe('/things/7');
  });

  test('a response that is not the expected JSON', async () => {
    answer = reply(200, '<html>');
    const refusal = await refusalOf(show());
    expect(refusal).toBeInstanceOf(UpstreamFailed);
    expect(refusal).toMatchObject({ kind: 'upstream_failed' });
  });

  test('no response in time', async () => {
    answer = () => undefined;
    const hasty = createClient(contract, { baseUrl, timeoutMs: 40 });
    expect(await refusalOf(hasty.read())).toMatchObject({
      kind: 'upstream_timeout',
      status: 504,
      message: 'GET /text: no answer in time',
    });
  });

  test('a response that begins but does not end in time', async () => {
    answer = (response) => response.writeHead(200).write('half');
    const hasty = createClient(contract, { baseUrl, timeoutMs: 40 });
    expect(await refusalOf(hasty.read())).toMatchObject({ kind: 'upstream_timeout' });
  });

  test('an error response that begins but does not end in time', async () => {
    answer = (response) => response.writeHead(404).write('half');
    const hasty = createClient(contract, { baseUrl, timeoutMs: 40 });
    expect(await refusalOf(hasty.read())).toMatchObject({ kind: 'upstream_timeout' });
  });

  test('a call aborted by its own signal, before and after it was sent', async () => {
    answer = () => undefined;
    const reason = new Error('the page was left');
    await expect(client().read({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const leaving = new AbortController();
    const waiting = client().read({ signal: leaving.signal });
    leaving.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    const open = new AbortController();
    const hasty = createClient(contract, { baseUrl, timeoutMs: 40 });
    expect(await refusalOf(hasty.read({ signal: open.signal }))).toMatchObject({ kind: 'upstream_timeout' });
  });

  test('an aborted connection', async () => {
    answer = (response) => response.destroy();
    expect(await refusalOf(show())).toMatchObject({ kind: 'upstream_failed' });
  });

  test('a refused connection, with the reason', async () => {
    const closed = createServer();
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
    const { port } = closed.address() as AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    const refusal = await refusalOf(createDummyCaClient({ baseUrl: `http://127.0.0.1:${port}` }).getRoot());
    expect(refusal).toMatchObject({ kind: 'upstream_failed', message: 'GET /root: ECONNREFUSED' });
    expect(refusal.cause).toBeDefined();
  });
});
