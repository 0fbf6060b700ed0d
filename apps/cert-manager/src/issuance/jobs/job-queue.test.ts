import { expect, test } from 'vitest';
import { createJobQueue } from './job-queue.store.js';

const job = (id: string, providerId = 'a') => ({ id, providerId });

test('runs at most the allowed number of jobs of a provider at once, and the next ones in order', async () => {
  const queue = createJobQueue<ReturnType<typeof job>>(2);
  const begun: string[] = [];
  const [one, two, three, four, other] = [job('1'), job('2'), job('3'), job('4'), job('5', 'b')];
  const all = [one, two, three, four, other].map((each) =>
    Promise.resolve(queue.enter(each)).then((mayRun) => mayRun && begun.push(each.id)),
  );
  await new Promise(setImmediate);
  expect(begun).toEqual(['1', '2', '5']);
  queue.leave(two);
  await new Promise(setImmediate);
  expect(begun).toEqual(['1', '2', '5', '3']);
  queue.leave(one);
  await Promise.all(all);
  expect(begun).toEqual(['1', '2', '5', '3', '4']);
});

test('rejects waiting and new jobs after it is closed', async () => {
  const queue = createJobQueue<ReturnType<typeof job>>(1);
  expect(await queue.enter(job('1'))).toBe(true);
  const waiting = queue.enter(job('2'));
  queue.close();
  expect(await waiting).toBe(false);
  expect(await queue.enter(job('3', 'b'))).toBe(false);
});
