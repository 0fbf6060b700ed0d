import { expect, test } from 'vitest';
import { oneAtATime } from './one-at-a-time.js';

/** Work that ends on demand, and counts its runs. */
function heldWork() {
  const ends: (() => void)[] = [];
  let atOnce = 0;
  const job = oneAtATime(async () => {
    const number = ends.length + 1;
    atOnce += 1;
    await new Promise<void>((resolve) => ends.push(resolve));
    atOnce -= 1;
    if (number === 3) throw new Error('the third one fails');
    return number;
  });
  return { job, ends, atOnce: () => atOnce };
}

test('calls during a run share the one that follows it', async () => {
  const { job, ends, atOnce } = heldWork();
  const first = job.run();
  const [second, third] = [job.run(), job.run()];
  expect([ends.length, atOnce()]).toEqual([1, 1]);
  ends[0]?.();
  expect(await first).toBe(1);
  await Promise.resolve();
  const fourth = job.run();
  expect([ends.length, atOnce()]).toEqual([2, 1]);
  ends[1]?.();
  expect(await Promise.all([second, third])).toEqual([2, 2]);
  await Promise.resolve();
  ends[2]?.();
  await expect(fourth).rejects.toThrow('the third one fails');
});

test('a run that fails does not prevent the next one', async () => {
  let count = 0;
  const job = oneAtATime(async () => {
    count += 1;
    if (count === 1) throw new Error('no');
    return count;
  });
  const [first, second] = [job.run(), job.run()];
  await expect(first).rejects.toThrow('no');
  expect(await second).toBe(2);
  expect(await job.run()).toBe(3);
});

test('is idle when nothing runs and nothing follows', async () => {
  const { job, ends } = heldWork();
  await job.idle();
  void job.run();
  void job.run();
  let isIdle = false;
  const idle = job.idle().then(() => {
    isIdle = true;
  });
  ends[0]?.();
  while (ends.length < 2) await Promise.resolve();
  expect(isIdle).toBe(false);
  ends[1]?.();
  await idle;
});
