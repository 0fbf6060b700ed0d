import { expect, test } from '@jest/globals';
import { createGate } from './gate.js';

test('a gate runs so many at once, all in the end, and survives failures', async () => {
  const inTurn = createGate(2);
  let running = 0;
  let most = 0;
  const task = (fails: boolean) => async () => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
    if (fails) throw new Error('no');
  };
  const all = Array.from({ length: 20 }, (_, number) => inTurn(task(number % 3 === 0)));
  const outcomes = await Promise.allSettled(all);
  expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(7);
  expect({ running, most }).toEqual({ running: 0, most: 2 });
  await expect(inTurn(() => Promise.resolve('still'))).resolves.toBe('still');
});
