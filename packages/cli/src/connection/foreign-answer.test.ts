import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fetchFrom } from './fetch.js';

let answer: readonly [status: number, type: string, body: string];
let origin: string;
const server = createServer((_request, response) => {
  const [status, type, body] = answer;
  response.writeHead(status, { 'content-type': type }).end(body);
});

beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

const ask = () => fetchFrom('cert-manager')(`${origin}/spaces`);
const elsewhere = (status: number) =>
  `the server at ${origin} answers /spaces with ${status}; check that this is the address of cert-manager`;

test.each([
  [404, 'text/html', '<h1>Not found</h1>'],
  [403, 'text/html; charset=utf-8', '<h1>Forbidden</h1>'],
  [501, 'text/html', '<h1>Unsupported method</h1>'],
  [404, 'application/json', '{"message":"nothing exists at this path"}'],
])('the answer %d %s of another server is named, without its page', async (...given) => {
  answer = given;
  await expect(ask()).rejects.toMatchObject({ kind: 'not_found', message: elsewhere(given[0]) });
});

test('the page of a proxy before a service that is away asks to try again', async () => {
  answer = [502, 'text/html', '<h1>Bad gateway</h1>'];
  await expect(ask()).rejects.toMatchObject({
    kind: 'upstream_failed',
    message: `cert-manager at ${origin} does not answer: a server before it answers 502; try again, or check the service`,
  });
});

test.each([
  [404, 'application/json', '{"message":"there is no space"}'],
  [404, 'text/plain', 'not found'],
  [503, 'application/json', '{"message":"the database is away"}'],
  [200, 'text/html', '<h1>Hello</h1>'],
])('the answer %d %s of a service passes with its body', async (...given) => {
  answer = given;
  const response = await ask();
  expect([response.status, await response.text()]).toEqual([given[0], given[2]]);
});
