import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { shareProbe } from './fault-probes.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const tooLate = () => Promise.reject(new Error('late'));
const outcomeOf = (work: Promise<string>) => work.catch((error: Error) => error.message);

test.each<[string, () => Promise<string>, string]>([
  ['result', async () => 'works', 'works'],
  ['failure', () => Promise.reject(new Error('away')), 'away'],
])('returns the %s of the probe, and leaves no timer', async (_, probe, outcome) => {
  expect(await outcomeOf(shareProbe(probe, tooLate)())).toBe(outcome);
  expect(vi.getTimerCount()).toBe(0);
});

test('gives up a probe that has not ended after 2 s', async () => {
  let outcome: string | undefined;
  const ended = outcomeOf(shareProbe(() => new Promise<string>(() => undefined), tooLate)()).then((found) => {
    outcome = found;
  });
  await vi.advanceTimersByTimeAsync(1999);
  expect(outcome).toBeUndefined();
  await vi.advanceTimersByTimeAsync(1);
  await ended;
  expect(outcome).toBe('late');
});

test('shares one probe between callers until it ends, then sends another one', async () => {
  const ends: ((value: string) => void)[] = [];
  const read = shareProbe(
    () => new Promise<string>((resolve) => ends.push(resolve)),
    () => 'late',
  );
  const first = Promise.all([read(), read()]);
  await vi.advanceTimersByTimeAsync(2000);
  expect(await first).toEqual(['late', 'late']);
  const second = read();
  expect(ends).toHaveLength(1);
  ends[0]?.('first');
  expect(await second).toBe('first');
  const third = read();
  expect(ends).toHaveLength(2);
  ends[1]?.('second');
  expect(await third).toBe('second');
});
