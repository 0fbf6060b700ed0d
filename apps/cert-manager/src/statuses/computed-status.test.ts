import type { FqdnState } from '@certloop/contracts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { planRenewal } from '../renewals/renewal-policy.js';
import { graceOf, noticeAt } from './attention.js';
import { computeStatus, type StatusFacts, stateAt, statusProblems } from './computed-status.js';

const day = 86_400_000;
const now = new Date('2026-03-01T12:00:00.000Z');
const inDays = (days: number) => new Date(now.getTime() + days * day);

/** Issued 30 days ago for 90 days, unless the test says otherwise. */
function certificateOf({ lived = 30, left = 60, revoked = undefined as number | undefined } = {}) {
  return {
    id: 'c1',
    notBefore: inDays(-lived),
    expiresAt: inDays(left),
    createdAt: inDays(-lived),
    revokedAt: revoked === undefined ? null : inDays(revoked),
  };
}

type Certificate = ReturnType<typeof certificateOf>;

function planned(certificate: Certificate): Pick<StatusFacts, 'outlook' | 'dueAt'> {
  const { id, notBefore, expiresAt: notAfter } = certificate;
  const plan = planRenewal({ notBefore, notAfter, seed: id });
  return {
    outlook: { isPlanned: true, certificateId: id, providerId: 'p1', plan },
    dueAt: plan.renewAt,
  };
}

function factsOf(certificate: Certificate | undefined, more: Partial<StatusFacts> = {}): StatusFacts {
  return {
    renewalEnabled: true,
    expiryAcceptedUntil: null,
    certificate,
    ...(certificate === undefined
      ? { outlook: { isPlanned: false, hindrance: 'no_certificate' }, dueAt: undefined }
      : planned(certificate)),
    scheduledAt: undefined,
    refusal: undefined,
    renewalFailure: undefined,
    requestFailure: undefined,
    served: undefined,
    ...more,
  };
}

const off = (certificate: Certificate, more: Partial<StatusFacts> = {}) =>
  factsOf(certificate, {
    renewalEnabled: false,
    outlook: { isPlanned: false, hindrance: 'switched_off' },
    ...more,
  });
const failure = (days: number, reason = 'the CA is away') => ({ at: inDays(days), reason });
const valid = certificateOf();
const late = certificateOf({ lived: 85, left: 5 });

describe('the state of an FQDN', () => {
  test.each<[string, StatusFacts, FqdnState, needsYou: boolean]>([
    ['without a certificate', factsOf(undefined), 'unfinished', false],
    [
      'without a certificate, a request failed',
      factsOf(undefined, { requestFailure: failure(-1) }),
      'unfinished',
      true,
    ],
    ['will be renewed', factsOf(valid), 'valid', false],
    ['is renewed late', factsOf(late), 'due', true],
    ['is renewed late, and has ended', factsOf(certificateOf({ lived: 90, left: -1 })), 'expired', true],
    ['ends at this moment', factsOf(certificateOf({ lived: 90, left: 0 })), 'expired', true],
    ['a renewal failed', factsOf(valid, { renewalFailure: failure(-1) }), 'failing', true],
    [
      'a renewal failed, and it has ended',
      factsOf(certificateOf({ left: -1 }), { renewalFailure: failure(-2) }),
      'expired',
      true,
    ],
    ['a request failed', factsOf(valid, { requestFailure: failure(-1) }), 'failing', true],
    [
      'a request failed before the certificate came',
      factsOf(valid, { requestFailure: failure(-31) }),
      'valid',
      false,
    ],
    [
      'a request failed as the certificate came',
      factsOf(valid, { requestFailure: failure(-30) }),
      'valid',
      false,
    ],
    ['is revoked', factsOf(certificateOf({ revoked: -1 })), 'failing', true],
    ['is forbidden to be renewed', factsOf(valid, { refusal: failure(-1) }), 'failing', true],
    ['is not served', factsOf(valid, { served: failure(-1) }), 'failing', true],
    ['renewal off, long before the end', off(valid), 'valid', false],
    ['renewal off, shortly before the end', off(late), 'due', true],
    ['renewal off, and a policy', off(valid, { refusal: failure(-1) }), 'valid', false],
    ['renewal off, after a try that failed', off(valid, { renewalFailure: failure(-1) }), 'valid', false],
    ['renewal off, expiry accepted', off(late, { expiryAcceptedUntil: inDays(5) }), 'valid', false],
    ['renewal off, expiry accepted until now', off(late, { expiryAcceptedUntil: inDays(0) }), 'due', true],
    [
      'renewal off, expired and accepted',
      off(certificateOf({ left: -1 }), { expiryAcceptedUntil: inDays(1) }),
      'expired',
      false,
    ],
    [
      'renewal off, revoked and accepted',
      off(certificateOf({ revoked: -1 }), { expiryAcceptedUntil: inDays(1) }),
      'failing',
      false,
    ],
    ['renewal on, accepted before', factsOf(late, { expiryAcceptedUntil: inDays(5) }), 'due', true],
    [
      'no CSR, long before it is due',
      factsOf(valid, { outlook: { isPlanned: false, hindrance: 'no_csr' } }),
      'valid',
      false,
    ],
    [
      'no CSR, after it was due',
      factsOf(late, { outlook: { isPlanned: false, hindrance: 'no_csr' } }),
      'due',
      true,
    ],
  ])('%s', (_, facts, state, needsYou) => {
    const status = computeStatus(facts);
    expect(stateAt(status, now)).toBe(state);
    expect(status.attentionAt !== null && status.attentionAt <= now).toBe(needsYou);
  });

  test('is due from the moment at which its check goes down', () => {
    const { dueAt = now } = factsOf(valid);
    const fallsAt = dueAt.getTime() + graceOf({ expectedAt: dueAt, notAfter: valid.expiresAt }) * 1000;
    expect(computeStatus(factsOf(valid)).attentionAt?.getTime()).toBe(fallsAt);
    const status = computeStatus(factsOf(valid));
    expect(stateAt(status, new Date(fallsAt - 1))).toBe('valid');
    expect(stateAt(status, new Date(fallsAt))).toBe('due');
  });

  test('with renewal off, is due when the grace after the notification ends', () => {
    const expectedAt = noticeAt(valid);
    const fallsAt = expectedAt.getTime() + graceOf({ expectedAt, notAfter: valid.expiresAt }) * 1000;
    expect(computeStatus(off(valid)).attentionAt?.getTime()).toBe(fallsAt);
  });

  test('needs attention before the expiry, for any lifetime', () => {
    const brief = { ...valid, notBefore: now, expiresAt: new Date(now.getTime() + 60_000) };
    for (const facts of [factsOf(brief), off(brief)])
      expect(computeStatus(facts).attentionAt?.getTime()).toBeLessThan(brief.expiresAt.getTime());
  });
});

describe('what is wrong with an FQDN', () => {
  test('is the worst problem with its own start; attention is needed since the first problem', () => {
    const facts = factsOf(valid, {
      renewalFailure: failure(-2, 'no answer'),
      requestFailure: failure(-1),
      served: failure(-3),
    });
    expect(computeStatus(facts)).toMatchObject({
      problem: 'renewal',
      problemAt: inDays(-2),
      problemReason: 'no answer',
      attentionAt: inDays(-3),
    });
  });

  test('is forbidden only if a renewal would happen', () => {
    expect(computeStatus(factsOf(valid, { refusal: failure(-1) })).outlook).toBe('forbidden');
    expect(computeStatus(factsOf(valid, { refusal: failure(-1), isProviderDisabled: true })).outlook).toBe(
      'forbidden',
    );
    const without = factsOf(undefined, { refusal: failure(-1) });
    expect(computeStatus(without).outlook).toBe('no_certificate');
  });
});

test('a renewal with a disabled provider is not planned; the date on which people must act is the same', () => {
  const disabled = { isProviderDisabled: true };
  const status = computeStatus(factsOf(valid, disabled));
  expect(status).toEqual({ ...computeStatus(factsOf(valid)), outlook: 'provider_off' });
  expect(computeStatus(off(valid, disabled)).outlook).toBe('switched_off');
});

describe('when it is renewed', () => {
  test('is the time of the queue entry, else the planned time, else never', () => {
    expect(computeStatus(factsOf(valid, { scheduledAt: inDays(3) })).renewAt).toEqual(inDays(3));
    expect(computeStatus(factsOf(valid)).renewAt).toEqual(factsOf(valid).dueAt);
    expect(computeStatus(off(valid)).renewAt).toBeNull();
    expect(computeStatus(factsOf(undefined)).renewAt).toBeNull();
  });
});

const days = fc.integer({ min: -400, max: 400 });
const maybeFailure = fc.option(
  days.map((at) => failure(at)),
  { nil: undefined },
);
const anyFacts = fc
  .record({
    certificate: fc.option(
      fc
        .record({
          lived: fc.integer({ min: 0, max: 400 }),
          left: days,
          revoked: fc.option(days, { nil: undefined }),
        })
        .map(certificateOf),
      { nil: undefined },
    ),
    renewalEnabled: fc.boolean(),
    accepted: fc.option(days, { nil: undefined }),
    refusal: maybeFailure,
    renewalFailure: maybeFailure,
    requestFailure: maybeFailure,
    served: maybeFailure,
  })
  .map(({ certificate, renewalEnabled, accepted, ...more }) =>
    factsOf(certificate, {
      ...more,
      renewalEnabled,
      expiryAcceptedUntil: accepted === undefined ? null : inDays(accepted),
    }),
  );

describe('of all FQDNs', () => {
  test('expired, failing and due FQDNs need attention since then, unless the expiry is accepted', () => {
    fc.assert(
      fc.property(anyFacts, days, (facts, at) => {
        const moment = inDays(at);
        const status = computeStatus(facts);
        const state = stateAt(status, moment);
        const { attentionAt, problemAt } = status;
        const isAccepted =
          !facts.renewalEnabled && (facts.expiryAcceptedUntil?.getTime() ?? 0) > moment.getTime();
        const isFuture = state === 'failing' && problemAt !== null && problemAt > moment;
        if (['expired', 'failing', 'due'].includes(state) && !isAccepted && !isFuture) {
          expect(attentionAt?.getTime()).toBeLessThanOrEqual(moment.getTime());
        }
        if (state === 'valid') expect(attentionAt?.getTime()).toBeGreaterThan(moment.getTime());
      }),
    );
  });

  test('the state never improves as time passes', () => {
    const worse: Readonly<Record<FqdnState, number>> = {
      unfinished: 0,
      valid: 1,
      due: 2,
      failing: 2,
      expired: 3,
    };
    fc.assert(
      fc.property(anyFacts, days, fc.integer({ min: 0, max: 400 }), (facts, at, more) => {
        const status = computeStatus(facts);
        const [before, after] = [stateAt(status, inDays(at)), stateAt(status, inDays(at + more))];
        expect(worse[after]).toBeGreaterThanOrEqual(worse[before]);
      }),
    );
  });

  test('a problem has both a time and a reason, or neither', () => {
    fc.assert(
      fc.property(anyFacts, (facts) => {
        const { problem, problemAt, problemReason } = computeStatus(facts);
        expect([problemAt === null, problemReason === null]).toEqual([problem === null, problem === null]);
        if (problem !== null) expect(statusProblems).toContain(problem);
      }),
    );
  });
});
