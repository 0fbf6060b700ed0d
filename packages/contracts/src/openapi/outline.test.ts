import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { certManagerContract } from '../cert-manager/index.js';
import { accountContract, checkMonitorContract } from '../check-monitor/index.js';
import { bytes, empty, endpoint, json } from '../endpoint.js';
import { createClient } from '../http/http.client.js';
import { outlineOf } from './outline.js';

const contracts = { certManagerContract, accountContract, checkMonitorContract };

test.each(Object.entries(contracts))('%s: returns plain JSON without schemas', (_, contract) => {
  const outline = outlineOf(contract);
  expect(JSON.parse(JSON.stringify(outline))).toEqual(outline);
  expect(Object.keys(outline)).toEqual(Object.keys(contract));
  expect(JSON.stringify(outline)).not.toMatch(/"schema"|"params"|"summary"/);
});

test('adds at most 2 kB to a bundle for the largest contract', () => {
  expect(gzipSync(JSON.stringify(outlineOf(certManagerContract))).length).toBeLessThan(2_000);
});

const byId = z.object({ id: z.string() });
const contract = {
  show: endpoint({
    method: 'GET',
    path: '/things/{id}',
    summary: 'Show',
    params: byId,
    query: z.object({ tag: z.string().optional() }),
    responses: { 200: json(z.object({ n: z.int() }), 'It') },
    failures: [404],
  }),
  put: endpoint({
    method: 'PUT',
    path: '/things/{id}',
    summary: 'Put',
    params: byId,
    body: { kind: 'json', schema: z.object({ n: z.int() }) },
    responses: { 204: empty('Stored') },
    failures: [],
  }),
  send: endpoint({
    method: 'POST',
    path: '/files',
    summary: 'Send',
    body: { kind: 'multipart', file: 'csr', fields: z.object({ fqdn: z.string() }) },
    responses: { 201: bytes('image/png', 'It') },
    failures: [],
  }),
};

/** Returns what three calls send and get, by the client of a contract or of its outline. */
async function exchangesOf(described: typeof contract) {
  const sent: unknown[] = [];
  const statuses = { GET: 200, PUT: 204, POST: 201 } as const;
  const client = createClient(described, {
    baseUrl: 'http://things.test',
    fetch: async (url, { method, body } = {}) => {
      const status = statuses[method as keyof typeof statuses];
      sent.push([method, url, body instanceof FormData ? [...body.keys()] : body]);
      return new Response(status === 204 ? null : '{"n":1}', { status });
    },
  });
  const file = { name: 'a.csr', contentType: 'text/plain', bytes: new Uint8Array([1]) };
  const replies = [
    await client.show({ params: { id: '7' }, query: { tag: 'a' } }),
    await client.put({ params: { id: '7' }, body: { n: 2 } }),
    await client.send({ body: { file, fields: { fqdn: 'a.test' } } }),
  ];
  return { sent, replies };
}

test('creates a client that sends and reads the same as that of the contract', async () => {
  const exchanges = await exchangesOf(contract);
  expect(exchanges.sent).toHaveLength(3);
  expect(await exchangesOf(outlineOf(contract))).toEqual(exchanges);
});
