import { expect, jest, test } from '@jest/globals';
import { createSignCompany } from './sign-company.store.js';

/** Work that ends when it is let go. */
function held() {
  let release = (): void => undefined;
  const until = new Promise<void>((resolve) => (release = resolve));
  return { work: () => until, release: () => release() };
}

test('counts running calls, and separately those that wait for the CA', async () => {
  const company = createSignCompany(5);
  const [first, second] = [held(), held()];
  const all = [company.join(() => company.ask(first.work)), company.join(second.work)];
  expect([company.near(), company.asking()]).toEqual([1, 1]);
  first.release();
  second.release();
  await Promise.all(all);
  expect(company.asking()).toBe(0);
});

test('does not count a failed call as waiting for the CA', async () => {
  const company = createSignCompany(5);
  const down = () => Promise.reject(new Error('down'));
  await expect(company.join(() => company.ask(down))).rejects.toThrow('down');
  expect([company.near(), company.asking()]).toEqual([0, 0]);
});

test('briefly expects further calls after concurrent calls, and none after a single call', async () => {
  jest.useFakeTimers();
  try {
    const company = createSignCompany(5);
    await company.join(async () => undefined);
    expect(company.near()).toBe(0);
    const calls = [held(), held(), held()];
    const all = calls.map(({ work }) => company.join(work));
    for (const { release } of calls) release();
    await Promise.all(all);
    // the last to end is counted as well: it came while the others were there
    expect(company.near()).toBe(3);
    jest.advanceTimersByTime(5);
    expect(company.near()).toBe(0);
  } finally {
    jest.useRealTimers();
  }
});
