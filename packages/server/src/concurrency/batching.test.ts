import { expect, test } from 'vitest';
import { type BatchEnd, batched } from './batching.js';

const done = (value: string): BatchEnd<string> => ({ status: 'fulfilled', value });

test('batches calls of one turn, and calls that arrive during a batch', async () => {
  const rounds: string[][] = [];
  let goOn = (): void => undefined;
  const work = batched(async (things: readonly string[]) => {
    rounds.push([...things]);
    if (rounds.length === 1) await new Promise<void>((resolve) => (goOn = resolve));
    return things.map((thing) => done(thing.toUpperCase()));
  }, 3);
  const early = ['a', 'b'].map(work);
  while (rounds.length === 0) await new Promise((resolve) => setImmediate(resolve));
  const later = ['c', 'd', 'e', 'f'].map(work);
  goOn();
  expect(await Promise.all([...early, ...later])).toEqual(['A', 'B', 'C', 'D', 'E', 'F']);
  expect(rounds).toEqual([['a', 'b'], ['c', 'd', 'e'], ['f']]);
});

test('batches calls as long as each turn brings more', async () => {
  const rounds: string[][] = [];
  const work = batched(async (things: readonly string[]) => {
    rounds.push([...things]);
    return things.map(done);
  }, 8);
  const calls: Promise<string>[] = [];
  /** One call in each turn to come, before the batch looks for it. */
  const callInTurns = ([thing = '', ...others]: readonly string[]) =>
    setImmediate(() => {
      if (others.length > 0) callInTurns(others);
      calls.push(work(thing));
    });
  callInTurns(['b', 'c']);
  calls.push(work('a'));
  while (rounds.length === 0) await new Promise((resolve) => setImmediate(resolve));
  await Promise.all(calls);
  expect(rounds).toEqual([['a', 'b', 'c']]);
});

test('returns each call its own result', async () => {
  const work = batched(
    async (things: readonly string[]) =>
      things.map(
        (thing): BatchEnd<string> =>
          thing === 'bad' ? { status: 'rejected', reason: new Error('bad') } : done(thing),
      ),
    8,
  );
  const ends = await Promise.allSettled(['good', 'bad', 'fine'].map(work));
  expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
});

test('rejects the whole batch if the work fails, and continues with the next', async () => {
  let isFirst = true;
  const work = batched(async (things: readonly string[]) => {
    if (isFirst) {
      isFirst = false;
      throw new Error('down');
    }
    return things.map(done);
  }, 8);
  const ends = await Promise.allSettled(['a', 'b'].map(work));
  expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await work('c')).toBe('c');
});
