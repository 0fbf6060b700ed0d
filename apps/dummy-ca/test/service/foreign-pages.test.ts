import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startAcme, type TestAcme } from '../support/acme.js';
import { csrField } from '../support/csrs.js';

let acme: TestAcme;
beforeAll(async () => {
  acme = await startAcme();
});
afterAll(() => acme.close());

/** Status and body of a POST by this Host and with these header fields. */
function post(path: string, host: string, fields: Record<string, string>, body: object) {
  const { hostname, port } = new URL(acme.url);
  const headers = { Host: host, 'Content-Type': 'application/json', ...fields };
  return new Promise<{ readonly status: number; readonly body: string }>((resolve, reject) => {
    const sent = request({ hostname, port, path, method: 'POST', headers, agent: false }, (response) => {
      text(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject);
    });
    sent.once('error', reject);
    sent.end(JSON.stringify(body));
  });
}

const fault = { endpoint: 'newOrder', kind: 'problem', problem: 'serverInternal' };
const rebound = 'evil.example:3002';
const message = 'the request came from a page of another site';

test('a page whose name was made to lead here is refused', async () => {
  const origin = { Origin: `http://${rebound}` };
  expect(await post('/admin/faults', rebound, origin, fault)).toEqual({ status: 403, body: message });
  const sign = { csr: csrField(), action: 'sign' };
  const signed = await post('/csr', rebound, origin, sign);
  expect(signed).toEqual({ status: 403, body: JSON.stringify({ error: message }) });
  expect((await post('/acme/new-order', rebound, origin, {})).status).toBe(403);
});

test('a client that is no browser may use any name', async () => {
  const sign = { csr: csrField(), action: 'sign' };
  expect((await post('/csr', rebound, {}, sign)).status).toBe(200);
});

test('a page of the service itself is served', async () => {
  const { host, origin } = new URL(acme.url);
  const sign = { csr: csrField(), action: 'sign' };
  const fields = { Origin: origin, 'Sec-Fetch-Site': 'same-origin' };
  expect((await post('/csr', host, fields, sign)).status).toBe(200);
});
