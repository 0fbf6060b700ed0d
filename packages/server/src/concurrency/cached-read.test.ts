import { afterEach, describe, expect, test, vi } from 'vitest';
import { cachedRead } from './cached-read.js';

/** A reading that gives 1, 2, 3 … and notes how often it was begun. */
function counted(results: readonly (() => Promise<number>)[]) {
  const state = { begun: 0 };
  const read = () => {
    const result = results[state.begun] ?? (async () => state.begun);
    state.begun += 1;
    return result();
  };
  return { state, read };
}

afterEach(() => {
  vi.useRealTimers();
});

describe('a cached read', () => {
  test('returns the cached value while it is valid', async () => {
    const { state, read } = counted([async () => 7]);
    const ask = cachedRead(read, 60_000);
    expect([await ask(), await ask()]).toEqual([7, 7]);
    expect(state.begun).toBe(1);
  });

  test('reads again if nothing is valid', async () => {
    const { read } = counted([async () => 7, async () => 8]);
    const ask = cachedRead(read, 0);
    expect([await ask(), await ask()]).toEqual([7, 8]);
  });

  test('rejects when the read fails, and retries at the next call', async () => {
    const { read } = counted([async () => Promise.reject(new Error('gone')), async () => 8]);
    const ask = cachedRead(read, 60_000);
    await expect(ask()).rejects.toThrow('gone');
    expect(await ask()).toBe(8);
  });

  test('returns the previous value while the read is slow', async () => {
    const never = () => new Promise<number>(() => undefined);
    const { read } = counted([async () => 7, never]);
    vi.useFakeTimers();
    const ask = cachedRead(read, 1_000, 100);
    expect(await ask()).toBe(7);
    vi.advanceTimersByTime(1_000);
    const late = ask();
    await vi.advanceTimersByTimeAsync(100);
    expect(await late).toBe(7);
    vi.advanceTimersByTime(4_000);
    const refusal = expect(ask()).rejects.toThrow('not done within 100 ms');
    await vi.advanceTimersByTimeAsync(100);
    await refusal;
  });

  test('times out, and is not started twice', async () => {
    let finish = (_value: number): void => undefined;
    const { state, read } = counted([
      () =>
        new Promise((resolve) => {
          finish = resolve;
        }),
    ]);
    const ask = cachedRead(read, 0, 5);
    await expect(ask()).rejects.toThrow('not done within 5 ms');
    await expect(ask()).rejects.toThrow('not done within 5 ms');
    expect(state.begun).toBe(1);
    finish(9);
    await expect(ask()).resolves.toBeGreaterThan(0);
  });
});
