import type { AcmeAuthorizationStatus } from '@certloop/contracts';
import { describe, expect, test } from 'vitest';
import { authorizationStatus, type ChallengeFacts, challengeStatus, orderStatus } from './order-status.js';

const now = new Date('2026-11-21T10:00:00Z');
const later = new Date('2026-11-21T10:00:01Z');
const earlier = new Date('2026-11-21T09:59:59Z');
const before = new Date('2026-11-21T09:59:58Z');
const problem = { type: 'urn:ietf:params:acme:error:connection' };

const pending = {
  startedAt: undefined,
  endedAt: undefined,
  problem: undefined,
  toldAt: undefined,
};
const processing = { ...pending, startedAt: earlier };
const valid = { ...processing, endedAt: before };
const invalid = { ...processing, endedAt: before, problem };

describe('challengeStatus (RFC 8555 §7.1.6)', () => {
  test.each([
    ['untouched', pending, 'pending'],
    ['the client answered', processing, 'processing'],
    ['validation succeeded', valid, 'valid'],
    ['validation failed', invalid, 'invalid'],
    ['validation succeeded, not shown yet', { ...valid, toldAt: later }, 'processing'],
    ['validation succeeded, shown now', { ...valid, toldAt: now }, 'valid'],
    ['validation failed, not shown yet', { ...invalid, toldAt: later }, 'processing'],
  ])('%s', (_, facts, expected) => {
    expect(challengeStatus(facts, now)).toBe(expected);
  });
});

describe('authorizationStatus (RFC 8555 §7.1.6)', () => {
  test.each<[string, readonly ChallengeFacts[], Date, Date | undefined, AcmeAuthorizationStatus]>([
    ['created', [pending, pending], later, undefined, 'pending'],
    ['one challenge under way', [pending, processing], later, undefined, 'pending'],
    ['one challenge valid', [pending, valid], later, undefined, 'valid'],
    ['one challenge failed', [pending, invalid], later, undefined, 'invalid'],
    ['a valid one wins over a failed one', [invalid, valid], later, undefined, 'valid'],
    [
      'failed before another is shown valid',
      [{ ...valid, toldAt: now }, invalid],
      later,
      undefined,
      'invalid',
    ],
    ['valid before another is shown failed', [valid, { ...invalid, toldAt: now }], later, undefined, 'valid'],
    ['valid, not shown yet', [{ ...valid, toldAt: later }], later, undefined, 'pending'],
    ['valid, shown at its end', [{ ...valid, toldAt: now }], now, undefined, 'invalid'],
    ['valid, found at its end', [{ ...valid, endedAt: now }], now, undefined, 'invalid'],
    ['valid, in its last moment', [valid], later, undefined, 'valid'],
    ['valid, at its end', [valid], now, undefined, 'expired'],
    ['valid, past its end', [valid], earlier, undefined, 'expired'],
    ['pending, at its end', [pending], now, undefined, 'invalid'],
    ['failed, past its end', [invalid], earlier, undefined, 'invalid'],
    ['deactivated while pending', [pending], later, earlier, 'deactivated'],
    ['deactivated while valid', [valid], later, earlier, 'deactivated'],
    ['deactivated, past its end', [valid], earlier, earlier, 'deactivated'],
  ])('%s', (_, challenges, expires, deactivatedAt, expected) => {
    expect(authorizationStatus({ challenges, expires, deactivatedAt }, now)).toBe(expected);
  });
});

describe('orderStatus (RFC 8555 §7.1.6)', () => {
  const fresh = {
    expires: later,
    finalizedAt: undefined,
    availableAt: undefined,
    problem: undefined,
  };
  test.each<[string, readonly AcmeAuthorizationStatus[], object, string]>([
    ['nothing proven', ['pending', 'pending'], {}, 'pending'],
    ['some proven', ['valid', 'pending'], {}, 'pending'],
    ['all proven', ['valid', 'valid'], {}, 'ready'],
    ['one failed', ['valid', 'invalid'], {}, 'invalid'],
    ['one deactivated', ['valid', 'deactivated'], {}, 'invalid'],
    ['one expired', ['valid', 'expired'], {}, 'invalid'],
    ['one revoked', ['valid', 'revoked'], {}, 'invalid'],
    ['ready, at its end', ['valid'], { expires: now }, 'invalid'],
    ['pending, at its end', ['pending'], { expires: now }, 'invalid'],
    ['finalized, without a certificate yet', ['valid'], { finalizedAt: earlier }, 'processing'],
    [
      'finalized, the certificate a second away',
      ['valid'],
      { finalizedAt: earlier, availableAt: later },
      'processing',
    ],
    ['finalized, the certificate there', ['valid'], { finalizedAt: earlier, availableAt: now }, 'valid'],
    [
      'issued, past its end',
      ['expired'],
      { expires: earlier, finalizedAt: earlier, availableAt: now },
      'valid',
    ],
    [
      'issued, an authorization deactivated since',
      ['deactivated'],
      { finalizedAt: earlier, availableAt: now },
      'valid',
    ],
    ['processing, past its end', ['expired'], { expires: earlier, finalizedAt: earlier }, 'processing'],
    ['issuing failed', ['valid'], { finalizedAt: earlier, problem }, 'invalid'],
  ])('%s', (_, authorizations, facts, expected) => {
    expect(orderStatus({ ...fresh, authorizations, ...facts }, now)).toBe(expected);
  });
});
