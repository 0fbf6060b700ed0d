import { expect, test } from 'vitest';
import { yieldBetween } from './yield-between.js';

test('yields each item, and a turn of the event loop after each', async () => {
  const seen: string[] = [];
  const immediate = () => void setImmediate(() => seen.push('turn'));
  for await (const item of yieldBetween(['a', 'b', 'c'])) {
    seen.push(item);
    immediate();
  }
  expect(seen).toEqual(['a', 'turn', 'b', 'turn', 'c', 'turn']);
});

test('counts rounds until the loop ends', async () => {
  const seen: number[] = [];
  for await (const round of yieldBetween()) {
    seen.push(round);
    if (round === 2) break;
  }
  expect(seen).toEqual([0, 1, 2]);
});

test('throws what the loop throws, and runs no further round', async () => {
  const seen: number[] = [];
  const run = async () => {
    for await (const round of yieldBetween()) {
      seen.push(round);
      throw new Error('the disk is full');
    }
  };
  await expect(run()).rejects.toThrow('the disk is full');
  expect(seen).toEqual([0]);
});
