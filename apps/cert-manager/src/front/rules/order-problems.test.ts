import { describe, expect, test } from 'vitest';
import {
  deletedProblem,
  endedProblem,
  failedProblem,
  type IssuanceProblem,
  lostProblem,
  retryMomentOf,
} from './order-problems.js';

const reason = 'the CA is away';
const retryAt = new Date('2026-03-01T12:00:00Z');
const typeOf = (type: string) => `urn:ietf:params:acme:error:${type}`;

describe('failedProblem', () => {
  const again = `${reason}; place another order`;
  test.each<[string, IssuanceProblem, string, string]>([
    ['a passing fault', { reason, isPermanent: false }, 'rateLimited', `${again} later`],
    ['a fault of unknown duration', { reason }, 'rateLimited', `${again} later`],
    [
      'a rate limit of the CA',
      { reason, isRateLimited: true, problemType: typeOf('rateLimited'), retryAt },
      'rateLimited',
      `${again} after 2026-03-01T12:00:00.000Z`,
    ],
    ['a fault of the CA', { reason, problemType: typeOf('serverInternal') }, 'rateLimited', `${again} later`],
    ['a permanent refusal', { reason, isPermanent: true }, 'rejectedIdentifier', reason],
    ['a problem of the CA', { reason, isPermanent: true, problemType: typeOf('caa') }, 'caa', reason],
    [
      'a permanent fault of the CA',
      { reason, isPermanent: true, problemType: typeOf('serverInternal') },
      'rejectedIdentifier',
      reason,
    ],
    [
      'a type of something else',
      { reason, isPermanent: true, problemType: 'about:blank' },
      'rejectedIdentifier',
      reason,
    ],
  ])('of %s', (_, problem, type, detail) => {
    expect(failedProblem(problem)).toMatchObject({ type: typeOf(type), detail });
  });

  test('has the moment from which on another order may succeed', () => {
    const document = failedProblem({ reason, isRateLimited: true, retryAt });
    expect(retryMomentOf(document)).toEqual(retryAt);
    expect(retryMomentOf(document, new Date(0))).toEqual(retryAt);
    expect(retryMomentOf(failedProblem({ reason }))).toBeUndefined();
    expect(retryMomentOf({ type: typeOf('caa'), retryAt: 'tomorrow' })).toBeUndefined();
  });
});

test.each([
  ['a passing fault', failedProblem({ reason }), 60_000],
  ['a lost issuance', lostProblem, 60_000],
  ['a refusal', failedProblem({ reason, isPermanent: true }), undefined],
  ['a deleted FQDN', deletedProblem, undefined],
])('after %s another order may succeed in a minute, or not at all', (_, problem, ms) => {
  expect(retryMomentOf(problem, new Date(0))?.getTime()).toBe(ms);
});

test('no problem of an order says that this server is at fault', () => {
  for (const { type } of [deletedProblem, endedProblem, lostProblem]) {
    expect(type).not.toBe(typeOf('serverInternal'));
  }
});
