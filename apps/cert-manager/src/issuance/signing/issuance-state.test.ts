import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  actBeside,
  changeOfIssuance,
  type IssuanceEvent,
  type IssuanceState,
  isContinued,
  issuanceStates,
  jobStatuses,
  mayHaveCertificate,
  statesOf,
} from './issuance-state.js';

const minute = 60_000;
const now = new Date('2026-03-01T12:00:00Z');
const at = (ms: number) => new Date(now.getTime() + ms);
const terms = { leaseMs: minute };
const running: IssuanceState = { state: 'running', attempt: 1, leaseUntil: at(1), nextAt: null };
const lapsed: IssuanceState = { ...running, leaseUntil: now };
const unknown: IssuanceState = { state: 'unknown', attempt: 1, leaseUntil: null, nextAt: now };

describe('an issuance', () => {
  test.each<[string, IssuanceState, IssuanceEvent['kind'], Partial<IssuanceState> | undefined]>([
    ['running → its worker extends the lease', running, 'extend', { leaseUntil: at(minute) }],
    ['running, lease not over → no one else claims it', running, 'claim', undefined],
    [
      'running, lease just over → claimed by another worker',
      lapsed,
      'claim',
      { attempt: 2, leaseUntil: at(minute) },
    ],
    [
      'running, no answer → unknown, asked again after a minute',
      running,
      'lose',
      { state: 'unknown', leaseUntil: null, nextAt: at(minute) },
    ],
    ['unknown, due → asked again', unknown, 'claim', { attempt: 2, nextAt: at(minute) }],
    ['unknown, not due → not asked', { ...unknown, nextAt: at(1) }, 'claim', undefined],
    [
      'unknown, third try → the pause has doubled',
      { ...unknown, attempt: 2 },
      'claim',
      { attempt: 3, nextAt: at(2 * minute) },
    ],
    [
      'unknown, tenth try → an hour',
      { ...unknown, attempt: 9 },
      'claim',
      { attempt: 10, nextAt: at(60 * minute) },
    ],
    ['unknown → has no lease', unknown, 'extend', undefined],
    ['unknown → stays so', unknown, 'lose', undefined],
    [
      'queued, due → runs',
      { ...unknown, state: 'queued', attempt: 0 },
      'claim',
      { state: 'running', attempt: 1, leaseUntil: at(minute), nextAt: null },
    ],
    ['queued, not due → waits', { ...unknown, state: 'queued', nextAt: at(1) }, 'claim', undefined],
    ['queued → has no worker', { ...unknown, state: 'queued' }, 'extend', undefined],
    ['running, a person is needed → waits', running, 'wait', { state: 'waiting', leaseUntil: null }],
    ['waiting → waits on', { ...running, state: 'waiting' }, 'wait', undefined],
    [
      'waiting, the person is ready → queued',
      { ...running, state: 'waiting', leaseUntil: null },
      'queue',
      { state: 'queued', leaseUntil: null, nextAt: now },
    ],
    [
      'running, its process stops → queued',
      running,
      'queue',
      { state: 'queued', leaseUntil: null, nextAt: now },
    ],
    ['unknown → not queued', unknown, 'queue', undefined],
    ['waiting → no one takes it', { ...running, state: 'waiting', leaseUntil: null }, 'claim', undefined],
    ['issued → final', { ...lapsed, state: 'issued' }, 'claim', undefined],
    ['failed → final', { ...unknown, state: 'failed' }, 'claim', undefined],
  ])('%s', (_, issuance, kind, change) => {
    expect(changeOfIssuance(issuance, { kind, now }, terms)).toEqual(change);
  });

  test('is not asked for before the moment that its CA names', () => {
    const later = at(5 * minute);
    expect(changeOfIssuance(running, { kind: 'lose', now, notBefore: later }, terms)).toMatchObject({
      nextAt: later,
    });
    expect(changeOfIssuance(running, { kind: 'lose', now, notBefore: at(1) }, terms)).toMatchObject({
      nextAt: at(minute),
    });
  });

  test('is shown by the API as a job in one of four states', () => {
    expect(issuanceStates.map((state) => jobStatuses[state])).toEqual([
      'running',
      'running',
      'waiting',
      'failed',
      'completed',
      'failed',
    ]);
    expect(statesOf('running')).toEqual(['queued', 'running']);
  });

  test('is claimed by one of two workers, and waits at most an hour for the next try', () => {
    const moment = fc.integer({ min: -2 * 60 * minute, max: 2 * 60 * minute }).map(at);
    const issuances = fc.record({
      state: fc.constantFrom(...issuanceStates),
      attempt: fc.integer({ min: 1, max: 2000 }),
      leaseUntil: moment,
      nextAt: moment,
    });
    fc.assert(
      fc.property(issuances, (issuance) => {
        const change = changeOfIssuance(issuance, { kind: 'claim', now }, terms);
        if (change === undefined) return;
        const claimed = { ...issuance, ...change };
        expect(claimed.attempt).toBe(issuance.attempt + 1);
        expect(changeOfIssuance(claimed, { kind: 'claim', now }, terms)).toBeUndefined();
        const until = claimed.state === 'running' ? claimed.leaseUntil : claimed.nextAt;
        expect((until?.getTime() ?? Number.NaN) - now.getTime()).toBeLessThanOrEqual(60 * minute);
      }),
    );
  });
});

describe('a call whose FQDN has an issuance', () => {
  const own = { csrId: 'c', providerId: 'p' };
  test.each<
    [string, IssuanceState, { csrId?: string; providerId?: string }, ReturnType<typeof actBeside>, boolean?]
  >([
    ['running for the same CSR and provider → joins it', running, {}, 'join'],
    ['running for another CSR → waits', running, { csrId: 'd' }, 'wait'],
    ['running by another provider → waits', running, { providerId: 'q' }, 'wait'],
    ['whose worker is silent → takes it over', lapsed, {}, 'take over'],
    ['of another CSR, whose worker is silent → takes it over', lapsed, { csrId: 'd' }, 'take over'],
    ['that was released → takes it over', { ...running, leaseUntil: null }, {}, 'take over'],
    ['by an order whose worker is silent → joins it: another worker takes it up', lapsed, {}, 'join', true],
    ['by another order whose worker is silent → waits', lapsed, { csrId: 'd' }, 'wait', true],
    ['whose CA did not answer → ignores it', unknown, {}, 'ignore'],
    ['that waits for a person → ignores it', { ...running, state: 'waiting' }, {}, 'ignore'],
  ])('%s', (_, issuance, other, act, isOrder = false) => {
    expect(actBeside({ ...issuance, ...own, isOrder }, { ...own, ...other }, now)).toBe(act);
  });
});

describe('what a try has left', () => {
  const answer = { certificatePem: 'PEM', upstreamId: null };
  const sent = { url: 'https://ca/order/1', isFinalizing: true };
  test.each([
    ['a question to a CA without orders → continued, perhaps issued', false, null, null, [true, true]],
    ['an answer → continued, issued', false, null, answer, [true, true]],
    ['no order → nothing to continue', true, null, null, [false, false]],
    ['an order → continued, not issued', true, { url: sent.url }, null, [true, false]],
    ['an order whose CSR was sent → continued, perhaps issued', true, sent, null, [true, true]],
    ['the answer of an order that is gone → continued, issued', true, null, answer, [true, true]],
  ])('%s', (_, isOrder, orderState, issued, expected) => {
    const left = { isOrder, orderState, issued };
    expect([isContinued(left), mayHaveCertificate(left)]).toEqual(expected);
  });
});
