import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { simulatePace } from './run-renewals/pace-simulation.js';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

describe('renewals that are due at once by a CA with little room', () => {
  const anyCase = fc.record({
    names: fc.integer({ min: 1, max: 150 }),
    perMinute: fc.integer({ min: 1, max: 60 }),
    processes: fc.integer({ min: 1, max: 2 }),
    saysWhen: fc.boolean(),
    seed: fc.nat(1_000_000),
  });

  test('are all made before they expire while the CA has room, with fewer refused calls than two for each', () => {
    fc.assert(
      fc.property(anyCase, (given) => {
        // room for half as many again, and a few minutes to find the rate
        const neededMs = (given.names / given.perMinute) * minute;
        const minLeftMs = given.saysWhen ? neededMs * 1.5 + 10 * minute : neededMs * 3 + 6 * hour;
        const end = simulatePace({
          ...given,
          lifetimeMs: 3 * minLeftMs,
          leftMs: [minLeftMs, minLeftMs * 1.1],
        });
        expect(end.expired).toBe(0);
        expect(end.refused).toBeLessThan(2 * given.names);
      }),
      { numRuns: 100 },
    );
  });

  test.each([
    ['24 hours', day, 1 / 2],
    ['6 days', 6 * day, 1 / 2],
    ['47 days', 47 * day, 1 / 3],
  ])('take as long as the CA needs at 5 a minute: 500 with %s', (_, lifetimeMs, share) => {
    const leftMs = [lifetimeMs * share * 0.95, lifetimeMs * share * 1.05] as const;
    const given = { names: 500, perMinute: 5, lifetimeMs, leftMs, processes: 2, saysWhen: true, seed: 1 };
    const { expired, refused, seconds } = simulatePace(given);
    expect(expired).toBe(0);
    expect(refused).toBeLessThan(100);
    expect(seconds).toBeLessThan(110 * 60);
  });

  test('are made in time if 770 s are left, at 12 a minute', () => {
    const given = { names: 60, perMinute: 12, processes: 1, saysWhen: true, seed: 1 };
    const validity = { lifetimeMs: 2 * 770_000, leftMs: [770_000, 780_000] as const };
    expect(simulatePace({ ...given, ...validity }).expired).toBe(0);
    expect(simulatePace({ ...given, ...validity, isUnpaced: true }).refused).toBeGreaterThan(60);
  });
});
