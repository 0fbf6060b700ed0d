import { describe, expect, test } from 'vitest';
import { noticeAt } from '../statuses/attention.js';
import { type WatchMode, watchModeOf } from './watch-mode.js';

const day = 86_400_000;
const now = new Date('2026-03-01T12:00:00.000Z');
const inDays = (days: number) => new Date(now.getTime() + days * day);

describe('how an FQDN is watched', () => {
  // renewal, days until the certificate ends, days for which the expiry is accepted
  test.each<[string, boolean, number | undefined, number | undefined, WatchMode]>([
    ['renewal on, with a certificate', true, 60, undefined, 'renewal'],
    ['renewal on, without a certificate', true, undefined, undefined, 'renewal'],
    ['renewal on, expired for long', true, -400, undefined, 'renewal'],
    ['renewal on, accepted before it was switched on', true, 60, 30, 'renewal'],
    ['renewal off, with a certificate', false, 60, undefined, 'expiry'],
    ['renewal off, expired a moment ago', false, -0.001, undefined, 'expiry'],
    ['renewal off, expired 30 days ago', false, -30, undefined, 'expiry'],
    ['renewal off, expired over 30 days ago', false, -30.001, undefined, 'no'],
    ['renewal off, without a certificate', false, undefined, undefined, 'no'],
    ['accepted until its end', false, 60, 60, 'accepted'],
    ['accepted until later', false, 60, 300, 'accepted'],
    ['accepted until earlier', false, 60, 10, 'accepted'],
    ['accepted until a moment from now', false, 60, 0.001, 'accepted'],
    ['accepted until now', false, 60, 0, 'expiry'],
    ['accepted until yesterday', false, 60, -1, 'expiry'],
    ['accepted, and expired since', false, -1, 5, 'accepted'],
    ['accepted until its end, which was a moment ago', false, -0.001, -0.001, 'expiry'],
    ['accepted, and expired over 30 days ago', false, -31, 5, 'no'],
    ['accepted, without a certificate', false, undefined, 5, 'no'],
  ])('%s', (_, renewalEnabled, left, accepted, mode) => {
    const expiryAcceptedUntil = accepted === undefined ? null : inDays(accepted);
    const newest = left === undefined ? undefined : { expiresAt: inDays(left) };
    expect(watchModeOf({ renewalEnabled, expiryAcceptedUntil }, newest, now)).toBe(mode);
  });

  // what a server presents is adopted
  test.each<[string, boolean, number | undefined, WatchMode]>([
    ['renewal on, without a certificate', true, undefined, 'renewal'],
    ['renewal off, without a certificate', false, undefined, 'expiry'],
    ['renewal off, with a certificate', false, 60, 'expiry'],
    ['renewal off, expired over 30 days ago', false, -31, 'no'],
  ])('%s, if what is served is adopted', (_, renewalEnabled, left, mode) => {
    const facts = { renewalEnabled, expiryAcceptedUntil: null, isAdopting: true };
    expect(watchModeOf(facts, left === undefined ? left : { expiresAt: inDays(left) }, now)).toBe(mode);
  });
});

describe('when people are notified that nothing renews a certificate', () => {
  test.each([
    ['of 398 days', 398, 30],
    ['of 90 days', 90, 30],
    ['of 89 days', 89, 89 / 3],
    ['of 47 days', 47, 47 / 3],
    ['of 6 days', 6, 2],
    ['of a day', 1, 1 / 3],
  ])('%s', (_, lifetime, notice) => {
    const expiresAt = inDays(lifetime);
    const left = expiresAt.getTime() - noticeAt({ notBefore: now, expiresAt }).getTime();
    expect(left / day).toBeCloseTo(notice, 8);
  });
});
