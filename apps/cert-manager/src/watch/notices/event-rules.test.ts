import { describe, expect, test } from 'vitest';
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
  const off = { renewalEnabled: false };
  const on = { renewalEnabled: true };
  test.each([
    ['in 29 days, of 398, without renewal', { left: 29, lifetime: 398, ...off }, true],
    ['in 30 days, of 398, without renewal, within the grace', { left: 30, lifetime: 398, ...off }, false],
    ['in 1.5 days, of 6, without renewal', { left: 1.5, lifetime: 6, ...off }, true],
    ['in 2 days, of 6, without renewal, within the grace', { left: 2, lifetime: 6, ...off }, false],
    [
      'in 29 days, of 90, with renewal, a day after its date',
      { left: 29, lifetime: 90, ...on, due: 30 },
      true,
    ],
    ['in 30 days, of 90, with renewal, at its date', { left: 30, lifetime: 90, ...on, due: 30 }, false],
    ['in 8 days, of 90, with a renewal late in its life', { left: 8, lifetime: 90, ...on, due: 7 }, false],
    ['in 29 days, and is revoked', { left: 29, lifetime: 398, ...off, isRevoked: true }, false],
    ['in 20 days, and is accepted', { left: 20, lifetime: 398, ...off, accepted: 10 }, false],
    ['in 20 days, and was accepted until now', { left: 20, lifetime: 398, ...off, accepted: 0 }, true],
    [
      'in 20 days, and was accepted before renewal',
      { left: 20, lifetime: 90, ...on, due: 30, accepted: 9 },
      true,
    ],
    ['now, without renewal', { left: 0, lifetime: 90, ...off }, false],
  ])('%s', (_situation, given, isNews) => {
    const { left, lifetime, renewalEnabled, due, isRevoked, accepted } = {
      ...{ due: undefined, isRevoked: false, accepted: undefined },
      ...given,
    };
    const inDays = (days: number) => new Date(now.getTime() + days * day);
    const notBefore = inDays(left - lifetime);
    const certificate = {
      ...{ id: 'c1', notBefore, expiresAt: inDays(left), createdAt: notBefore },
      revokedAt: isRevoked ? notBefore : null,
    };
    const dueAt = due === undefined ? undefined : inDays(left - due);
    const expiryAcceptedUntil = accepted === undefined ? null : inDays(accepted);
    expect(isExpiryNews({ renewalEnabled, expiryAcceptedUntil, dueAt, certificate }, now)).toBe(isNews);
  });
});
