import { describe, expect, test } from 'vitest';
import { type FormerCertificate, isReusable } from './reuse.js';

const issued = new Date('2026-03-01T12:00:00Z');
const hour = 3_600_000;
const at = (hours: number) => new Date(issued.getTime() + hours * hour);
const of = (lifetimeHours: number, change: Partial<FormerCertificate> = {}): FormerCertificate => ({
  createdAt: issued,
  notBefore: issued,
  notAfter: at(lifetimeHours),
  isRevoked: false,
  isKeyCompromised: false,
  ...change,
});

describe('isReusable', () => {
  test.each<[string, FormerCertificate, Date, boolean]>([
    ['90 days, at once', of(90 * 24), at(0), true],
    ['90 days, after 23 hours', of(90 * 24), at(23), true],
    ['90 days, after 24 hours', of(90 * 24), at(24), false],
    ['6 days, after 7 hours', of(6 * 24), at(7), true],
    ['6 days, after 7.2 hours', of(6 * 24), at(7.2), false],
    ['an hour, after 2 minutes', of(1), at(2 / 60), true],
    ['an hour, after 3 minutes', of(1), at(3 / 60), false],
    ['90 days, revoked', of(90 * 24, { isRevoked: true }), at(1), false],
    ['90 days, key compromised', of(90 * 24, { isKeyCompromised: true }), at(1), false],
    ['90 days, of a clock that was ahead', of(90 * 24), at(-1), false],
    ['that is over', of(90 * 24, { notAfter: at(1) }), at(1), false],
  ])('of %s', (_, former, now, expected) => {
    expect(isReusable(former, now)).toBe(expected);
  });
});
