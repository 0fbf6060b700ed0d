import { expect, test } from 'vitest';
import { createKeyedLimiter, createLimiter } from './limiter.js';

test('runs at most the allowed number at once, completes all, and survives failures', async () => {
  const limited = createLimiter({ atOnce: 2, maxWaiting: 18 });
  let running = 0;
  let max = 0;
  const task = (fails: boolean) => async () => {
    running += 1;
    max = Math.max(max, running);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
    if (fails) throw new Error('no');
  };
  const all = Array.from({ length: 20 }, (_, number) => limited(task(number % 3 === 0)));
  const outcomes = await Promise.allSettled(all);
  expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(7);
  expect({ running, max }).toEqual({ running: 0, max: 2 });
  await expect(limited(() => Promise.resolve('still'))).resolves.toBe('still');
});

test('rejects calls while too many wait, and accepts them again later', async () => {
  const limited = createLimiter({ atOnce: 1, maxWaiting: 1 });
  let end = () => {};
  const first = limited(() => new Promise<void>((resolve) => (end = resolve)));
  const second = limited(() => Promise.resolve('second'));
  await expect(limited(() => Promise.resolve('third'))).rejects.toMatchObject({ status: 429 });
  end();
  await first;
  await expect(second).resolves.toBe('second');
  await expect(limited(() => Promise.resolve('fourth'))).resolves.toBe('fourth');
});

test('runs work of one key sequentially, and of other keys concurrently', async () => {
  const inTurnOf = createKeyedLimiter(1);
  const log: string[] = [];
  const ends: (() => void)[] = [];
  const work = (name: string) => async () => {
    log.push(name);
    await new Promise<void>((resolve) => ends.push(resolve));
    if (name === 'first') throw new Error('no');
  };
  const works = [inTurnOf('a', work('first')), inTurnOf('a', work('second')), inTurnOf('b', work('other'))];
  await new Promise((resolve) => setImmediate(resolve));
  expect(log).toEqual(['first', 'other']);
  for (const end of ends) end();
  await expect(works[0]).rejects.toThrow('no');
  await works[2];
  expect(log).toEqual(['first', 'other', 'second']);
  ends.at(-1)?.();
  await works[1];
});
