import { renewalIdOf } from '@certloop/acme-server/rules';
import { type AcmeClient, dnsIdentifiers } from '@certloop/acme-server/testing';
import type { AcmeOrder } from '@certloop/contracts';
import { parseCertificate, splitChain } from '@certloop/crypto';
import request from 'supertest';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startAcme, type TestAcme } from '../support/acme.js';
import { startCa } from '../support/app.js';

let acme: TestAcme;
let client: AcmeClient;
beforeAll(async () => {
  acme = await startAcme();
  client = await acme.client();
});
afterEach(async () => {
  await admin('DELETE', '/faults');
  await admin('PUT', '/validation', { mode: 'always-valid' });
});
afterAll(() => acme.close());

const name = dnsIdentifiers('www.example.test');
const problem = (type: string, status: number) => ({
  status,
  body: { type: `urn:ietf:params:acme:error:${type}` },
});

async function admin(method: string, path: string, body?: object): Promise<{ status: number; text: string }> {
  const response = await fetch(`${acme.url}/admin${path}`, {
    method,
    ...(body !== undefined && {
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    }),
  });
  return { status: response.status, text: await response.text() };
}

describe('faults on request', () => {
  test.each([
    [429, 'rateLimited', '30'],
    [503, 'serverInternal', null],
    [500, 'serverInternal', null],
  ])('refuse the next requests with %i', async (status, type, retryAfter) => {
    const seconds = retryAfter === null ? {} : { retryAfterSeconds: Number(retryAfter) };
    const fault = { fault: 'status', status, endpoint: 'newOrder', times: 1, ...seconds };
    expect((await admin('POST', '/faults', fault)).status).toBe(201);
    expect((await client.post(client.kid)).status).toBe(200);
    const refused = await client.order(name);
    expect(refused).toMatchObject(problem(type, status));
    expect(refused.headers.get('retry-after')).toBe(retryAfter);
    expect(refused.headers.get('replay-nonce')).not.toBeNull();
    expect((await client.order(name)).status).toBe(201);
    expect(JSON.parse((await admin('GET', '/faults')).text)).toEqual({ faults: [] });
  });

  test('refuse a share of good nonces, the same ones for the same seed', async () => {
    const outcomes: boolean[][] = [];
    for (let run = 0; run < 2; run += 1) {
      const seeded = await startAcme({
        faults: [{ fault: 'badNonce', endpoint: 'account', rate: 0.5 }],
        seed: 5,
      });
      const owner = await seeded.client();
      const statuses: number[] = [];
      for (let count = 0; count < 20; count += 1) statuses.push((await owner.post(owner.kid)).status);
      outcomes.push(statuses.map((status) => status === 200));
      await seeded.close();
    }
    expect(outcomes[0]).toEqual(outcomes[1]);
    expect(new Set(outcomes[0])).toEqual(new Set([true, false]));
  });

  test('reject a nonce, and return a valid one', async () => {
    await admin('POST', '/faults', { fault: 'badNonce', times: 1 });
    const refused = await client.post(client.kid);
    expect(refused).toMatchObject(problem('badNonce', 400));
    const nonce = refused.headers.get('replay-nonce');
    expect((await client.post(client.kid, '', { header: { nonce } })).status).toBe(200);
  });

  test('drop the connection after finalize, and still issue the certificate', async () => {
    const { body: order, headers } = await client.order(name);
    await client.prove(order, 'http-01');
    await admin('POST', '/faults', { fault: 'drop', endpoint: 'finalize', times: 1 });
    await expect(client.finalize(order)).rejects.toThrow('fetch failed');
    const { body } = await client.post<AcmeOrder>(headers.get('location') ?? '');
    expect(body.status).toBe('valid');
  });

  test('drop the connection before the request is processed', async () => {
    const { body: order, headers } = await client.order(name);
    await client.prove(order, 'http-01');
    await admin('POST', '/faults', { fault: 'drop', endpoint: 'finalize', when: 'before', times: 1 });
    await expect(client.finalize(order)).rejects.toThrow('fetch failed');
    expect((await client.post<AcmeOrder>(headers.get('location') ?? '')).body.status).toBe('ready');
  });

  test('leave an order processing for a while', async () => {
    const { body: order, headers } = await client.order(name);
    await client.prove(order, 'http-01');
    await admin('POST', '/faults', { fault: 'processing', endpoint: 'finalize', seconds: 60, times: 1 });
    const answer = await client.finalize(order);
    expect(answer.body).toMatchObject({ status: 'processing' });
    expect(answer.body).not.toHaveProperty('certificate');
    expect(answer.headers.get('retry-after')).toBe('0');
    const url = headers.get('location') ?? '';
    acme.clock.advance(59_999);
    expect((await client.post<AcmeOrder>(url)).body.status).toBe('processing');
    acme.clock.advance(1);
    expect((await client.post<AcmeOrder>(url)).body).toMatchObject({
      status: 'valid',
      certificate: expect.any(String),
    });
  });

  test('keep a challenge processing forever', async () => {
    await admin('POST', '/faults', { fault: 'processing', endpoint: 'challenge', times: 1 });
    const { body: order } = await client.order(name);
    const [challenge] = await client.challengesOf(order, 'http-01');
    const url = challenge?.url ?? '';
    const answer = await client.post(url, {});
    expect(answer.body).toMatchObject({ status: 'processing' });
    expect(answer.body).not.toHaveProperty('validated');
    acme.clock.advance(1_000);
    const [authorization = ''] = order.authorizations;
    expect((await client.post(authorization)).body).toMatchObject({ status: 'pending' });
    expect((await client.post(authorization)).headers.get('retry-after')).toBe('0');
  });

  test('delay the response', async () => {
    await admin('POST', '/faults', { fault: 'delay', endpoint: 'newNonce', seconds: 2, times: 1 });
    const answered: string[] = [];
    const delayed = client.nonce().then(() => answered.push('first'));
    // until it is under way
    while ((await admin('GET', '/faults')).text !== '{"faults":[]}');
    await client.nonce().then(() => answered.push('second'));
    await delayed;
    expect(answered).toEqual(['second', 'first']);
  });

  test.each([
    ['{', 400],
    [JSON.stringify({ fault: 'fire' }), 400],
    [JSON.stringify({ fault: 'badNonce', x: 'y'.repeat(5_000) }), 413],
  ])('are rejected if they are invalid: %#', async (body, status) => {
    const response = await fetch(`${acme.url}/admin/faults`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body,
    });
    expect(response.status).toBe(status);
  });
});

describe('the administrative API', () => {
  test('is off by default', async () => {
    const ca = await startCa();
    await request(ca.http).get('/admin/faults').expect(404);
    const closed = await startAcme({ admin: false });
    expect((await fetch(`${closed.url}/admin/faults`)).status).toBe(404);
    await closed.close();
  });

  test('decides how challenges are validated', async () => {
    expect((await admin('PUT', '/validation', { mode: 'always-invalid' })).status).toBe(200);
    const { body: order } = await client.order(name);
    expect(await client.prove(order, 'http-01')).toMatchObject([{ status: 'invalid' }]);
    expect((await admin('PUT', '/validation', { mode: 'sometimes' })).status).toBe(400);
  });

  test('moves a renewal window, and restores it', async () => {
    const { pem } = await client.issue(name);
    const id = renewalIdOf(parseCertificate(splitChain(pem)[0] ?? Buffer.alloc(0)));
    const shown = async () => (await fetch(`${acme.url}/acme/renewal-info/${id}`)).json();
    const usual = await shown();
    const window = { start: '2020-01-01T00:00:00.000Z', end: '2020-01-02T00:00:00.000Z' };
    expect((await admin('PUT', `/renewal-info/${id}`, window)).status).toBe(200);
    expect(await shown()).toEqual({ suggestedWindow: window });
    expect((await admin('DELETE', `/renewal-info/${id}`)).status).toBe(204);
    expect(await shown()).toEqual(usual);
    const backwards = { start: window.end, end: window.start };
    expect((await admin('PUT', `/renewal-info/${id}`, backwards)).status).toBe(400);
    expect((await admin('PUT', '/renewal-info/AAAA.AAAA', window)).status).toBe(404);
  });

  test('counts requests', async () => {
    await admin('DELETE', '/requests');
    await client.order(name);
    await client.order([]);
    const { requests } = JSON.parse((await admin('GET', '/requests')).text) as {
      readonly requests: Record<string, Record<string, number>>;
    };
    expect(requests).toEqual({ newNonce: { 200: 2 }, newOrder: { 201: 1, 400: 1 } });
  });
});
