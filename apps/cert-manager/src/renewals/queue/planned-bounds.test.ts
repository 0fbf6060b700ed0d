import { describe, expect, test } from 'vitest';
import { dueAfterWrongClock, type WaitingEntry, waitsTooLong } from './planned-bounds.js';

const minute = 60_000;
const day = 1440 * minute;
const now = new Date('2026-03-01T12:00:00Z');
const inDays = (days: number) => new Date(now.getTime() + days * day);

// issued now for 90 days: planned in 60 days, give or take 5 % of 30
const certificate: WaitingEntry['certificate'] = {
  id: 'c',
  notBefore: now,
  notAfter: inDays(90),
  storedAt: now,
  revokedAt: null,
};
const entry: WaitingEntry = {
  attempt: 1,
  scheduledAt: inDays(60),
  createdAt: now,
  window: undefined,
  fraction: undefined,
  certificate,
};

describe('a renewal that waits', () => {
  test.each<[string, Partial<WaitingEntry>, boolean]>([
    ['for two thirds of the lifetime', { scheduledAt: inDays(58) }, false],
    ['after the end of its certificate', { scheduledAt: inDays(200) }, true],
    ['after its plan', { scheduledAt: inDays(70) }, true],
    ['by the share of its FQDN', { scheduledAt: inDays(79), fraction: 0.9 }, false],
    [
      'by a window of the CA that lets it wait longer',
      { scheduledAt: inDays(70), window: { start: inDays(70), end: inDays(74) } },
      false,
    ],
    ['as its entry is from a clock that was ahead', { scheduledAt: inDays(1), createdAt: inDays(1) }, true],
    ['although its certificate is revoked', { certificate: { ...certificate, revokedAt: now } }, true],
    ['after a failed attempt, until the last tenth', { attempt: 2, scheduledAt: inDays(81) }, false],
    ['after a failed attempt, beyond that', { attempt: 2, scheduledAt: inDays(82) }, true],
    ['no longer, as it is due', { scheduledAt: now, createdAt: inDays(1) }, false],
    [
      'by a certificate that a clock which was ahead stored',
      { scheduledAt: inDays(200), certificate: { ...certificate, storedAt: inDays(200) } },
      true,
    ],
  ])('%s', (_, change, isTooLong) => {
    expect(waitsTooLong({ ...entry, ...change }, now)).toBe(isTooLong);
  });

  test.each([
    ['an hour at most', inDays(90), 60 * minute],
    ['an eighth of the time left', new Date(now.getTime() + 80 * minute), 10 * minute],
    ['a minute after the end', inDays(-1), minute],
  ])('is due within %s', (_, notAfter, ms) => {
    expect(dueAfterWrongClock(notAfter, now, 0)).toEqual(now);
    expect(dueAfterWrongClock(notAfter, now, 1).getTime()).toBe(now.getTime() + ms);
  });
});
