import type { AppError } from '@certloop/contracts';
import { createLoginThrottle, createMovableClock, createPasswords, signInPlaces } from '@certloop/server';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';

const account = 'ada';
const address = '192.0.2.1';
const [place] = signInPlaces(address, undefined);
const cost = { N: 16, r: 1, p: 1 };
const password = 'correct horse';
let hash: string;
beforeAll(async () => {
  hash = await createPasswords(cost).hash(password);
});

const origins = [
  'other networks',
  'other IPv6 sites',
  'other devices',
  'other known networks',
  'this network',
  'this network, where the accounts are known',
] as const;
const sameAccount = 'this network, on this account';

/** Wrong attempts of others, in turn or all at once, before the owner's attempt or while it is under way. */
interface Attack {
  readonly from: (typeof origins)[number] | typeof sameAccount;
  readonly times: number;
  /** How many networks, devices or accounts they use. */
  readonly spread: number;
  readonly pauseMs: number;
  readonly isBurst: boolean;
}

/** Attacks of at most `limit` attempts in all. */
const attacks = (limit: number): fc.Arbitrary<Attack[]> =>
  fc
    .array(
      fc.record({
        from: fc.constantFrom(...origins),
        weight: fc.integer({ min: 1, max: 100 }),
        spread: fc.constantFrom(1, 14, 100, 10_000),
        pauseMs: fc.constantFrom(0, 0, 1, 1000, 60_000),
        isBurst: fc.boolean(),
      }),
      { minLength: 1, maxLength: 6 },
    )
    .map((parts) => {
      const whole = parts.reduce((sum, { weight }) => sum + weight, 0);
      return parts.map(({ weight, ...part }) => ({ ...part, times: Math.floor((limit * weight) / whole) }));
    });

/** Attempt number `number` of the attack, on this account from elsewhere or on another account from this network. */
function attemptOf({ from, spread }: Attack, number: number) {
  const at = number % spread;
  const bytes = [at >> 16, (at >> 8) & 255, at & 255];
  const elsewhere = `10.${bytes.join('.')}`;
  switch (from) {
    case 'other networks':
      return { account, address: elsewhere };
    case 'other IPv6 sites':
      return { account, address: `2001:db8:${bytes[0]}:${at & 65_535}::1` };
    case 'other devices':
      return { account, address: elsewhere, knownPlace: `device:${at}` };
    case 'other known networks':
      return { account, address: elsewhere, knownPlace: `network:${elsewhere}` };
    case sameAccount:
      return { account, address, knownPlace: place?.key };
    case 'this network':
      return { account: `account-${at}`, address };
    default:
      return { account: `account-${at}`, address, knownPlace: place?.key };
  }
}

/** Whether the owner's first attempt succeeds; attacks of `during` begin after it and before its password is checked. */
async function ownerSignsIn(
  before: readonly Attack[],
  during: readonly Attack[] = [],
  knownPlace = place?.key,
): Promise<boolean> {
  const clock = createMovableClock(new Date('2026-01-01T00:00:00Z'));
  const throttle = createLoginThrottle(clock);
  const passwords = createPasswords(cost);
  const tryOnce = (attempt: Parameters<typeof throttle.attempt>[0], given: string) =>
    throttle
      .attempt(attempt, async (turn) => (await passwords.verify(given, hash, turn)) || undefined)
      .catch(() => undefined);
  const crowd: Promise<unknown>[] = [];
  const burst = (part: Attack) => {
    for (let number = 0; number < part.times; number += 1)
      crowd.push(tryOnce(attemptOf(part, number), 'wrong'));
  };
  for (const part of before) {
    if (part.isBurst) {
      clock.advance(part.pauseMs);
      burst(part);
      continue;
    }
    for (let number = 0; number < part.times; number += 1) {
      clock.advance(part.pauseMs);
      // attempts in turn leave no queue, so nothing is hashed for them
      await throttle.attempt(attemptOf(part, number), async () => undefined).catch(() => undefined);
    }
  }
  const own = tryOnce({ account, address, knownPlace }, password);
  for (const part of during) burst(part);
  const isIn = (await own) === true;
  await Promise.all(crowd);
  return isIn;
}

describe('lets an owner in at the first try from a known network', () => {
  test.each([
    ['1,000', 1000, 40],
    ['100,000', 100_000, 2],
  ])('after and among %s attempts of others', async (_, limit, runs) => {
    const halves = fc.tuple(attacks(limit / 2), attacks(limit / 2));
    await fc.assert(
      fc.asyncProperty(halves, ([before, during]) => ownerSignsIn(before, during)),
      { numRuns: runs },
    );
  });

  test.each(
    origins.flatMap((from) =>
      [
        { times: 140, spread: 14 },
        { times: 140, spread: 140 },
        { times: 2000, spread: 1000 },
      ].map((burst) => ({ from, ...burst })),
    ),
  )('after and among $times attempts at once, on $spread of $from', async (burst) => {
    const attack = { ...burst, pauseMs: 0, isBurst: true };
    expect(await ownerSignsIn([attack])).toBe(true);
    expect(await ownerSignsIn([], [attack])).toBe(true);
  });

  test('after the first attempts on 100,000 other accounts, all at once', async () => {
    const from = 'this network, where the accounts are known';
    const attack = { from, times: 100_000, spread: 100_000, pauseMs: 0, isBurst: true } as const;
    expect(await ownerSignsIn([attack])).toBe(true);
  });

  test.each([140, 10_000])(
    'in a known browser, after %i attempts on the account there at once',
    async (times) => {
      const attack = { from: sameAccount, times, spread: 1, pauseMs: 0, isBurst: true } as const;
      expect(await ownerSignsIn([attack], [attack], 'device:1')).toBe(true);
      expect(await ownerSignsIn([attack])).toBe(false);
    },
  );
});

test('lets an owner wait at most a minute for any attempts on the account from the same network', async () => {
  const steps = fc.array(
    fc.record({ pauseMs: fc.integer({ min: 0, max: 120_000 }), atOnce: fc.constantFrom(1, 2, 20) }),
    { maxLength: 200 },
  );
  const waits = fc.asyncProperty(steps, async (pauses) => {
    const clock = createMovableClock(new Date('2026-01-01T00:00:00Z'));
    const throttle = createLoginThrottle(clock);
    const own = { account, address, knownPlace: place?.key };
    const waitOnce = () =>
      throttle
        .attempt(own, async () => undefined)
        .catch((error: AppError) => {
          expect(Number(error.headers['Retry-After'])).toBeLessThanOrEqual(60);
        });
    for (const { pauseMs, atOnce } of pauses) {
      clock.advance(pauseMs);
      await Promise.all(Array.from({ length: atOnce }, waitOnce));
    }
  });
  await fc.assert(waits, { numRuns: 20 });
});
