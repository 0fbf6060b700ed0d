import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { planRenewal, type RenewalTerms, restUntil, withRest } from './renewal-policy.js';

const day = 86_400_000;
const minute = 60_000;
const issued = new Date('2026-03-01T00:00:00Z');
const after = (days: number, from = issued) => new Date(from.getTime() + days * day);
const terms = (days: number, more: Partial<RenewalTerms> = {}): RenewalTerms => ({
  notBefore: issued,
  notAfter: after(days),
  seed: 'a',
  ...more,
});
const daysIn = (instant: Date) => (instant.getTime() - issued.getTime()) / day;

describe('the time of a renewal', () => {
  test.each([
    ['90 days → after 60', terms(90), 'two_thirds', 58.5, 61.5],
    ['47 days → about day 31', terms(47), 'two_thirds', 30.55, 32.12],
    ['200 days → about day 133', terms(200), 'two_thirds', 130, 136.67],
    ['just over 10 days → two thirds', terms(10.001), 'two_thirds', 6.5, 6.84],
    ['10 days → half', terms(10), 'half', 4.75, 5.25],
    ['6 days → half', terms(6), 'half', 2.85, 3.15],
    ['an hour → half', terms(1 / 24), 'half', 0.0197, 0.0219],
    ['the fraction of the FQDN', terms(100, { fraction: 0.5 }), 'fraction', 47.5, 52.5],
    ['the least share', terms(100, { fraction: 0.1 }), 'fraction', 5.5, 14.5],
    ['the greatest share', terms(100, { fraction: 0.9 }), 'fraction', 89.5, 90.5],
    ['the fraction of the FQDN, short lifetime', terms(6, { fraction: 0.8 }), 'fraction', 4.74, 4.86],
    ['a window', terms(90, { window: { start: after(40), end: after(42) } }), 'window', 40, 42],
    [
      'a window instead of the fraction of the FQDN',
      terms(90, { fraction: 0.5, window: { start: after(40), end: after(42) } }),
      'window',
      40,
      42,
    ],
    ['a window in the past', terms(90, { window: { start: after(-2), end: after(-1) } }), 'window', -2, -1],
    [
      'ignores a window that ends when it starts',
      terms(90, { window: { start: after(40), end: after(40) } }),
      'two_thirds',
      58.5,
      61.5,
    ],
    [
      'ignores a window that ends before it starts',
      terms(90, { window: { start: after(42), end: after(40) } }),
      'two_thirds',
      58.5,
      61.5,
    ],
    [
      'a window that ends after the expiry leaves a sixth of the lifetime',
      terms(90, { window: { start: after(70), end: after(400) } }),
      'window',
      70,
      75,
    ],
    [
      'a window of the last minute leaves a sixth of the lifetime, too',
      terms(47, { window: { start: after(47 - 1 / 1440), end: after(47) } }),
      'window',
      39.17,
      39.17,
    ],
    [
      'ignores a window after the expiry',
      terms(90, { window: { start: after(90), end: after(95) } }),
      'two_thirds',
      58.5,
      61.5,
    ],
  ])('%s', (_, given, rule, from, to) => {
    const plan = planRenewal(given);
    expect(plan.rule).toBe(rule);
    expect(daysIn(plan.earliest)).toBeCloseTo(from, 1);
    expect(daysIn(plan.latest)).toBeCloseTo(to, 1);
    expect(plan.renewAt.getTime()).toBeGreaterThanOrEqual(plan.earliest.getTime());
    expect(plan.renewAt.getTime()).toBeLessThanOrEqual(plan.latest.getTime());
  });

  test('changes with a new window, and is the same for the same window', () => {
    const inWindow = (start: number) =>
      planRenewal(terms(90, { window: { start: after(start), end: after(start + 2) } })).renewAt.getTime() -
      after(start).getTime();
    expect(inWindow(40)).toBe(inWindow(40));
    expect(inWindow(40)).not.toBe(inWindow(41));
  });

  const anyTerms = fc
    .record({
      days: fc.double({ min: 0.01, max: 825, noNaN: true }),
      fraction: fc.option(fc.double({ min: 0.1, max: 0.9, noNaN: true }), { nil: undefined }),
      seed: fc.uuid(),
    })
    .map(({ days, ...rest }) => terms(days, rest));

  test('lies within the lifetime, between its bounds, and does not move', () => {
    fc.assert(
      fc.property(anyTerms, (given) => {
        const plan = planRenewal(given);
        expect(plan.earliest >= given.notBefore && plan.latest <= given.notAfter).toBe(true);
        expect(plan.renewAt >= plan.earliest && plan.renewAt <= plan.latest).toBe(true);
        expect(planRenewal({ ...given })).toEqual(plan);
      }),
    );
  });

  test('is before the expiry for any window that a CA suggests', () => {
    const moment = fc.integer({ min: -100, max: 900 }).map((days) => after(days));
    fc.assert(
      fc.property(anyTerms, moment, moment, (given, start, end) => {
        const plan = planRenewal({ ...given, window: { start, end } });
        expect(plan.renewAt < given.notAfter).toBe(true);
        expect(plan.renewAt >= plan.earliest && plan.renewAt <= plan.latest).toBe(true);
      }),
    );
  });

  test('never comes earlier for a greater share', () => {
    fc.assert(
      fc.property(anyTerms, fc.double({ min: 0.1, max: 0.9, noNaN: true }), (given, other) => {
        const [less, more] = [given.fraction ?? 0.5, other].sort((a, b) => a - b);
        const at = (fraction: number | undefined) => planRenewal({ ...given, fraction }).earliest.getTime();
        expect(at(less)).toBeLessThanOrEqual(at(more));
      }),
    );
  });

  test('is spread evenly over many certificates of one day', () => {
    const plans = Array.from({ length: 4000 }, (_, seed) => planRenewal(terms(90, { seed: String(seed) })));
    const counts = new Array<number>(10).fill(0);
    for (const { earliest, latest, renewAt } of plans) {
      const share = (renewAt.getTime() - earliest.getTime()) / (latest.getTime() - earliest.getTime());
      counts[Math.floor(share * 10)] = (counts[Math.floor(share * 10)] ?? 0) + 1;
    }
    expect(Math.min(...counts)).toBeGreaterThan(300);
    expect(Math.max(...counts)).toBeLessThan(500);
  });
});

describe('a certificate that a renewal obtained', () => {
  test.each([
    ['a year left: an hour', 365 * day, 60 * minute],
    ['20 hours left: an hour', 1200 * minute, 60 * minute],
    ['10 hours left: half an hour', 600 * minute, 30 * minute],
    ['20 minutes left: a minute', 20 * minute, minute],
    ['a minute left: a minute', minute, minute],
    ['expired: a minute', -day, minute],
  ])('is not renewed before its rest ends, with %s', (_, left, rest) => {
    const renewed = { renewedAt: issued, notAfter: new Date(issued.getTime() + left) };
    expect(restUntil(renewed)).toEqual(new Date(issued.getTime() + rest));
  });

  test.each([
    [1, 60 * minute],
    [3, 60 * minute],
    [4, 120 * minute],
    [6, 480 * minute],
    [100, 30 * day],
  ])('rests longer after %i renewals within its lifetime', (renewals, rest) => {
    const renewed = { renewedAt: issued, notAfter: after(90), renewals };
    expect(restUntil(renewed)).toEqual(new Date(issued.getTime() + rest));
  });

  test('is renewed at the time of the rule if that is later', () => {
    const plan = planRenewal(terms(90));
    expect(withRest(plan, { renewedAt: issued, notAfter: after(90) })).toBe(plan);
  });

  test('is renewed after its rest when a window has passed, and the plan says so', () => {
    const plan = planRenewal(terms(90, { window: { start: after(-2), end: after(-1) } }));
    const resting = withRest(plan, { renewedAt: issued, notAfter: after(90) });
    expect(resting).toEqual({ ...plan, renewAt: after(1 / 24), isResting: true });
  });

  test('is renewed at most once a minute, for any lifetime that a CA issues', () => {
    const instant = fc
      .integer({ min: -400 * day, max: 400 * day })
      .map((ms) => new Date(issued.getTime() + ms));
    fc.assert(
      fc.property(instant, instant, fc.uuid(), (notBefore, notAfter, seed) => {
        const plan = withRest(planRenewal({ notBefore, notAfter, seed }), { renewedAt: issued, notAfter });
        expect(plan.renewAt.getTime() - issued.getTime()).toBeGreaterThanOrEqual(minute);
      }),
    );
  });
});
