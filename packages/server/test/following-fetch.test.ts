import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type AddressFetch,
  createOutgoingFetch,
  createPlainFetch,
  followingFetch,
  type OutgoingFetch,
} from '../src/index.js';
import { type HostileServer, hostileFaults, startHostileServer, testCertificate } from '../src/testing.js';

let server: HostileServer;
const opened: { close(): Promise<void> }[] = [];

beforeAll(async () => {
  server = await startHostileServer();
});
afterAll(async () => {
  for (const { close } of opened) await close();
  await server.close();
});

function open(outgoing: OutgoingFetch): typeof fetch {
  opened.push(outgoing);
  return outgoing.fetch;
}

const silentMs = 200;

/** Sends by a fetch; returns the reason as senders state it. */
const sendBy =
  (fetch: AddressFetch, method: 'GET' | 'POST' | 'PUT', headers = {}) =>
  async (url: string, { isSilent }: { readonly isSilent: boolean }) => {
    const signal = AbortSignal.timeout(isSilent ? silentMs : 60_000);
    const body = method === 'GET' ? null : Buffer.from('the message');
    try {
      const { ok, status } = await fetch(url, { method, headers, body, signal });
      return ok ? undefined : `status ${status}`;
    } catch (error) {
      return (error as Error).message;
    }
  };

describe('a call that follows redirects', () => {
  test.each<['GET' | 'POST' | 'PUT', boolean]>([
    ['POST', false],
    ['POST', true],
    ['PUT', false],
    ['GET', false],
    ['GET', true],
  ])('by guarded fetch: %s, body needed: %s', async (method, isBodyNeeded) => {
    const guarded = open(createOutgoingFetch({ allowPrivate: true, isBodyNeeded }));
    const fetch = followingFetch(guarded, { subject: 'it', mayLeaveOrigin: true });
    const sender = { method, mayLeaveOrigin: true, isBodyNeeded, send: sendBy(fetch, method) };
    const body = method === 'GET' ? {} : { body: 'the message' };
    expect(await hostileFaults(server, { ...sender, ...body })).toEqual([]);
  });

  test.each<['GET' | 'POST', boolean]>([
    ['POST', false],
    ['POST', true],
    ['GET', false],
  ])('by plain fetch, with a key: %s, body needed: %s', async (method, isBodyNeeded) => {
    const plain = open(createPlainFetch({ answerBytes: 1_048_576, isBodyNeeded }));
    const fetch = followingFetch(plain, { subject: 'it', mayLeaveOrigin: true });
    const send = sendBy(fetch, method, { 'X-Key': 'k' });
    // the key does not leave
    const sender = { method, mayLeaveOrigin: false, isBodyNeeded, send, header: 'x-key' };
    expect(await hostileFaults(server, sender)).toEqual([]);
  });

  test('sends all headers from http to https of the same host', async () => {
    const seen: unknown[] = [];
    const secure = createTlsServer(testCertificate, (request, response) => {
      seen.push([request.method, request.headers['x-key']]);
      response.end();
    });
    const securePort = await portOf(secure);
    const plain = createServer((_, response) =>
      response.writeHead(301, { Location: `https://localhost:${securePort}/in` }).end(),
    );
    const plainPort = await portOf(plain);
    const guarded = open(createOutgoingFetch({ allowPrivate: true, ca: testCertificate.cert }));
    const fetch = followingFetch(guarded, { subject: 'it', mayLeaveOrigin: false });
    const headers = { 'X-Key': 'k' };
    const answer = await fetch(`http://localhost:${plainPort}/`, { method: 'POST', headers, body: 'x' });
    expect([answer.status, seen]).toEqual([200, [['POST', 'k']]]);
    for (const one of [secure, plain]) {
      one.closeAllConnections();
      await new Promise((resolve) => one.close(resolve));
    }
  });
});

async function portOf(one: Server): Promise<number> {
  await new Promise<void>((resolve) => one.listen(0, 'localhost', resolve));
  return (one.address() as AddressInfo).port;
}
