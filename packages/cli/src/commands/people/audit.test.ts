import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { processIo } from '../../io.js';
import { run } from '../../run.js';

const program = fileURLToPath(new URL('../../../../bin/certloop.js', import.meta.url));

let seqs: number[];
let server: Server;
let port: number;
let env: Record<string, string>;

/** The log of cert-manager, as far as a follower asks for it. */
function serve(): Server {
  return createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://manager');
    const after = Number(searchParams.get('after') ?? 0);
    const found = seqs.filter((seq) => seq > after).sort((a, b) => a - b);
    if (searchParams.get('order') !== 'asc') found.reverse();
    const logs = found.slice(0, Number(searchParams.get('limit'))).map((seq) => ({
      seq,
      id: `id-${seq}`,
      timestamp: '2026-01-02T03:04:05.000Z',
      username: 'anna',
      action: `fqdn.${seq}`,
      resourceType: 'fqdn',
      resourceId: `f${seq}`,
      ipAddress: '::1',
    }));
    response
      .writeHead(200, { 'content-type': 'application/json', connection: 'close' })
      .end(JSON.stringify({ logs, total: seqs.length }));
  });
}

beforeEach(async () => {
  seqs = [1, 2, 3];
  server = serve().listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
  env = { CERTLOOP_URL: `http://127.0.0.1:${port}`, CERTLOOP_TOKEN: 'clt_1', HOME: '/nonexistent' };
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

/** The command with pauses that only let other work go on, and what it wrote. */
function follow(...args: readonly string[]) {
  const said = { out: '', err: '' };
  const wrote = new EventEmitter();
  const sink = (name: 'out' | 'err') =>
    new Writable({
      write: (chunk, _encoding, done) => {
        said[name] += String(chunk);
        wrote.emit(name);
        done();
      },
    });
  let signal: () => void = () => undefined;
  const paused = new EventEmitter();
  const io = {
    ...processIo(),
    env,
    out: sink('out'),
    err: sink('err'),
    onSignal: (heard: (name: NodeJS.Signals) => void) => {
      signal = () => heard('SIGINT');
      return () => undefined;
    },
    pause: async () => {
      paused.emit('pause');
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
  const until = async (name: 'out' | 'err', wanted: RegExp) => {
    while (!wanted.test(said[name])) await once(wrote, name);
  };
  return { ended: run(['audit', '--follow', ...args], io), said, until, paused, signal: () => signal() };
}

test('prints each entry from then on once and in order', async () => {
  const { ended, said, until, paused, signal } = follow('-o', 'jsonpath=$[*].seq');
  await once(paused, 'pause');
  seqs.push(5, 4);
  await until('out', /5\n/);
  seqs.push(7, 6);
  await until('out', /7\n/);
  signal();
  expect(await ended).toBe(0);
  expect(said.out).toBe('4\n5\n6\n7\n');
});

test('says that the service is away, and prints the entries of that time when it is back', async () => {
  const { ended, said, until, paused, signal } = follow();
  await once(paused, 'pause');
  server.closeAllConnections();
  server.close();
  await until('err', /does not answer.*; trying again until it answers\n/);
  seqs.push(4, 5);
  server = serve().listen(port, '127.0.0.1');
  await until('out', /f5\n/);
  signal();
  expect(await ended).toBe(0);
  expect(said.out).toMatch(/^2026-01-02T03:04:05\.000Z {2}anna {2}fqdn\.4 .*f4\n.*f5\n$/);
});

test('ends when its reader is gone', async () => {
  const child = spawn(process.execPath, [program, 'audit', '--follow'], { env });
  const ended = once(child, 'exit');
  const said = text(child.stderr);
  const entries = setInterval(() => seqs.push(Math.max(...seqs) + 1), 100);
  try {
    await once(child.stdout, 'data');
    child.stdout.destroy();
    expect(await ended).toEqual([0, null]);
    expect(await said).toBe('');
  } finally {
    clearInterval(entries);
    child.kill();
  }
});
