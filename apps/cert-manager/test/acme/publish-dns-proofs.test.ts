import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { setImmediate as nextRound } from 'node:timers/promises';
import { createKeyedLimiter } from '@certloop/server';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { acmeDnsBackend, updateBackend, webhookBackend } from '../../src/acme/dns/dns-backends.service.js';
import { createDnsView } from '../../src/acme/dns/dns-view.client.js';
import { listening, silentAddress, textOf } from '../support/small-server.js';

const record = { name: '_acme-challenge.www.example.org', value: 'abc' };
const source = { identifier: { value: 'www.example.org' }, token: 'token', answer: 'token.thumbprint' };
const view = createDnsView({ resolvers: [{ host: '127.0.0.1', port: 1 }], refusalOf: () => undefined });
const propagation = { view, timeoutS: 2, intervalS: 1 };
const pauses: number[] = [];
const deps = {
  propagation,
  limitByName: createKeyedLimiter(1),
  pause: async (ms: number) => void pauses.push(ms),
};

interface Call {
  readonly path: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

describe('a zone behind HTTP', () => {
  const calls: Call[] = [];
  let status = 200;
  let url = '';
  let close: () => Promise<void>;
  beforeAll(async () => {
    const server = createHttpServer(async (request, response) => {
      const body = JSON.parse(await textOf(request)) as unknown;
      calls.push({ path: request.url ?? '', headers: request.headers, body });
      response.writeHead(status).end();
    });
    ({ url, close } = await listening(server));
  });
  afterAll(() => close());
  beforeEach(() => {
    calls.length = 0;
    status = 200;
  });

  const webhook = (mode: 'fqdn-value' | 'raw', address = url) =>
    webhookBackend({ fetch, url: address, authHeader: 'Bearer abc', mode, requestMs: 2000 }, deps);

  test('receives a record in the format of httpreq', async () => {
    const backend = webhook('fqdn-value');
    await backend.present(record, source);
    await backend.cleanUp(record, source);
    const body = { fqdn: '_acme-challenge.www.example.org.', value: 'abc' };
    expect(calls).toMatchObject([
      { path: '/present', body, headers: { authorization: 'Bearer abc' } },
      { path: '/cleanup', body },
    ]);
  });

  test('can compute the record from the raw token', async () => {
    await webhook('raw').present(record, source);
    expect(calls).toMatchObject([
      { body: { domain: 'www.example.org', token: 'token', keyAuth: 'token.thumbprint' } },
    ]);
  });

  test('of acme-dns is updated with the account of the name', async () => {
    const account = { username: 'user', password: 'pass', subdomain: 'sub' };
    const backend = acmeDnsBackend({ fetch, url, requestMs: 2000, ...account }, deps);
    await backend.present(record, source);
    await backend.cleanUp(record, source);
    expect(calls).toMatchObject([
      {
        path: '/update',
        body: { subdomain: 'sub', txt: 'abc' },
        headers: { 'x-api-user': 'user', 'x-api-key': 'pass' },
      },
    ]);
  });

  test('that refuses, or is away, is a failure', async () => {
    status = 503;
    await expect(webhook('raw').present(record, source)).rejects.toThrow(/present was answered with 503/);
    const away = webhook('raw', await silentAddress());
    await expect(away.present(record, source)).rejects.toThrow(/did not answer/);
  });

  test('receives changes of one name one after the other', async () => {
    const limitByName = createKeyedLimiter(1);
    const log: string[] = [];
    const work = (name: string) => async () => {
      log.push(`${name} begins`);
      await nextRound();
      log.push(`${name} ends`);
    };
    await Promise.all([limitByName(record.name, work('one')), limitByName(record.name, work('other'))]);
    expect(log).toEqual(['one begins', 'one ends', 'other begins', 'other ends']);
  });

  test('whose record stays invisible causes a warning after a timeout', async () => {
    expect(await webhook('raw').propagated(record)).toMatch(/cannot be seen from here after 2 s/);
    expect(pauses).toEqual([1000, 1000]);
  });
});

describe('a zone by signed updates', () => {
  const messages: Buffer[] = [];
  let code = 0;
  let port = 0;
  const server = createServer((socket) => {
    socket.on('data', (chunk: Buffer) => {
      const message = chunk.subarray(2);
      messages.push(message);
      const answer = Buffer.concat([
        Buffer.of(0, 12),
        message.subarray(0, 2),
        Buffer.of(0xa8, code),
        Buffer.alloc(8),
      ]);
      socket.end(answer);
    });
  });
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    port = (server.address() as AddressInfo).port;
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  const backend = (at: () => number) =>
    updateBackend(
      {
        resolveServer: async () => '127.0.0.1',
        port: at(),
        zone: 'example.org',
        findZone: async () => undefined,
        key: { name: 'key', secret: new Uint8Array(32) },
        clock: { now: () => new Date('2026-03-01T12:00:00Z') },
        requestMs: 2000,
      },
      deps,
    );

  test('contains the record until it is removed', async () => {
    await backend(() => port).present(record, source);
    await backend(() => port).cleanUp(record, source);
    expect(messages.map((message) => message.includes('_acme-challenge'))).toEqual([true, true]);
    // class IN adds, class NONE deletes
    expect(messages[0]?.includes(Buffer.from('00100001', 'hex'))).toBe(true);
    expect(messages[1]?.includes(Buffer.from('001000fe', 'hex'))).toBe(true);
  });

  test('that refuses, or is away, is a failure', async () => {
    code = 5;
    await expect(backend(() => port).present(record, source)).rejects.toThrow(/refused the update.*REFUSED/);
    await expect(backend(() => 1).present(record, source)).rejects.toThrow(/did not answer: ECONNREFUSED/);
  });
});
