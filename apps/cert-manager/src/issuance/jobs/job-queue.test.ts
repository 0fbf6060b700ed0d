import { expect, test } from 'vitest';
import { createJobQueue } from './job-queue.store.js';

const job = (id: string, providerId = 'a', spaceId = 's', clientId: string | null = null) => ({
  id,
  providerId,
  spaceId,
  clientId,
});

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

test('gives each space a turn, and in a space each client: all other requests count as one', async () => {
  const queue = createJobQueue<ReturnType<typeof job>>(1);
  const begun: string[] = [];
  const first = job('first');
  const waiting = [
    ...[1, 2, 3].map((number) => job(`s1 web ${number}`, 'a', 's1', 'web')),
    ...[1, 2].map((number) => job(`s1 mail ${number}`, 'a', 's1', 'mail')),
    ...[1, 2].map((number) => job(`s1 people ${number}`, 'a', 's1')),
    job('s2 web 1', 'a', 's2', 'web'),
    ...[1, 2].map((number) => job(`s3 people ${number}`, 'a', 's3')),
  ];
  void queue.enter(first);
  const all = waiting.map((each) =>
    Promise.resolve(queue.enter(each)).then((mayRun) => {
      if (mayRun) begun.push(each.id);
      queue.leave(each);
    }),
  );
  queue.leave(first);
  await Promise.all(all);
  expect(begun).toEqual([
    's1 web 1',
    's2 web 1',
    's3 people 1',
    's1 mail 1',
    's3 people 2',
    's1 people 1',
    's1 web 2',
    's1 mail 2',
    's1 people 2',
    's1 web 3',
  ]);
});

test('rejects waiting and new jobs after it is closed', async () => {
  const queue = createJobQueue<ReturnType<typeof job>>(1);
  expect(await queue.enter(job('1'))).toBe(true);
  const waiting = queue.enter(job('2'));
  queue.close();
  expect(await waiting).toBe(false);
  expect(await queue.enter(job('3', 'b'))).toBe(false);
});
