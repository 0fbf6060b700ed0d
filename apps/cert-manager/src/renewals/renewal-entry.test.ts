import { renewalStatuses } from '@certloop/contracts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { changeOfRenewal, type RenewalEvent, type RenewalState } from './renewal-entry.js';

const noon = new Date('2026-05-01T12:00:00Z');
const seconds = (count: number) => new Date(noon.getTime() + count * 1000);

const pending: RenewalState = {
  status: 'pending',
  scheduledAt: noon,
  attempt: 1,
  leaseOwner: null,
  leaseUntil: null,
  reason: null,
  finishedAt: null,
};
const processing: RenewalState = {
  ...pending,
  status: 'processing',
  leaseOwner: 'w1',
  leaseUntil: seconds(60),
};
const completed: RenewalState = { ...pending, status: 'completed', finishedAt: noon };
const failed: RenewalState = { ...pending, status: 'failed', finishedAt: noon, reason: 'no' };

const claim = (now = noon): RenewalEvent => ({ kind: 'claim', now, owner: 'w2', leaseUntil: seconds(90) });
const extend = (attempt = 1): RenewalEvent => ({ kind: 'extend', attempt, leaseUntil: seconds(120) });
const complete = (attempt = 1): RenewalEvent => ({ kind: 'complete', attempt, at: seconds(5) });
const fail = (attempt = 1): RenewalEvent => ({ kind: 'fail', attempt, at: seconds(5), reason: 'no' });
const validity = { notBefore: seconds(-86_400), notAfter: seconds(30 * 86_400) };
const lapse = (now = seconds(60)): RenewalEvent => ({ kind: 'lapse', now, ...validity });
const leave = (attempt = 1): RenewalEvent => ({ kind: 'leave', attempt });
const move: RenewalEvent = { kind: 'move', scheduledAt: seconds(7) };

describe('a renewal entry', () => {
  const settled = { leaseOwner: null, leaseUntil: null, finishedAt: seconds(5) };
  test.each<[string, RenewalState, RenewalEvent, Partial<RenewalState> | undefined]>([
    [
      'pending and due → claimed',
      pending,
      claim(),
      { status: 'processing', leaseOwner: 'w2', leaseUntil: seconds(90) },
    ],
    ['pending, a second early → not claimed', pending, claim(seconds(-1)), undefined],
    ['pending → moved', pending, move, { scheduledAt: seconds(7) }],
    ['pending → not completed', pending, complete(), undefined],
    ['pending → not failed', pending, fail(), undefined],
    ['pending → not extended', pending, extend(), undefined],
    ['pending → not lapsed', pending, lapse(), undefined],
    ['processing → not claimed again', processing, claim(seconds(100)), undefined],
    ['processing → not moved', processing, move, undefined],
    ['processing → extended', processing, extend(), { leaseUntil: seconds(120) }],
    [
      'processing → completed',
      { ...processing, reason: 'lease_expired' },
      complete(),
      { ...settled, status: 'completed', reason: null },
    ],
    ['processing → failed', processing, fail(), { ...settled, status: 'failed', reason: 'no' }],
    [
      'processing → pending, when its worker stops: no try is counted',
      { ...processing, reason: 'lease_expired' },
      leave(),
      { status: 'pending', leaseOwner: null, leaseUntil: null },
    ],
    ['processing → not left by an older try', { ...processing, attempt: 2 }, leave(), undefined],
    ['pending → not left', pending, leave(), undefined],
    ['processing → not completed by an older try', { ...processing, attempt: 2 }, complete(), undefined],
    ['processing → not failed by an older try', { ...processing, attempt: 2 }, fail(), undefined],
    ['processing → not extended by an older try', { ...processing, attempt: 2 }, extend(), undefined],
    ['processing, a second within its lease → stays', processing, lapse(seconds(59)), undefined],
    [
      'processing, at the end of its lease → pending, which counts as a try',
      processing,
      lapse(),
      {
        status: 'pending',
        attempt: 2,
        scheduledAt: seconds(60),
        leaseOwner: null,
        leaseUntil: null,
        reason: 'lease_expired',
      },
    ],
    ...[completed, failed].flatMap((entry) =>
      [claim(), move, extend(), complete(), fail(), leave(), lapse()].map(
        (event): [string, RenewalState, RenewalEvent, undefined] => [
          `${entry.status} → ${event.kind} changes nothing`,
          entry,
          event,
          undefined,
        ],
      ),
    ),
  ])('%s', (_, entry, event, change) => {
    expect(changeOfRenewal(entry, event)).toEqual(change);
  });
});

describe('a renewal entry after any sequence of events', () => {
  const instant = fc.integer({ min: -5000, max: 5000 }).map(seconds);
  const attempt = fc.integer({ min: 1, max: 4 });
  const event: fc.Arbitrary<RenewalEvent> = fc.oneof(
    fc.record({ kind: fc.constant('claim' as const), now: instant, owner: fc.string(), leaseUntil: instant }),
    fc.record({ kind: fc.constant('extend' as const), attempt, leaseUntil: instant }),
    fc.record({ kind: fc.constant('leave' as const), attempt }),
    fc.record({ kind: fc.constant('complete' as const), attempt, at: instant }),
    fc.record({ kind: fc.constant('fail' as const), attempt, at: instant, reason: fc.string() }),
    fc.record({
      kind: fc.constant('lapse' as const),
      now: instant,
      notBefore: instant,
      notAfter: instant,
    }),
    fc.record({ kind: fc.constant('move' as const), scheduledAt: instant }),
  );
  const history = fc.array(event, { maxLength: 40 }).map((events) => {
    const states = [pending];
    for (const happening of events) {
      const last = states.at(-1) ?? pending;
      states.push({ ...last, ...changeOfRenewal(last, happening) });
    }
    return { events, states };
  });

  test('has a valid state: leased while processing, finished when final', () => {
    fc.assert(
      fc.property(history, ({ states }) => {
        for (const { status, leaseOwner, leaseUntil, finishedAt, reason } of states) {
          expect(renewalStatuses).toContain(status);
          expect(leaseUntil !== null && leaseOwner !== null).toBe(status === 'processing');
          expect(finishedAt !== null).toBe(status === 'completed' || status === 'failed');
          if (status === 'failed') expect(reason).not.toBeNull();
        }
      }),
    );
  });

  test('keeps a final state, only increases its attempts, and accepts results of its own attempt only', () => {
    fc.assert(
      fc.property(history, ({ events, states }) => {
        events.forEach((happening, index) => {
          const [before, then] = [states[index], states[index + 1]];
          if (before === undefined || then === undefined) return;
          if (before.finishedAt !== null) expect(then).toEqual(before);
          expect(then.attempt).toBeGreaterThanOrEqual(before.attempt);
          if (before.finishedAt === null && then.finishedAt !== null) {
            expect('attempt' in happening && happening.attempt).toBe(before.attempt);
          }
        });
      }),
    );
  });
});
