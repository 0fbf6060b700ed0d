import type { AppError } from '@certloop/contracts';
import { createLoginThrottle, createMovableClock, signInPlaces } from '@certloop/server';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';

const account = 'ada';
const address = '192.0.2.1';
const [place] = signInPlaces(address, undefined);

/** Attempts of others: at most `limit` in all. */
const attacks = (limit: number) =>
  fc
    .array(
      fc.record({
        from: fc.constantFrom('other networks', 'other IPv6 sites', 'other devices', 'this network'),
        weight: fc.integer({ min: 1, max: 100 }),
        spread: fc.constantFrom(1, 100, 10_000, 1_000_000),
        pauseMs: fc.constantFrom(0, 0, 1, 1000, 60_000),
      }),
      { minLength: 1, maxLength: 6 },
    )
    .map((parts) => {
      const whole = parts.reduce((sum, { weight }) => sum + weight, 0);
      return parts.map((part) => ({ ...part, times: Math.floor((limit * part.weight) / whole) }));
    });

type Attack = ReturnType<typeof attacks> extends fc.Arbitrary<(infer One)[]> ? One : never;

/** Attempt number `number` of the attack, on this account from elsewhere or on another account from this network. */
function attemptOf({ from, spread }: Attack, number: number) {
  const at = number % spread;
  const bytes = [at >> 16, (at >> 8) & 255, at & 255];
  switch (from) {
    case 'other networks':
      return { account, address: `10.${bytes.join('.')}` };
    case 'other IPv6 sites':
      return { account, address: `2001:db8:${bytes[0]}:${at & 65_535}::1` };
    case 'other devices':
      return { account, address: `10.${bytes.join('.')}`, knownPlace: `device:${at}` };
    default:
      return { account: `account-${at}`, address };
  }
}

async function ownerSignsIn(parts: readonly Attack[]): Promise<boolean> {
  const clock = createMovableClock(new Date('2026-01-01T00:00:00Z'));
  const throttle = createLoginThrottle(clock);
  for (const part of parts) {
    for (let number = 0; number < part.times; number += 1) {
      clock.advance(part.pauseMs);
      await throttle.attempt(attemptOf(part, number), async () => undefined).catch(() => undefined);
    }
  }
  const own = { account, address, knownPlace: place?.key };
  return (await throttle.attempt(own, async () => true).catch(() => false)) === true;
}

test.each([
  ['1,000', 1000, 40],
  ['100,000', 100_000, 3],
])(
  'lets an owner in at the first try from a known network, after %s attempts of others',
  async (_, limit, runs) => {
    await fc.assert(fc.asyncProperty(attacks(limit), ownerSignsIn), { numRuns: runs });
  },
);

test('lets an owner wait at most a minute for any attempts on the account from the same network', async () => {
  const steps = fc.array(fc.integer({ min: 0, max: 120_000 }), { maxLength: 200 });
  const waits = fc.asyncProperty(steps, async (pauses) => {
    const clock = createMovableClock(new Date('2026-01-01T00:00:00Z'));
    const throttle = createLoginThrottle(clock);
    const own = { account, address, knownPlace: place?.key };
    for (const pause of pauses) {
      clock.advance(pause);
      await throttle
        .attempt(own, async () => undefined)
        .catch((error: AppError) => {
          expect(Number(error.headers['Retry-After'])).toBeLessThanOrEqual(60);
        });
    }
  });
  await fc.assert(waits, { numRuns: 20 });
});
