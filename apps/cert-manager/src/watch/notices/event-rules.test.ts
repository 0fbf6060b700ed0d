import { describe, expect, test } from '@jest/globals';
import { isExpiryNews, isFailureNews } from './event-rules.js';

const day = 86_400_000;
const temporary = { attempt: 1, isPermanent: false, isLongExpired: false, isLast: false };

describe('a renewal that failed', () => {
  test.each([
    ['the first temporary failure', {}, false],
    ['the third temporary failure', { attempt: 3 }, false],
    ['the fourth temporary failure', { attempt: 4 }, true],
    ['for good', { isPermanent: true }, true],
    ['long after the expiry', { isLongExpired: true }, true],
    ['without a further try', { isLast: true }, true],
  ])('%s', (_situation, more, isNews) => {
    expect(isFailureNews({ ...temporary, ...more })).toBe(isNews);
  });
});

describe('a certificate that expires', () => {
  const now = new Date('2026-03-01T00:00:00Z');
  test.each([
    ['in 30 days, of 398, without renewal', { left: 30, lifetime: 398, renewalEnabled: false }, true],
    ['in 31 days, of 398, without renewal', { left: 31, lifetime: 398, renewalEnabled: false }, false],
    ['in 2 days, of 6, without renewal', { left: 2, lifetime: 6, renewalEnabled: false }, true],
    ['in 3 days, of 6, without renewal', { left: 3, lifetime: 6, renewalEnabled: false }, false],
    ['in 8 days, of 90, with renewal', { left: 8, lifetime: 90, renewalEnabled: true }, false],
    ['in 7 days, of 90, with renewal', { left: 7, lifetime: 90, renewalEnabled: true }, true],
    ['now, without renewal', { left: 0, lifetime: 90, renewalEnabled: false }, false],
  ])('%s', (_situation, { left, lifetime, renewalEnabled }, isNews) => {
    const expiresAt = new Date(now.getTime() + left * day);
    const notBefore = new Date(expiresAt.getTime() - lifetime * day);
    expect(isExpiryNews({ notBefore, expiresAt, renewalEnabled }, now)).toBe(isNews);
  });
});
