import { setTimeout } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { cpuMsOf } from '@certloop/contracts/testing';
import { expect, test } from '@jest/globals';
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
