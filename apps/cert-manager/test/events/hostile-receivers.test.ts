import { type HostileServer, hostileFaults, startHostileServer } from '@certloop/server/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callWebhook } from '../../src/acme/dns/dns-webhook.client.js';
import { createWebhookClient } from '../../src/events/webhook.client.js';
import { createOutgoing } from '../../src/providers/outgoing.client.js';
import { createHeartbeatUrls } from '../../src/watch/monitor/heartbeat-urls.client.js';
import { createMonitorClient } from '../../src/watch/monitor/monitor.client.js';

// every sender to an address of the operator or of an administrator
let server: HostileServer;
beforeAll(async () => {
  server = await startHostileServer();
});
afterAll(() => server.close());

interface About {
  readonly isSilent: boolean;
}

const timeoutOf = ({ isSilent }: About) => (isSilent ? 200 : 60_000);
const ofOwnOrigin = { method: 'POST', mayLeaveOrigin: false, isBodyNeeded: false } as const;

/** Why a call failed; undefined if it did not. */
const reasonOf = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: unknown) => (error as Error).message,
  );

describe('a hostile receiver', () => {
  test('of notices', async () => {
    const stop = new AbortController().signal;
    const send = async (url: string, about: About) => {
      const options = { url, keys: [Buffer.from('k')], stop, timeoutMs: timeoutOf(about) };
      const client = createWebhookClient(options);
      const refusal = await client.send({ id: '1', body: 'the message', sentAt: new Date() });
      await client.close();
      return refusal?.reason;
    };
    const sender = { ...ofOwnOrigin, send, body: 'the message', header: 'webhook-signature' };
    expect(await hostileFaults(server, sender)).toEqual([]);
  });

  test('of heartbeats', async () => {
    const send = async (url: string, about: About) => {
      const reasons: string[] = [];
      const logger = {
        info: () => undefined,
        warn: ({ reason }: { reason: string }) => reasons.push(reason),
      };
      const options = { urls: [url], logger: logger as never, timeoutMs: timeoutOf(about) };
      const heartbeats = createHeartbeatUrls(options);
      await heartbeats.ping();
      await heartbeats.close();
      return reasons[0];
    };
    expect(await hostileFaults(server, { ...ofOwnOrigin, method: 'GET', send })).toEqual([]);
  });

  test.each([true, false])('of DNS proofs (address of the environment: %s)', async (isTrusted) => {
    const send = async (url: string, about: About) => {
      const outgoing = createOutgoing({ trusted: isTrusted ? [url] : [] });
      const fetch = outgoing.sendTo({ address: url, allowPrivate: true }, 'the DNS webhook');
      const settings = {
        fetch,
        url,
        authHeader: 'k',
        mode: 'fqdn-value',
        requestMs: timeoutOf(about),
      } as const;
      const source = { identifier: { type: 'dns', value: 'a.test' }, token: 't', answer: 'a' } as never;
      const record = { name: '_acme-challenge.a.test', value: 'the message' };
      const reason = await reasonOf(callWebhook(settings, 'present', record, source));
      await outgoing.close();
      return reason;
    };
    const sender = { ...ofOwnOrigin, send, body: 'the message', header: 'authorization' };
    expect(await hostileFaults(server, sender)).toEqual([]);
  });

  test('that is set as the monitor', async () => {
    const send = (url: string, about: About) => {
      const client = createMonitorClient({ url, apiKey: 'k', timeoutMs: timeoutOf(about) });
      const uuid = '7f3b1c9a-0000-4000-8000-000000000000';
      return reasonOf(client.ping(uuid, 'fail', { rid: uuid, text: 'the message' }));
    };
    const sender = { ...ofOwnOrigin, isBodyNeeded: true, send, body: 'the message' };
    expect(await hostileFaults(server, sender)).toEqual([]);
  });
});
