import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { UpstreamFailed } from '@certloop/contracts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPlainFetch } from '../src/outgoing/plain-fetch.js';

let server: Server;
let url: string;
const plain = createPlainFetch({ answerBytes: 1000 });

beforeAll(async () => {
  server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://here');
    if (pathname === '/silence') return;
    if (pathname === '/long') return void response.end('x'.repeat(1001));
    if (pathname === '/moved') return void response.writeHead(302, { location: '/echo' }).end();
    if (pathname === '/nothing') return void response.writeHead(204).end();
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method, url: path, headers } = request;
      response.setHeader('set-cookie', ['a=1', 'b=2']);
      response.end(JSON.stringify({ method, path, headers, body: Buffer.concat(chunks).toString() }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await plain.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

test.each([
  ['text', 'ä text'],
  ['octets', new TextEncoder().encode('ä text')],
])('sends method, headers and a body of %s', async (_, body) => {
  const headers = new Headers({ 'X-Own': 'yes' });
  const answer = await plain.fetch(`${url}/echo?q=1`, { method: 'POST', headers, body });
  expect(answer.status).toBe(200);
  expect(answer.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
  const said = (await answer.json()) as Record<string, unknown>;
  expect(said).toMatchObject({ method: 'POST', path: '/echo?q=1', body: 'ä text' });
  expect(said['headers']).toMatchObject({ 'x-own': 'yes', 'content-length': '7' });
});

test('accepts a Request and the other arguments of the built-in fetch', async () => {
  const body = new URLSearchParams({ a: 'b' });
  const answer = await plain.fetch(new Request(`${url}/echo`, { method: 'PUT', body }));
  expect(await answer.json()).toMatchObject({ method: 'PUT', body: 'a=b' });
});

test('returns redirects and responses without a body', async () => {
  const moved = await plain.fetch(`${url}/moved`);
  expect([moved.status, moved.headers.get('location')]).toEqual([302, '/echo']);
  const nothing = await plain.fetch(`${url}/nothing`);
  expect([nothing.status, await nothing.text()]).toEqual([204, '']);
});

test('rejects a response that is too long', async () => {
  await expect(plain.fetch(`${url}/long`)).rejects.toThrow(UpstreamFailed);
});

test('aborts when the signal fires, before and during the call', async () => {
  await expect(plain.fetch(`${url}/echo`, { signal: AbortSignal.abort(new Error('early')) })).rejects.toThrow(
    'early',
  );
  await expect(plain.fetch(`${url}/silence`, { signal: AbortSignal.timeout(20) })).rejects.toMatchObject({
    name: 'TimeoutError',
  });
});

test('reports why there is no connection', async () => {
  await expect(plain.fetch('http://127.0.0.1:2/')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});

test('rejects a port that HTTP clients refuse to call', async () => {
  await expect(plain.fetch('http://127.0.0.1:25/')).rejects.toThrow(
    '127.0.0.1:25 is not called: it has port 25, which HTTP clients refuse to call',
  );
});
