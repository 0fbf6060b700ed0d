import type { AppError } from '@certloop/contracts';
import { beforeEach, expect, test } from '@jest/globals';
import { createMovableClock } from './clock.js';
import { createLoginThrottle, type LoginThrottle } from './login-throttle.js';

const clock = createMovableClock(new Date('2026-01-01T00:00:00Z'));
let throttle: LoginThrottle;
let throttled = 0;
beforeEach(() => {
  throttled = 0;
  throttle = createLoginThrottle(clock, () => {
    throttled += 1;
  });
});

/** `in`, `out`, or the seconds to wait. */
async function tryOnce(
  isRight: boolean,
  account = 'ada',
  address = '192.0.2.1',
): Promise<'in' | 'out' | number> {
  try {
    const result = await throttle.attempt(account, address, async () => (isRight ? true : undefined));
    return result === true ? 'in' : 'out';
  } catch (error) {
    return Number((error as AppError).headers['Retry-After']);
  }
}

async function fail(times: number, account?: string, address?: string): Promise<void> {
  for (let time = 0; time < times; time += 1) expect(await tryOnce(false, account, address)).toBe('out');
}

test('ten failures in a minute are answered, then there is a wait', async () => {
  await fail(10);
  expect(throttled).toBe(0);
  expect(await tryOnce(true)).toBe(15);
  expect(throttled).toBe(1);
});

test('the waits double up to 15 minutes', async () => {
  await fail(10);
  const waits = [];
  for (let round = 0; round < 9; round += 1) {
    const wait = await tryOnce(false);
    waits.push(wait);
    clock.advance(Number(wait) * 1000);
    await fail(1);
  }
  expect(waits).toEqual([15, 30, 60, 120, 240, 480, 900, 900, 900]);
});

test('failures are forgotten after a minute', async () => {
  await fail(9);
  clock.advance(60_000);
  await fail(9);
});

test('whoever gets in begins anew', async () => {
  await fail(9);
  expect(await tryOnce(true)).toBe('in');
  await fail(9);
});

test('successes do not count', async () => {
  for (let time = 0; time < 100; time += 1) expect(await tryOnce(true)).toBe('in');
});

test('nobody else is locked out: not the account from elsewhere, not another account', async () => {
  await fail(10);
  expect(await tryOnce(true, 'ada', '192.0.2.2')).toBe('in');
  expect(await tryOnce(true, 'ben', '192.0.2.1')).toBe('in');
});

test('an address has sixty failures a minute for all accounts together', async () => {
  for (let account = 0; account < 6; account += 1) await fail(10, `account-${account}`);
  expect(await tryOnce(true, 'another')).toBe(15);
  expect(await tryOnce(true, 'another', '192.0.2.9')).toBe('in');
});

test('many at once get no more tries than one after the other', async () => {
  const answers = await Promise.all(Array.from({ length: 50 }, () => tryOnce(false)));
  expect(answers.filter((answer) => answer === 'out')).toHaveLength(10);
});

test('work that fails for another reason counts for nothing', async () => {
  const broken = () => throttle.attempt('ada', '192.0.2.1', () => Promise.reject(new Error('no database')));
  for (let time = 0; time < 20; time += 1) await expect(broken()).rejects.toThrow('no database');
  expect(await tryOnce(true)).toBe('in');
});
