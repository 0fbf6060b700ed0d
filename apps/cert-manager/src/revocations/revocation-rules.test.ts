import { describe, expect, test } from 'vitest';
import { nextRevocationTry, obstacleToRevocation, type RevocationFacts } from './revocation-rules.js';

const now = new Date('2026-03-01T12:00:00Z');
const later = new Date('2026-03-01T12:00:00.001Z');
const valid: RevocationFacts = {
  revokedAt: null,
  revocationReason: null,
  expiresAt: later,
  providerId: 'p1',
};

describe('obstacleToRevocation', () => {
  test.each<[string, Partial<RevocationFacts>, string | undefined, RegExp]>([
    ['a certificate one millisecond before its expiry', {}, undefined, /^$/],
    ['one at the moment of its expiry', { expiresAt: now }, 'cannot_be_revoked', /expired at 2026-03-01T12/],
    ['one without a provider', { providerId: null }, 'cannot_be_revoked', /with the CA that issued it/],
    [
      'a revoked one, expired or not',
      { revokedAt: now, revocationReason: 'superseded', expiresAt: now, providerId: null },
      'already_revoked',
      /revoked at 2026-03-01T12:00:00.000Z \(superseded\)/,
    ],
    ['one revoked for no known reason', { revokedAt: now }, 'already_revoked', /12:00:00.000Z$/],
  ])('%s', (_, change, code, message) => {
    const obstacle = obstacleToRevocation({ ...valid, ...change }, now);
    expect([obstacle?.code, obstacle?.message ?? '']).toEqual([code, expect.stringMatching(message)]);
  });
});

test.each([
  [1, 1],
  [2, 2],
  [3, 4],
  [6, 32],
  [7, 60],
  [10_000, 60],
])('nextRevocationTry: after %i calls without an answer, in %i minutes', (attempts, minutes) => {
  expect(nextRevocationTry(attempts, now)).toEqual(new Date(now.getTime() + minutes * 60_000));
});
