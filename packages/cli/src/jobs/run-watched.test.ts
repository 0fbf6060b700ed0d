import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Io, pause } from '../io.js';
import { run } from '../run.js';

interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Answers of the monitor by action, in their order; 200 once there are no more. */
let answers: Record<string, Answer[]>;
let pings: { readonly action: string; readonly rid: string | null; readonly body: string }[];
let server: Server;
let address: string;

beforeEach(async () => {
  answers = {};
  pings = [];
  server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://monitor');
    const action = pathname.split('/').at(-1) ?? '';
    pings.push({ action, rid: searchParams.get('rid'), body: await text(request) });
    const { status, headers = {} } = answers[action]?.shift() ?? { status: 200 };
    response.writeHead(status, headers).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/ping/one`;
});
afterEach(() => void server.close());

/** A command line whose pauses take no time, with a way to send it signals. */
function start(args: readonly string[], given: Partial<Io> = {}) {
  const said = { out: '', err: '' };
  const pauses: number[] = [];
  const heard = new Set<(signal: NodeJS.Signals) => void>();
  let wrote = () => {};
  const wroteOutput = new Promise<void>((resolve) => {
    wrote = resolve;
  });
  const sink = (name: 'out' | 'err') =>
    new Writable({
      write: (chunk, _encoding, done) => {
        said[name] += String(chunk);
        if (name === 'out') wrote();
        done();
      },
    });
  const io: Io = {
    env: { PATH: process.env['PATH'] },
    out: sink('out'),
    err: sink('err'),
    isInputTerminal: false,
    askSecret: async () => '',
    ask: async () => '',
    readText: async () => '',
    onSignal: (hear) => {
      heard.add(hear);
      return () => void heard.delete(hear);
    },
    // the second that a job's output is read for is the only real pause
    pause: async (ms, stop) => {
      if (ms === 1_000) return pause(ms, stop);
      pauses.push(ms);
    },
    deadline: () => new AbortController().signal,
    everySecond: () => () => undefined,
    ...given,
  };
  const signal = (name: NodeJS.Signals) => {
    for (const hear of heard) hear(name);
  };
  return { ended: run(args, io), said, pauses, signal, wroteOutput };
}

const job = (script: string) => ['run', address, '--', 'sh', '-c', script];
const actions = () => pings.map(({ action }) => action);

describe('the pings of a job', () => {
  test('are repeated within their run when the monitor answers 5xx or 429', async () => {
    const busy = { status: 429, headers: { 'Retry-After': '20' } };
    answers = { 0: [{ status: 503 }, { status: 500 }, busy] };
    const { ended, said, pauses } = start(job('echo copied'));
    expect({ code: await ended, said }).toEqual({ code: 0, said: { out: 'copied\n', err: '' } });
    expect(actions()).toEqual(['start', '0', '0', '0', '0']);
    expect(new Set(pings.map(({ rid }) => rid)).size).toBe(1);
    expect(pings.at(-1)?.body).toBe('copied\n');
    const [first = 0, second = 0, third = 0] = pauses;
    expect(first).toBeGreaterThanOrEqual(750);
    expect(first).toBeLessThanOrEqual(1_250);
    expect(second).toBeGreaterThan(first);
    expect(third).toBe(20_000);
  });

  test('end after five attempts with a sentence, and the exit code stays', async () => {
    answers = { 3: Array.from({ length: 9 }, () => ({ status: 502 })) };
    const { ended, said } = start(job('exit 3'));
    expect(await ended).toBe(3);
    expect(actions()).toEqual(['start', '3', '3', '3', '3', '3']);
    expect(said.err).toBe(
      'certloop: the end ping was not delivered: check-monitor answered the ping with 502\n',
    );
  });

  test.each([
    [404, 'there is no check with this ping address'],
    [413, 'check-monitor answered the ping with 413'],
  ])('are not repeated when the monitor answers %i', async (status, sentence) => {
    answers = { 0: [{ status }] };
    const { ended, said } = start(job('exit 0'));
    expect(await ended).toBe(0);
    expect(actions()).toEqual(['start', '0']);
    expect(said.err).toContain(sentence);
  });

  test('do not delay the command beyond the first attempt, and the start is given up at its end', async () => {
    answers = { start: Array.from({ length: 9 }, () => ({ status: 503 })) };
    const untilStopped = (_ms: number, stop?: AbortSignal) =>
      once(stop as AbortSignal, 'abort').then(() => {});
    const { ended, said } = start(job('exit 0'), { pause: untilStopped });
    expect(await ended).toBe(0);
    expect(actions()).toEqual(['start', '0']);
    expect(said.err).toContain('the start ping was not delivered');
  });

  test('are given up by a signal during the pauses after the command', async () => {
    answers = { 4: Array.from({ length: 9 }, () => ({ status: 503 })) };
    let signalNow = () => {};
    const { ended, signal } = start(job('exit 4'), {
      pause: async () => signalNow(),
    });
    signalNow = () => signal('SIGTERM');
    expect(await ended).toBe(4);
    expect(actions()).toEqual(['start', '4']);
  });

  test('are sent when no monitor answers at first', async () => {
    const gone = 'http://127.0.0.1:9/ping/one';
    const { ended, said } = start(['run', gone, '--', 'sh', '-c', 'exit 5']);
    expect(await ended).toBe(5);
    expect(said.err.match(/127\.0\.0\.1:9 does not answer/g)).toHaveLength(2);
    const { ended: pinged, pauses } = start(['ping', gone]);
    expect(await pinged).toBe(1);
    expect(pauses).toHaveLength(4);
  });
});

describe('a job', () => {
  test('ends with its command although a process that it leaves behind has its output open', async () => {
    const { ended, said } = start(job('sleep 60 & echo $!; exit 3'));
    expect(await ended).toBe(3);
    const pid = Number(said.out);
    expect(process.kill(pid, 0)).toBe(true);
    process.kill(pid);
    expect(pings.at(-1)).toMatchObject({ action: '3', body: `${pid}\n` });
  });

  test.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
    ['SIGHUP', 129],
    ['SIGUSR2', 140],
  ] as const)('and its own children get %s where there is no terminal', async (name, code) => {
    // the child says when it can be signalled: a shell loses a SIGINT between its fork and the start of a command
    const child = `"${process.execPath}" -e 'console.log("ready"); setTimeout(() => {}, 60_000)'`;
    const { ended, said, signal, wroteOutput } = start(job(`${child}; echo over`));
    await wroteOutput;
    signal(name);
    expect({ code: await ended, out: said.out }).toEqual({ code, out: 'ready\n' });
    expect(actions()).toEqual(['start', String(code)]);
  });

  test('gets no second SIGINT where a terminal sends it one', async () => {
    const { ended, signal, wroteOutput } = start(job('echo ready; exec sleep 60'), { isInputTerminal: true });
    await wroteOutput;
    signal('SIGINT');
    signal('SIGTERM');
    expect(await ended).toBe(143);
  });

  test('does not see the secrets of certloop, unless it is given them', async () => {
    const env = {
      PATH: process.env['PATH'],
      CERTLOOP_URL: 'https://certs.test',
      CERTLOOP_TOKEN: 'secret-1',
      CERTLOOP_MONITOR_URL: 'https://monitor.test',
      CERTLOOP_MONITOR_KEY: 'secret-2',
    };
    expect(await start(job('env'), { env }).ended).toBe(0);
    expect(pings.at(-1)?.body).toContain('CERTLOOP_URL=https://certs.test');
    expect(pings.at(-1)?.body).not.toMatch(/secret-\d/);
    const [run = '', ...rest] = job('env');
    expect(await start([run, '--pass-credentials', ...rest], { env }).ended).toBe(0);
    expect(pings.at(-1)?.body).toContain('CERTLOOP_TOKEN=secret-1');
  });

  test.each([
    [['run', 'http://127.0.0.1:9/ping/one', '--', ''], 2, 'the command after -- is empty'],
    [
      ['run', 'http://127.0.0.1:9/ping/one', '--', '/nonexistent/x'],
      127,
      'cannot be run: there is no such command',
    ],
    [['run', 'http://127.0.0.1:9/ping/one', '--', '/'], 126, 'cannot be run: it is not executable'],
  ])('of %j ends with %i', async (args, code, sentence) => {
    const { ended, said } = start(args);
    expect({ code: await ended, err: said.err }).toEqual({ code, err: expect.stringContaining(sentence) });
  });
});
