import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { noticeAt } from '../statuses/attention.js';
import { computeStatus, type StatusFacts, stateAt } from '../statuses/computed-status.js';
import {
  eventSignal,
  lateSignal,
  missingSignal,
  type SentSignal,
  type SignalNow,
  sentSignal,
  signalNow,
  type WatchSignal,
} from './signal-now.js';

const minute = 60_000;
const day = 1440 * minute;
const now = new Date('2026-03-01T12:00:00.000Z');
const at = (ms: number) => new Date(now.getTime() + ms);
const failure = (ms = -minute) => ({ at: at(ms), reason: 'the CA is away' });

interface Story {
  /** Milliseconds until the end of a certificate of 90 days. */
  readonly left?: number;
  readonly isOn?: boolean;
  readonly isPlanned?: boolean;
  readonly revoked?: number;
}

function factsOf(
  { left = 60 * day, isOn = true, isPlanned = isOn, revoked }: Story,
  more: Partial<StatusFacts> = {},
): StatusFacts {
  const [notBefore, expiresAt] = [at(left - 90 * day), at(left)];
  const revokedAt = revoked === undefined ? null : at(revoked);
  const renewAt = revokedAt ?? at(left - 30 * day);
  const plan = { rule: 'two_thirds', earliest: renewAt, latest: renewAt, renewAt } as const;
  return {
    renewalEnabled: isOn,
    expiryAcceptedUntil: null,
    certificate: { id: 'c1', notBefore, expiresAt, revokedAt, createdAt: notBefore },
    outlook: isPlanned
      ? { isPlanned: true, certificateId: 'c1', providerId: 'p1', plan }
      : { isPlanned: false, hindrance: 'no_csr' },
    dueAt: renewAt,
    scheduledAt: undefined,
    refusal: undefined,
    renewalFailure: undefined,
    requestFailure: undefined,
    served: undefined,
    ...more,
  };
}

const none = { certificate: undefined, outlook: { isPlanned: false, hindrance: 'no_certificate' } } as const;

test.each<[string, StatusFacts, WatchSignal]>([
  ['is renewed in time', factsOf({}), 'success'],
  ['is due for renewal', factsOf({ left: 30 * day - minute }), 'success'],
  ['has 121 s of its grace left', factsOf({ left: 29 * day + 121_000 }), 'success'],
  ['has 119 s of its grace left', factsOf({ left: 29 * day + 119_000 }), 'fail'],
  ['is renewed late', factsOf({ left: 29 * day }), 'fail'],
  ['has expired', factsOf({ left: -1 }), 'fail'],
  ['has expired, and nothing can renew it', factsOf({ left: -1, isPlanned: false }), 'fail'],
  ['ends at this moment', factsOf({ left: 0, isPlanned: false }), 'fail'],
  ['cannot be renewed, long before that is due', factsOf({ isPlanned: false }), 'success'],
  ['cannot be renewed, after that was due', factsOf({ left: 20 * day, isPlanned: false }), 'fail'],
  ['is not renewed, long before its end', factsOf({ isOn: false }), 'success'],
  ['is not renewed, and has four minutes left', factsOf({ isOn: false, left: 4 * minute }), 'fail'],
  ['is not renewed, and has expired', factsOf({ isOn: false, left: -1 }), 'fail'],
  ['was not renewed', factsOf({}, { renewalFailure: failure() }), 'fail'],
  ['must not be renewed', factsOf({}, { refusal: failure() }), 'fail'],
  ['is not served', factsOf({}, { served: failure() }), 'fail'],
  ['was requested in vain', factsOf({}, { requestFailure: failure() }), 'fail'],
  ['was revoked a minute ago, and is replaced', factsOf({ revoked: -minute }), 'log'],
  ['was revoked five minutes ago, and is replaced', factsOf({ revoked: -5 * minute }), 'fail'],
  ['was revoked, and its renewal failed', factsOf({ revoked: -1 }, { renewalFailure: failure(-1) }), 'fail'],
  ['was revoked, and is not replaced', factsOf({ revoked: -1, isPlanned: false }), 'fail'],
  ['was revoked with renewal off', factsOf({ revoked: -1, isOn: false }), 'fail'],
  ['has no certificate', factsOf({}, none), 'success'],
  ['has none, and was requested in vain', factsOf({}, { ...none, requestFailure: failure() }), 'fail'],
])('an FQDN that %s', (_, facts, signal) => {
  expect(signalNow(facts, now).signal).toBe(signal);
});

test('a check of renewal off falls a quarter of what is left after the notice, a day at most', () => {
  const facts = factsOf({ isOn: false });
  const expectedAt = noticeAt(facts.certificate ?? { notBefore: now, expiresAt: now });
  expect(signalNow(facts, now).expected).toEqual({
    expectedAt,
    attentionAt: new Date(expectedAt.getTime() + day),
  });
});

const signal = (name: WatchSignal, state: SignalNow['state'] = 'valid') =>
  ({ signal: name, state }) as SignalNow;

test.each<['good' | 'bad', WatchSignal, WatchSignal]>([
  ['good', 'success', 'success'],
  ['good', 'fail', 'log'],
  ['good', 'log', 'log'],
  ['bad', 'success', 'log'],
  ['bad', 'fail', 'fail'],
  ['bad', 'log', 'log'],
])('%s news while the signal is %s is a %s', (news, current, sent) => {
  expect(eventSignal(news, signal(current))).toBe(sent);
});

test.each<[WatchSignal, WatchSignal, WatchSignal]>([
  ['success', 'success', 'success'],
  ['success', 'fail', 'log'],
  ['success', 'log', 'log'],
  ['fail', 'success', 'fail'],
  ['log', 'success', 'log'],
])('a %s that waited is, while the signal is %s, a %s', (waited, current, sent) => {
  expect(lateSignal(waited, signal(current))).toBe(sent);
});

test.each<[WatchSignal, SignalNow['state'], SentSignal, WatchSignal | undefined]>([
  ['success', 'valid', 'none', 'success'],
  ['success', 'valid', 'success', undefined],
  ['success', 'valid', 'fail', 'success'],
  ['success', 'unfinished', 'none', undefined],
  ['success', 'unfinished', 'fail', 'success'],
  ['fail', 'due', 'none', 'fail'],
  ['fail', 'due', 'success', 'fail'],
  ['fail', 'due', 'fail', undefined],
  ['log', 'failing', 'none', 'fail'],
  ['log', 'failing', 'success', undefined],
  ['log', 'failing', 'fail', undefined],
])('a %s of an FQDN that is %s, after %s: %s', (current, state, last, missing) => {
  expect(missingSignal(signal(current, state), last)).toBe(missing);
});

test.each<[Date | null, Date | null, SentSignal]>([
  [null, null, 'none'],
  [null, now, 'none'],
  [now, null, 'fail'],
  [now, now, 'success'],
])(
  'a check pinged at %s, from which a success is expected at %s, was sent: %s',
  (pingedAt, toldDeadline, last) => {
    expect(sentSignal({ pingedAt, toldDeadline })).toBe(last);
  },
);

describe('of all FQDNs', () => {
  const moments = fc.integer({ min: -400 * day, max: 400 * day });
  const failures = fc.option(
    moments.map((ms) => failure(ms)),
    { nil: undefined },
  );
  const anyFacts = fc
    .record({
      story: fc.record({
        left: moments,
        isOn: fc.boolean(),
        isPlanned: fc.boolean(),
        revoked: fc.option(moments, { nil: undefined }),
      }),
      refusal: failures,
      renewalFailure: failures,
      requestFailure: failures,
      served: failures,
    })
    .map(({ story: { revoked, ...story }, ...more }) =>
      factsOf(
        { ...story, isPlanned: story.isOn && story.isPlanned, ...(revoked !== undefined && { revoked }) },
        more,
      ),
    );

  test('the check is never better than the state, and a certificate has never ended without a failure', () => {
    fc.assert(
      fc.property(anyFacts, moments, (facts, ms) => {
        const moment = at(ms);
        const state = stateAt(computeStatus(facts), moment);
        const found = signalNow(facts, moment).signal;
        if (found === 'success') expect(state).toBe('valid');
        if (state === 'expired') expect(found).toBe('fail');
      }),
    );
  });
});
