import { faultSchema } from '@certloop/contracts';
import { describe, expect, test } from 'vitest';
import { drawFault, type Fault, seededDraw } from './fault.js';

const never = () => 1;
const always = () => 0;
const fault = (members: object): Fault => faultSchema.parse(members);
const busy = fault({ fault: 'status', status: 503, endpoint: 'newOrder' });
const busyRenewal = fault({ fault: 'status', status: 503, endpoint: 'renewalInfo' });
const busyAnywhere = fault({ fault: 'status', status: 503 });

describe('faultSchema', () => {
  test('fills in defaults for place and count', () => {
    expect(fault({ fault: 'drop' })).toEqual({ fault: 'drop', when: 'after', endpoint: 'any', rate: 1 });
  });

  test.each([
    ['another fault', { fault: 'fire' }],
    ['another status', { fault: 'status', status: 404 }],
    ['an unknown endpoint', { fault: 'badNonce', endpoint: 'nowhere' }],
    ['an unknown member', { fault: 'badNonce', rat: 0.5 }],
    ['a rate of zero', { fault: 'badNonce', rate: 0 }],
    ['a rate above 1', { fault: 'badNonce', rate: 1.1 }],
    ['zero times', { fault: 'badNonce', times: 0 }],
    ['processing at an endpoint without processing', { fault: 'processing', endpoint: 'newOrder' }],
  ])('refuses %s', (_, members) => {
    expect(faultSchema.safeParse(members).success).toBe(false);
  });
});

describe('strike', () => {
  test.each<[string, Fault[], Parameters<typeof drawFault>[1], () => number, Fault | undefined]>([
    ['its endpoint', [busy], 'newOrder', never, busy],
    ['not at another endpoint', [busy], 'newAccount', never, undefined],
    ['renewalInfo as the directory names it', [busyRenewal], 'renewalInfoOf', never, busyRenewal],
    ['any endpoint', [busyAnywhere], 'newAccount', never, busyAnywhere],
    ['its share, when drawn', [{ ...busy, rate: 0.1 }], 'newOrder', always, { ...busy, rate: 0.1 }],
    ['its share, when not drawn', [{ ...busy, rate: 0.1 }], 'newOrder', never, undefined],
    ['the first that fits', [fault({ fault: 'delay', seconds: 1 }), busy], 'newOrder', never, busy],
  ])('%s', (_, faults, endpoint, draw, expected) => {
    expect(drawFault(faults, endpoint, ['status', 'drop'], draw).struck).toEqual(expected);
  });

  test('applies a fault the given number of times', () => {
    let faults: readonly Fault[] = [{ ...busy, times: 2 }];
    const struck = [1, 2, 3].map(() => {
      const outcome = drawFault(faults, 'newOrder', ['status'], never);
      faults = outcome.left;
      return outcome.struck !== undefined;
    });
    expect(struck).toEqual([true, true, false]);
    expect(faults).toEqual([]);
  });
});

describe('seededDraw', () => {
  const drawn = (seed: number) => {
    const draw = seededDraw(seed);
    return Array.from({ length: 10_000 }, draw);
  };

  test('repeats itself for the same seed, and differs for another', () => {
    expect(drawn(7)).toEqual(drawn(7));
    expect(drawn(7)).not.toEqual(drawn(8));
  });

  test('is even, from 0 up to 1', () => {
    const numbers = drawn(1);
    expect(Math.min(...numbers)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...numbers)).toBeLessThan(1);
    expect(numbers.filter((number) => number < 0.05).length / 10_000).toBeCloseTo(0.05, 2);
  });
});
