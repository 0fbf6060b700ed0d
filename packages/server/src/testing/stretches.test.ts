import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { cpuMsOf } from '@certloop/contracts/testing';
import { expect, test } from 'vitest';
import { openAccepted } from './accepted-sockets.js';
import { watchStretches } from './stretches.js';

/** Works without a turn for others until the process has taken so much CPU time. */
function work(ms: number) {
  const before = process.cpuUsage();
  while (process.cpuUsage(before).user / 1000 < ms);
}

test('finds the longest stretch of work', async () => {
  const watch = watchStretches();
  for (const ms of [5, 100, 10]) {
    await setTimeout(2);
    work(ms);
  }
  await setTimeout(2);
  const maxMs = await watch.stop();
  if (maxMs !== undefined) expect(maxMs).toBeGreaterThan(40);
});

/** A server that takes so much CPU time for each request of each connection, which all arrive together. */
async function serve(connections: readonly (readonly number[])[]) {
  const server = createServer((request, response) => {
    work(Number(request.url?.slice(1)));
    response.end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const sockets = await openAccepted(server, connections.length);
  const before = process.cpuUsage();
  const watch = watchStretches();
  for (const [index, socket] of sockets.entries()) {
    const requests = connections[index]?.map((ms) => `GET /${ms} HTTP/1.1\r\nHost: a\r\n\r\n`) ?? [];
    socket.write(`${requests.join('')}GET /0 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
  }
  await Promise.all(sockets.map((socket) => once(socket.resume(), 'close')));
  const maxMs = await watch.stop();
  server.close();
  const { user, system } = process.cpuUsage(before);
  return { maxMs, tookMs: (user + system) / 1000 };
}

test('does not add up requests of several connections, which take turns', async () => {
  const shares: number[] = [];
  // in a run, what else the process does, such as compiling, may fall into one stretch
  while (shares.length < 3) {
    const { maxMs = 0, tookMs } = await serve(Array.from({ length: 10 }, () => [10]));
    shares.push(maxMs / tookMs);
  }
  expect(Math.min(...shares)).toBeLessThan(1 / 3);
});

test('adds up requests of one connection that are served in one turn', async () => {
  const { maxMs, tookMs } = await serve([[10, 10, 10, 10, 10]]);
  if (maxMs !== undefined) expect(maxMs).toBeGreaterThan(tookMs / 2);
});

test('finds a long request between short ones', async () => {
  const { maxMs } = await serve([[5], [5], [5], [100], [5], [5]]);
  if (maxMs !== undefined) expect(maxMs).toBeGreaterThan(40);
});

test('does not count collections of garbage', async () => {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const live = Array.from({ length: 1_000_000 }, (_, index) => ({ index }));
  const watch = watchStretches();
  await setTimeout(2);
  const took = cpuMsOf(() => {
    for (let times = 0; times < 5; times += 1) collect();
  });
  const maxMs = await watch.stop();
  expect(live).toHaveLength(1_000_000);
  if (maxMs !== undefined) expect(maxMs).toBeLessThan(took / 4);
});
