import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import { listen } from '../src/index.js';

const fixture = fileURLToPath(new URL('./service.fixture.js', import.meta.url));
const started: ChildProcess[] = [];

afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

class Running {
  readonly child: ChildProcess;
  out = '';
  error = '';

  constructor(port: number, behaviour = '') {
    this.child = spawn(process.execPath, [fixture, String(port), behaviour], {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    started.push(this.child);
    this.child.stdout?.on('data', (chunk: Buffer) => {
      this.out += chunk;
    });
    this.child.stderr?.on('data', (chunk: Buffer) => {
      this.error += chunk;
    });
  }

  /** Address, once it serves. */
  async url(): Promise<string> {
    await once(this.child, 'message');
    while (!this.out.includes('http://')) await once(this.child.stdout as NodeJS.ReadableStream, 'data');
    return this.out.trim();
  }

  async exitCode(): Promise<unknown> {
    const [code] = await once(this.child, 'exit');
    return code;
  }
}

describe('a service that is asked to stop', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)(
    'by %s: completes requests, closes in reverse order, exits 0',
    async (signal) => {
      const service = new Running(0);
      const slow = fetch(`${await service.url()}/slow`);
      await fetch(`${service.out.trim()}/`);
      service.child.kill(signal);
      expect(await (await slow).text()).toBe('slow');
      expect(await service.exitCode()).toBe(0);
      expect(service.out.indexOf('closing last part')).toBeLessThan(service.out.indexOf('closed first part'));
    },
  );

  test('by the exit of the process that started it: exits 0', async () => {
    const service = new Running(0);
    await service.url();
    service.child.disconnect();
    expect(await service.exitCode()).toBe(0);
  });

  test('twice: exits immediately with 1', async () => {
    const service = new Running(0, 'hang');
    await service.url();
    service.child.kill('SIGTERM');
    while (!service.out.includes('closing'))
      await once(service.child.stdout as NodeJS.ReadableStream, 'data');
    service.child.kill('SIGTERM');
    expect(await service.exitCode()).toBe(1);
  });

  test('with a component that cannot close: closes the others and exits 1', async () => {
    const service = new Running(0, 'fail');
    await service.url();
    service.child.kill('SIGTERM');
    expect(await service.exitCode()).toBe(1);
    expect(service.out).toContain('closed first part');
  });
});

test('a port in use: prints one line that names it, and exits 1', async () => {
  const first = new Running(0);
  const { port } = new URL(await first.url());
  const second = new Running(Number(port));
  expect(await second.exitCode()).toBe(1);
  expect(second.error).toBe(`fixture: port ${port} on 127.0.0.1 is already in use\n`);
});

test('announces on a connection in use that the service closes', async () => {
  const arrivals = new EventEmitter();
  const { server, close } = await listen(
    (request, response) => {
      arrivals.emit(request.url ?? '');
      arrivals.once('answer', () => response.end('answered'));
    },
    { host: '127.0.0.1', port: 0 },
  );
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const ask = async (path: string) => {
    const arrived = once(arrivals, path);
    socket.write(`GET ${path} HTTP/1.1\r\nHost: a.test\r\n\r\n`);
    await arrived;
  };
  await ask('/before');
  const closed = close();
  await ask('/meanwhile');
  arrivals.emit('answer');
  const answers = await text(socket);
  expect(answers.match(/Connection: [\w-]+/g)).toEqual(['Connection: keep-alive', 'Connection: close']);
  expect(answers.match(/answered/g)).toHaveLength(2);
  await closed;
});
