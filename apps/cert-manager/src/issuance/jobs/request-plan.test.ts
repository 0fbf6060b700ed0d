import { requestSteps } from '@certloop/contracts';
import { describe, expect, test } from 'vitest';
import { allSteps, changeStep, failUnderWay, needsConfirmation } from './request-plan.js';

const at = (minute: number) => new Date(Date.UTC(2026, 2, 1, 12, minute));
const serving = { pem: '', spkiSha256: '', notBefore: at(0), expiresAt: at(50), revokedAt: null };

describe('a request must be confirmed', () => {
  test.each([
    ['when a certificate serves', serving, false, at(30), 10, true],
    ['not when there is none', undefined, false, at(30), 10, false],
    ['not when it is', serving, true, at(30), 10, false],
    ['one minute before its time to be renewed', serving, false, at(30), 29, true],
    ['not at its time to be renewed', serving, false, at(30), 30, false],
    ['when that time is unknown', serving, false, undefined, 49, true],
  ])('%s', (_, certificate, isConfirmed, renewAt, minute, expected) => {
    expect(needsConfirmation(certificate, { isConfirmed, renewAt, now: at(minute) })).toBe(expected);
  });
});

describe('the steps of a request', () => {
  test('are complete and in the order of execution', () => {
    const steps = allSteps({ store: { status: 'ok' } });
    expect(Object.keys(steps)).toEqual([...requestSteps]);
    expect([steps.order.status, steps.store.status]).toEqual(['pending', 'ok']);
  });

  test('keep when they began, and record when they ended', () => {
    const begun = changeStep({}, 'order', { status: 'running' }, at(1));
    expect(begun.order).toEqual({ status: 'running', startedAt: at(1).toISOString() });
    expect(changeStep(begun, 'order', { status: 'ok' }, at(2)).order).toEqual({
      status: 'ok',
      startedAt: at(1).toISOString(),
      finishedAt: at(2).toISOString(),
    });
  });

  test.each([
    ['running', 'not seen yet'],
    ['waiting_manual', undefined],
  ] as const)(
    'preserve the detail of their previous status, %s, unless it asked a person to act',
    (status, detail) => {
      const before = changeStep({}, 'challenges', { status, detail: 'not seen yet' }, at(1));
      expect(before.challenges?.detail).toBe('not seen yet');
      expect(changeStep(before, 'challenges', { status: 'ok' }, at(2)).challenges?.detail).toBe(detail);
    },
  );

  const error = { code: 'caa', message: 'no', retryable: false };
  test('mark the running step as failed', () => {
    const items = {
      'a.example': { type: 'http-01', status: 'ok' },
      'b.example': { type: 'http-01', status: 'running', detail: 'not seen from here' },
    };
    const reports = changeStep({}, 'challenges', { status: 'running', items }, at(1));
    expect(failUnderWay(reports, error, at(2)).challenges).toMatchObject({
      status: 'failed',
      items: { ...items, 'b.example': { ...items['b.example'], status: 'failed' } },
    });
  });

  test.each([
    ['the one under way', changeStep({}, 'order', { status: 'running' }, at(1)), 'order'],
    [
      'the one that waits for a person',
      changeStep({}, 'challenges', { status: 'waiting_manual' }, at(1)),
      'challenges',
    ],
    ['the next one if none is', changeStep({}, 'csrCheck', { status: 'ok' }, at(1)), 'policy'],
    ['the first one before anything', {}, 'csrCheck'],
  ] as const)('fail: %s', (_, reports, step) => {
    expect(failUnderWay(reports, error, at(2))[step]).toMatchObject({ status: 'failed', error });
  });
});
