import { expect, test } from 'vitest';
import { failedProblem } from './order-problems.js';

const urn = (name: string) => `urn:ietf:params:acme:error:${name}`;
const reason = 'the CA failed';
const retryAt = new Date('2026-03-01T12:00:00Z');

test.each([
  [
    'a rate limit of the CA is passed on, with its moment',
    { reason, isRateLimited: true, problemType: urn('rateLimited'), retryAt },
    'rateLimited',
    'the CA failed; place another order after 2026-03-01T12:00:00.000Z',
  ],
  [
    'a CA without room is no internal error',
    { reason, isPermanent: false, problemType: urn('serverInternal') },
    'rateLimited',
    'the CA failed; place another order later',
  ],
  [
    'a refusal of the CA keeps its type',
    { reason, isPermanent: true, problemType: urn('rejectedIdentifier') },
    'rejectedIdentifier',
    reason,
  ],
  ['a refusal of our own names no internal error', { reason, isPermanent: true }, 'unauthorized', reason],
  [
    'a type that is not of ACME is not passed on',
    { reason, problemType: 'about:blank' },
    'serverInternal',
    reason,
  ],
])('%s', (_, problem, type, detail) => {
  expect(failedProblem(problem)).toMatchObject({ type: urn(type), detail });
});
