import { expect, test } from 'vitest';
import { createRankedLimiter } from './ranked-limiter.js';

/** A limiter whose work is named, logged when it begins, and ends when the log has it. */
function watched(rules: { readonly atOnce: number; readonly maxWaiting: number }) {
  const limited = createRankedLimiter({ maxRank: 3, ...rules });
  const log: string[] = [];
  const add = (rank: number, name: string) =>
    limited(rank, async () => {
      log.push(name);
      await new Promise((resolve) => setImmediate(resolve));
      if (name.startsWith('broken')) throw new Error('no');
    }).catch((error: Error) => {
      if (!name.startsWith('broken')) log.push(`${name}: ${error.constructor.name}`);
    });
  return { log, add };
}

test('runs the lowest rank first, and the newest of a rank', async () => {
  const { log, add } = watched({ atOnce: 1, maxWaiting: 10 });
  const work = [
    add(9, 'running'),
    add(2, 'c'),
    add(0, 'b'),
    add(0, 'a'),
    add(9, 'f'),
    add(3, 'e'),
    add(2, 'd'),
  ];
  await Promise.all(work);
  expect(log).toEqual(['running', 'a', 'b', 'd', 'c', 'e', 'f']);
});

test('runs as much as it may at once, also after failures', async () => {
  const { log, add } = watched({ atOnce: 2, maxWaiting: 10 });
  const work = [add(0, 'broken 1'), add(1, 'broken 2'), add(1, 'third')];
  expect(log).toEqual(['broken 1', 'broken 2']);
  await Promise.all(work);
  await add(0, 'last');
  expect(log).toEqual(['broken 1', 'broken 2', 'third', 'last']);
});

test('refuses the oldest of the highest rank when too much waits, and never one of rank 0', async () => {
  const { log, add } = watched({ atOnce: 1, maxWaiting: 2 });
  const first = Array.from({ length: 1000 }, (_, number) => add(0, `first ${number}`));
  const later = [add(2, 'old'), add(2, 'new'), add(1, 'low'), add(3, 'high')];
  await Promise.all([...first, ...later]);
  expect(log.filter((line) => line.includes(':'))).toEqual(['old: AppError', 'high: AppError']);
  expect(log.slice(-2)).toEqual(['low', 'new']);
  expect(log).toHaveLength(1004);
});
