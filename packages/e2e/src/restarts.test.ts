import { expect, test } from 'vitest';
import { createRestartLimit } from './restarts.js';

test('allows five restarts within any minute', () => {
  let ms = 0;
  const limit = createRestartLimit(() => ms);
  const takeAt = (...times: number[]) =>
    times.map((time) => {
      ms = time;
      return limit.take();
    });
  expect(takeAt(0, 10_000, 20_000, 30_000, 40_000)).toEqual([true, true, true, true, true]);
  expect(takeAt(50_000, 59_999)).toEqual([false, false]);
  expect(takeAt(60_000, 60_001, 70_000)).toEqual([true, false, true]);
});
