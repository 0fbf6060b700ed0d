import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { until } from '@certloop/contracts/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createProber } from '../../src/targets/probes/prober.service.js';
import type { TargetSettings } from '../../src/targets/target.js';

/** Connections that a server of all loopback addresses holds, by address. */
let open: Map<Socket, string>;
let peaks: Map<string, number>;
let server: Server;
let port: number;

/** The address that the test itself connects to. */
const ownAddress = '127.0.0.1';

beforeEach(async () => {
  open = new Map();
  peaks = new Map();
  const note = (key: string, count: number) => peaks.set(key, Math.max(peaks.get(key) ?? 0, count));
  server = createServer((socket) => {
    const address = socket.localAddress ?? '';
    if (address === ownAddress) return void socket.on('error', () => undefined).end();
    open.set(
      socket.on('error', () => undefined),
      address,
    );
    note('all', open.size);
    note(address, [...open.values()].filter((one) => one === address).length);
    socket.on('close', () => open.delete(socket));
  });
  server.listen(0, '0.0.0.0');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
});
afterEach(async () => {
  for (const socket of open.keys()) socket.destroy();
  await new Promise((done) => server.close(done));
});

/** Holds connections until there are `count`, and then closes them and all that come. */
async function release(probes: Promise<unknown>, count: number): Promise<void> {
  let isOver = false;
  const ended = probes.finally(() => {
    isOver = true;
  });
  await until(() => open.size >= count);
  // the server accepts connections in their order: what would be too much comes before this one ends
  await once(connect(port, ownAddress).resume(), 'close');
  while (!isOver) {
    for (const socket of open.keys()) socket.destroy();
    await pause(5);
  }
  await ended;
}

const settings = (host: string, addresses: readonly string[]): TargetSettings => ({
  host,
  addresses,
  port,
  protocol: 'tls',
  sni: 'www.example.org',
  mode: 'probe',
  everySeconds: 60,
  graceSeconds: 0,
  enabled: true,
});
const createTestProber = () => createProber({ allowCidrs: ['127.0.0.0/8'], ports: [port] });
const lookAt = (prober: ReturnType<typeof createTestProber>, host: string, addresses: readonly string[]) =>
  prober.look(settings(host, addresses), { keyAlgorithm: undefined, signal: new AbortController().signal });

describe('the prober of a process', () => {
  test('opens at most 32 connections at once', async () => {
    const prober = createTestProber();
    const looks = Array.from({ length: 80 }, (_, index) =>
      lookAt(prober, `h${index}.example.org`, [`127.0.1.${index}`]),
    );
    await release(Promise.all(looks), 32);
    expect(peaks.get('all')).toBe(32);
    expect(peaks.size).toBe(81);
  });

  test('opens at most 2 connections to one address, under any name', async () => {
    const prober = createTestProber();
    const looks = Array.from({ length: 10 }, (_, index) =>
      lookAt(prober, `h${index}.example.org`, ['127.0.1.1']),
    );
    await release(Promise.all(looks), 2);
    expect(peaks).toEqual(
      new Map([
        ['all', 2],
        ['127.0.1.1', 2],
      ]),
    );
  });

  test('opens at most 2 connections to one host, at any addresses', async () => {
    const prober = createTestProber();
    const addresses = Array.from({ length: 5 }, (_, index) => `127.0.1.${index + 1}`);
    const looks = [0, 1, 2].map(() => lookAt(prober, 'lb.example.org', addresses));
    await release(Promise.all(looks), 2);
    expect(peaks.get('all')).toBe(2);
  });
});
