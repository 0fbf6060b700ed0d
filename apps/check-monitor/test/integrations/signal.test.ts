import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { delivered } from '../../src/integrations/delivery/delivery-result.js';
import { signalIntegration } from '../../src/integrations/kinds/signal/signal.channel.js';
import { signalSettings } from '../../src/integrations/kinds/signal/signal-kind.js';
import { aDelivery, anEvent, aRecovery } from '../support/events.js';
import { integrationDeps, noAccounts } from '../support/integration-deps.js';

interface Call {
  readonly id: string;
  readonly method: string;
  readonly params: { recipient?: string[]; username?: string[]; message: string; textStyle: string[] };
}

type Answer = (call: Call, count: number) => object | string | undefined;

const ok: Answer = () => ({ result: {} });
const folder = mkdtempSync(join(tmpdir(), 'certloop-signal-'));
const path = join(folder, 'socket');
const calls: Call[] = [];
const captchas: string[] = [];
const servers: Server[] = [];
let answer = ok;
let port = 0;

/** Takes one call a line, and says something of its own before it answers, as signal-cli does. */
function serve(): Server {
  const server = createServer((socket) => {
    let text = '';
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('utf8');
      if (!text.endsWith('\n')) return;
      const call = JSON.parse(text) as Call;
      calls.push(call);
      const said = answer(call, calls.length);
      if (said === undefined) socket.destroy();
      else if (typeof said === 'string') socket.write(said);
      else socket.write(`{"method":"receive"}\nnot JSON\n${JSON.stringify({ id: call.id, ...said })}\n`);
    });
  });
  servers.push(server);
  return server;
}

beforeAll(async () => {
  await new Promise<void>((resolve) => serve().listen(path, resolve));
  const byTcp = serve();
  await new Promise<void>((resolve) => byTcp.listen(0, '127.0.0.1', resolve));
  port = (byTcp.address() as AddressInfo).port;
});
afterEach(() => {
  calls.length = 0;
  captchas.length = 0;
  answer = ok;
});
afterAll(async () => {
  for (const server of servers) await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true });
});

let stopping = new AbortController();
const settings = signalSettings.parse({ recipient: '+3712345678' });

/** A busy machine does not exceed the timeout, so only the test of silence shortens it. */
function signal(socket: string | undefined = path, timeoutMs = 10_000) {
  return signalIntegration({
    ...integrationDeps('', async () => delivered),
    senderAccounts: { ...noAccounts, signalSocket: socket },
    timeoutMs,
    stop: stopping.signal,
    onCaptcha: (token) => captchas.push(token),
  });
}

/** Texts that a message shows in a style. */
function styled({ params: { message, textStyle } }: Call, style: string): string[] {
  return textStyle
    .map((range) => range.split(':'))
    .filter(([, , name]) => name === style)
    .map(([start, length]) => message.slice(Number(start), Number(start) + Number(length)));
}

function sentCall(): Call {
  const [call] = calls;
  if (call === undefined) throw new Error('nothing was sent');
  return call;
}

describe('Signal', () => {
  test('gets a message by a UNIX socket, with parts of the message in bold and as code', async () => {
    const event = anEvent({ check: { name: '😀 Backup' } });
    expect(await signal().deliver(aDelivery(settings, event))).toEqual({ ok: true });
    const call = sentCall();
    expect(call).toMatchObject({ jsonrpc: '2.0', method: 'send', params: { recipient: ['+3712345678'] } });
    expect(call.params.message).toMatch(/^The check 😀 Backup is DOWN \(success signal did not/);
    expect(styled(call, 'BOLD')).toEqual([
      '😀 Backup',
      'DOWN',
      'Went Down:',
      'Project:',
      'Tags:',
      'Period:',
      'Total Pings:',
      'Last Ping:',
      '\nLast Ping Body:',
    ]);
    expect(styled(call, 'MONOSPACE')).toEqual(['done']);
  });

  test('gets a message by TCP, and by user name', async () => {
    const byName = signalSettings.parse({ recipient: 'ada.42' });
    await signal(`127.0.0.1:${port}`).deliver(aDelivery(byName, aRecovery()));
    expect(sentCall().params).toMatchObject({ recipient: ['u:ada.42'] });
  });

  test('long details are omitted, so that the message is not sent as a file', async () => {
    const lastPing = { n: 112, signal: 'fail', at: 0, exitStatus: null, isMail: false } as const;
    const event = anEvent({ lastPing: { ...lastPing, body: Buffer.from('漢'.repeat(900)) } });
    await signal().deliver(aDelivery(settings, event));
    expect(Buffer.byteLength(sentCall().params.message)).toBeLessThanOrEqual(2000);
    expect(sentCall().params.message).toContain('Project: Jobs');
  });

  test('a deleted recipient switches off the channel', async () => {
    answer = () => ({
      error: {
        code: -1,
        message: 'Failed',
        data: { response: { results: [{ type: 'UNREGISTERED_FAILURE' }] } },
      },
    });
    expect(await signal().deliver(aDelivery(settings))).toEqual({
      ok: false,
      error: 'Recipient not found',
      permanent: true,
    });
  });

  test('a captcha challenge is reported to the operator', async () => {
    const results = [{ type: 'RATE_LIMIT_FAILURE', token: 'proof-1' }];
    answer = () => ({ error: { code: -5, message: 'Failed', data: { response: { results } } } });
    expect(await signal().deliver(aDelivery(settings))).toMatchObject({
      error: 'CAPTCHA proof required',
      permanent: false,
    });
    expect(captchas).toEqual(['proof-1']);
  });

  test('reports another refusal as it is, and does not try again', async () => {
    answer = () => ({ error: { code: -32602, message: 'Bad number', data: null } });
    expect(await signal().deliver(aDelivery(settings))).toMatchObject({
      error: 'signal-cli call failed (-32602): Bad number',
    });
    expect(calls).toHaveLength(1);
  });

  test('a failure of signal-cli is temporary', async () => {
    answer = () => ({ error: { code: -1, message: 'Network', data: null } });
    expect(await signal().deliver(aDelivery(settings))).toMatchObject({ retryReason: 'failed' });
  });

  test('a broken connection is temporary, and is tried once', async () => {
    answer = () => undefined;
    expect(await signal().deliver(aDelivery(settings))).toEqual({
      ok: false,
      permanent: false,
      error: 'signal-cli ended the connection',
      retryReason: 'failed',
    });
    expect(calls).toHaveLength(1);
  });

  test('a call is aborted when the service stops', async () => {
    answer = () => '{"id": "another"}\n';
    const result = signal().deliver(aDelivery(settings));
    stopping.abort();
    expect(await result).toMatchObject({ retryReason: 'stopped' });
    stopping = new AbortController();
  });

  test('a missing response times out', async () => {
    answer = () => '{"id": "another"}\n';
    expect(await signal(path, 200).deliver(aDelivery(settings))).toMatchObject({
      retryReason: 'timed-out',
      error: 'signal-cli does not answer',
    });
  });

  test('reports a missing socket', async () => {
    expect(await signal(join(folder, 'none')).deliver(aDelivery(settings))).toMatchObject({
      error: 'signal-cli cannot be reached',
    });
  });
});
