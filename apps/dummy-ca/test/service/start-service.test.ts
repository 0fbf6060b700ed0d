import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { get } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@certloop/contracts/testing';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { rootPair } from '../support/roots.js';

const main = join(import.meta.dirname, '../../service/main.js');
const children: ChildProcess[] = [];
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'dummy-ca-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

interface Run {
  readonly child: ChildProcess;
  readonly output: { out: string; err: string };
  readonly exit: Promise<number | null>;
}

function run(environment: Readonly<Record<string, string>>): Run {
  const child = spawn(process.execPath, [main], {
    env: { PATH: process.env['PATH'] ?? '', DUMMY_CA_PORT: '0', ...environment },
  });
  children.push(child);
  const output = { out: '', err: '' };
  child.stdout.on('data', (chunk) => {
    output.out += String(chunk);
  });
  child.stderr.on('data', (chunk) => {
    output.err += String(chunk);
  });
  const exit = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { child, output, exit };
}

interface LogLine {
  readonly event: string;
  readonly url?: string;
  readonly name?: string;
}

const linesOf = ({ output }: Run): LogLine[] =>
  output.out
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as LogLine);

/** Address of a service, once it says that it started. */
function addressOf(service: Run): Promise<string> {
  return new Promise((resolve, reject) => {
    service.child.stdout?.on('data', () => {
      const started = linesOf(service).find(({ event }) => event === 'service.started');
      if (started?.url !== undefined) resolve(started.url);
    });
    void service.exit.then(() => reject(new Error(`it did not start: ${service.output.err}`)));
  });
}

/** Whether something listens at a port. */
function connects(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('error', () => resolve(false));
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
  });
}

function write(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

describe('the service', () => {
  test('serves the configured root, warns about a misspelt setting, and exits cleanly on SIGTERM', async () => {
    const { keyPem, certificatePem } = await rootPair();
    const service = run({
      DUMMY_CA_ROOT_KEY_FILE: write('root.key', keyPem),
      DUMMY_CA_ROOT_CERTIFICATE_FILE: write('root.pem', certificatePem),
      DUMMY_CA_KEYTYPE: 'RSA-2048',
    });
    const url = await addressOf(service);
    expect(await (await fetch(`${url}/health`)).json()).toMatchObject({ status: 'ok' });
    expect(await (await fetch(`${url}/root`)).text()).toBe(certificatePem);
    const warned = linesOf(service).filter(({ event }) => event === 'config.unknown_setting');
    expect(warned.map(({ name }) => name)).toEqual(['DUMMY_CA_KEYTYPE']);
    service.child.kill('SIGTERM');
    expect(await service.exit).toBe(0);
    expect(service.output.err).toBe('');
    expect(service.output.out).not.toContain('PRIVATE KEY');
  });

  test('serves ACME by https with a certificate of its root', async () => {
    const service = run({ DUMMY_CA_HTTPS_PORT: '0' });
    const url = await addressOf(service);
    const secure = linesOf(service).find(({ event }) => event === 'https.started')?.url ?? '';
    const rootPem = await (await fetch(`${url}/root`)).text();
    const status = await new Promise((resolve, reject) => {
      get(`${secure}/acme/directory`, { ca: rootPem }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      }).once('error', reject);
    });
    expect(status).toBe(200);
    service.child.kill('SIGTERM');
    expect(await service.exit).toBe(0);
  });

  test('says in one line that its port is taken', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const { port } = taken.address() as AddressInfo;
    const service = run({ DUMMY_CA_PORT: String(port) });
    expect(await service.exit).toBe(1);
    taken.close();
    expect(service.output.err).toBe(`dummy-ca: port ${port} on 127.0.0.1 is already in use\n`);
  });

  test('accepts no request before all its ports are open', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const { port: securePort } = taken.address() as AddressInfo;
    const port = await freePort();
    const service = run({ DUMMY_CA_PORT: String(port), DUMMY_CA_HTTPS_PORT: String(securePort) });
    let hasEnded = false;
    void service.exit.then(() => {
      hasEnded = true;
    });
    let hasListened = false;
    while (!hasEnded) {
      if (await connects(port)) hasListened = true;
    }
    taken.close();
    expect(hasListened).toBe(false);
    expect(service.output.err).toBe(`dummy-ca: port ${securePort} on 127.0.0.1 is already in use\n`);
  });

  test('reports all invalid settings at once', async () => {
    const service = run({ DUMMY_CA_PORT: 'x', DUMMY_CA_KEY_TYPE: 'y' });
    expect(await service.exit).toBe(1);
    expect(service.output.err).toMatch(
      /^dummy-ca: [^\n]+\n {2}DUMMY_CA_PORT: [^\n]+\n {2}DUMMY_CA_KEY_TYPE: [^\n]+\n$/,
    );
  });
});
