import type { AppError } from '@certloop/contracts';
import { beforeEach, describe, expect, test } from 'vitest';
import { createMovableClock } from '../process/clock.js';
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
  knownPlace?: string,
): Promise<'in' | 'out' | number> {
  const who = { account, address, knownPlace };
  try {
    const result = await throttle.attempt(who, async () => (isRight ? true : undefined));
    return result === true ? 'in' : 'out';
  } catch (error) {
    return Number((error as AppError).headers['Retry-After']);
  }
}

async function fail(times: number, account?: string, address?: string, place?: string): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    expect(await tryOnce(false, account, address, place)).toBe('out');
  }
}

test('answers ten failures in a minute, then requires a wait', async () => {
  await fail(10);
  expect(throttled).toBe(0);
  expect(await tryOnce(true)).toBe(15);
  expect(throttled).toBe(1);
});

test('doubles the waits up to a minute', async () => {
  await fail(10);
  const waits = [];
  for (let round = 0; round < 5; round += 1) {
    const wait = await tryOnce(false);
    waits.push(wait);
    clock.advance(Number(wait) * 1000);
    await fail(1);
  }
  expect(waits).toEqual([15, 30, 60, 60, 60]);
});

test('resets failures after a minute', async () => {
  await fail(9);
  clock.advance(60_000);
  await fail(9);
});

test('a successful login resets the delay', async () => {
  await fail(9);
  expect(await tryOnce(true)).toBe('in');
  await fail(9);
});

test('successes do not count', async () => {
  for (let time = 0; time < 100; time += 1) expect(await tryOnce(true)).toBe('in');
});

test('locks out neither the account from another address nor another account', async () => {
  await fail(10);
  expect(await tryOnce(true, 'ada', '192.0.2.2')).toBe('in');
  expect(await tryOnce(true, 'ben', '192.0.2.1')).toBe('in');
});

test('allows an address sixty failures a minute for all accounts together', async () => {
  for (let account = 0; account < 6; account += 1) await fail(10, `account-${account}`);
  expect(await tryOnce(true, 'another')).toBe(15);
  expect(await tryOnce(true, 'another', '192.0.2.9')).toBe('in');
});

test('concurrent attempts are limited like sequential ones', async () => {
  const answers = await Promise.all(Array.from({ length: 50 }, () => tryOnce(false)));
  expect(answers.filter((answer) => answer === 'out')).toHaveLength(10);
});

test('failures for other reasons are not counted', async () => {
  const broken = () =>
    throttle.attempt({ account: 'ada', address: '192.0.2.1' }, () =>
      Promise.reject(new Error('no database')),
    );
  for (let time = 0; time < 20; time += 1) await expect(broken()).rejects.toThrow('no database');
  expect(await tryOnce(true)).toBe('in');
});

describe('from IPv6', () => {
  const host = (number: number, network = 0) => `2001:db8:0:${network.toString(16)}::${number.toString(16)}`;

  test('counts the addresses of a /64 as one', async () => {
    const answers = [];
    for (let number = 1; number <= 16; number += 1) answers.push(await tryOnce(false, 'ada', host(number)));
    expect(answers.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => 'out'));
    expect(answers.slice(10)).toEqual(Array.from({ length: 6 }, () => 15));
  });

  test('lets ten of 5,000 guesses from one /64 pass', async () => {
    let through = 0;
    for (let number = 0; number < 5000; number += 1) {
      if ((await tryOnce(false, 'ada', host(number))) === 'out') through += 1;
    }
    expect(through).toBe(10);
  });

  test('allows all networks of a /48 together 120 failures a minute', async () => {
    let through = 0;
    for (let network = 0; network < 5000; network += 1) {
      if ((await tryOnce(false, `account-${network}`, host(1, network))) === 'out') through += 1;
    }
    expect(through).toBe(120);
    expect(await tryOnce(true, 'ada', '2001:db8:1::1')).toBe('in');
  });
});

describe('an account that is guessed from many networks', () => {
  const network = (number: number) => `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`;

  test('has fifty failures, then one attempt every 24 s', async () => {
    let through = 0;
    for (let second = 0; second < 3600; second += 1) {
      if ((await tryOnce(false, 'ada', network(second))) === 'out') through += 1;
      clock.advance(1000);
    }
    // the 50th failure comes in second 49
    expect(through).toBe(50 + Math.floor((3599 - 49) / 24));
  });

  test('lets its owner sign in from another address between two guesses', async () => {
    for (let number = 0; number < 1000; number += 1) await tryOnce(false, 'ada', network(number));
    clock.advance(24_000);
    expect(await tryOnce(true, 'ada', '192.0.2.1')).toBe('in');
  });

  test('does not slow other accounts', async () => {
    for (let number = 0; number < 1000; number += 1) await tryOnce(false, 'ada', network(number));
    expect(await tryOnce(true, 'ben', network(1001))).toBe('in');
  });

  test('is reset 15 minutes after the last guess', async () => {
    for (let number = 0; number < 100; number += 1) await tryOnce(false, 'ada', network(number));
    clock.advance(16 * 60_000);
    for (let number = 0; number < 50; number += 1)
      expect(await tryOnce(false, 'ada', network(number))).toBe('out');
  });
});

describe('an account at a place that it is known from', () => {
  const place = 'network:192.0.2.1';
  const known = (isRight: boolean, at = place) => tryOnce(isRight, 'ada', '192.0.2.1', at);

  test('signs in at the first try while others block its network', async () => {
    for (let number = 0; number < 200; number += 1) await tryOnce(false, `account-${number}`);
    expect(await tryOnce(true, 'ben')).toBeGreaterThan(0);
    expect(await known(true)).toBe('in');
  });

  test('waits at most a minute for failures there', async () => {
    await fail(10, 'ada', '192.0.2.1', place);
    const waits = [];
    for (let round = 0; round < 4; round += 1) {
      const wait = await known(false);
      waits.push(wait);
      clock.advance(Number(wait) * 1000);
      await fail(1, 'ada', '192.0.2.1', place);
    }
    expect(waits).toEqual([15, 30, 60, 60]);
  });

  test('does not wait for failures there if its device is known', async () => {
    await fail(10, 'ada', '192.0.2.1', place);
    expect(await known(true)).toBe(15);
    expect(await known(true, 'device:1')).toBe('in');
    // a stolen cookie has a tally of its own, which ends it
    await fail(10, 'ada', '198.51.100.1', 'device:1');
    expect(await tryOnce(true, 'ada', '198.51.100.1', 'device:1')).toBe(15);
    expect(await known(true, 'device:2')).toBe('in');
  });

  test('has its turn by its failures there and the attempts that have not ended', async () => {
    const turns: unknown[] = [];
    const begin = (isRight: boolean, knownPlace?: string) =>
      throttle.attempt({ account: 'ada', address: '192.0.2.1', knownPlace }, async (turn) => {
        turns.push(turn);
        return isRight || undefined;
      });
    await begin(false, place);
    await Promise.all([begin(false, place), begin(false, place)]);
    await begin(false, 'device:1');
    await begin(false);
    await begin(true, place);
    await begin(true, place);
    expect(turns).toEqual([0, 1, 2, 0, 'stranger', 3, 0]);
  });

  test('is guessed at most 5,760 times a day, from there and from other networks together', async () => {
    let through = 0;
    for (let second = 0; second < 86_400; second += 3) {
      if ((await known(false)) === 'out') through += 1;
      if ((await tryOnce(false, 'ada', `198.51.${second % 250}.1`)) === 'out') through += 1;
      clock.advance(3000);
    }
    expect(through).toBeGreaterThan(4000);
    expect(through).toBeLessThanOrEqual(5760);
  });
});

describe('in bounded memory', () => {
  const network = (number: number) => `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`;

  test('still blocks an address while 20,001 others fail', async () => {
    await fail(10);
    for (let number = 0; number < 20_001; number += 1)
      await tryOnce(false, `account-${number}`, network(number));
    expect(await tryOnce(true)).toBe(15);
  });

  test('still knows the length of the next wait', async () => {
    await fail(10);
    clock.advance(15_000);
    await fail(1);
    clock.advance(30_000);
    for (let number = 0; number < 20_001; number += 1)
      await tryOnce(false, `account-${number}`, network(number));
    await fail(1);
    expect(await tryOnce(true)).toBe(60);
  });

  test('accepts and limits others while 20,000 addresses are blocked', async () => {
    for (let number = 0; number < 20_001; number += 1) {
      for (let time = 0; time < 10; time += 1) await tryOnce(false, `account-${number}`, network(number));
    }
    expect(await tryOnce(true, 'account-0', network(0))).toBe(15);
    expect(await tryOnce(true, 'ada', '192.0.2.1')).toBe('in');
    await fail(10, 'ada', '192.0.2.2');
    expect(await tryOnce(true, 'ada', '192.0.2.2')).toBe(15);
  });
});

test('a clock that is set back by a day extends no wait', async () => {
  await fail(10);
  clock.advance(-86_400_000);
  expect(await tryOnce(true)).toBeLessThanOrEqual(60);
  clock.advance(60_000);
  expect(await tryOnce(true)).toBe('in');
});
