import { afterEach, expect, test, vi } from 'vitest';
import { hangMs, until } from './until.js';

afterEach(() => {
  vi.restoreAllMocks();
});

test('returns what is found first, also if it is empty', async () => {
  const found = [undefined, false, 0] as const;
  let tries = 0;
  expect(await until(async () => found[tries++])).toBe(0);
});

test('names what it waits for when its time is over', async () => {
  let now = 0;
  vi.spyOn(Date, 'now').mockImplementation(() => {
    now += hangMs / 2;
    return now;
  });
  await expect(until(() => [].includes('a pigeon' as never))).rejects.toThrow(/not within 300 s: .*a pigeon/);
});
