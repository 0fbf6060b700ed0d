import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { abortAfter } from './abort-after.js';

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

const silent = createServer(() => undefined);
let url: string;
beforeAll(async () => {
  await once(silent.listen(0, '127.0.0.1'), 'listening');
  url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`;
});
afterAll(() => {
  silent.closeAllConnections();
  silent.close();
});

const stop = new AbortController();

test.each<[string, () => AbortSignal]>([
  ['alone', () => abortAfter(300)],
  ['together with another signal', () => AbortSignal.any([abortAfter(300), stop.signal])],
  ['through two signals', () => AbortSignal.any([AbortSignal.any([abortAfter(300), stop.signal])])],
])('aborts a call %s, whatever is collected meanwhile', async (_, make) => {
  const collecting = setInterval(collect, 20);
  try {
    // in a function of its own, so that the test holds no signal
    const call = (() => fetch(url, { signal: make() }))();
    await expect(call).rejects.toMatchObject({ name: 'TimeoutError' });
  } finally {
    clearInterval(collecting);
  }
});

test('leaves a process that stood still the time to read what arrived meanwhile', async () => {
  const signal = abortAfter(2_000);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_100);
  // timers fire between two turns
  for (let turns = 0; turns < 2; turns += 1) await new Promise((resolve) => setImmediate(resolve));
  expect(signal.aborted).toBe(false);
  await once(signal, 'abort');
});

test('aborts 100,000 pending signals together, in bounded memory, and lets the process exit', async () => {
  const count = 100_000;
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const octetsSince = (octets: number) => (heapOctets() - octets) / count;
  const [octetsBefore, timersBefore] = [heapOctets(), timers()];

  // none ends before the first await
  let signals = Array.from({ length: count }, () => abortAfter(1));
  expect(octetsSince(octetsBefore)).toBeLessThan(2_000);
  expect(timers()).toBe(timersBefore);

  await once(signals.at(-1) ?? stop.signal, 'abort');
  expect(signals.filter(({ aborted, reason }) => aborted && reason.name === 'TimeoutError')).toHaveLength(
    count,
  );
  signals = [];
  // the list of timers that have ended is released after its callbacks
  await new Promise((resolve) => setImmediate(resolve));
  expect(octetsSince(octetsBefore)).toBeLessThan(200);
});

function heapOctets(): number {
  collect();
  return process.memoryUsage().heapUsed;
}
