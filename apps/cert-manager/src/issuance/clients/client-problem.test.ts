import { expect, test } from 'vitest';
import { clientProblemOf, retryForClient } from './end-client-issuance.service.js';

const now = new Date('2026-03-01T12:00:00Z');
const later = (seconds: number) => new Date(now.getTime() + seconds * 1000);
const issuance = { cause: 'client', createdAt: now } as const;
const reason = 'the CA failed';

test.each([
  ['after 5 s', { reason }, later(5)],
  ['when the CA wants to be asked', { reason, notBefore: later(30) }, later(30)],
  ['not after a minute', { reason, notBefore: later(61) }, undefined],
  ['not if the refusal is permanent', { reason, isPermanent: true }, undefined],
  ['not if the CA limits the rate', { reason, isRateLimited: true, notBefore: later(10) }, undefined],
  ['not if the CA could not validate a name', { reason, isValidation: true }, undefined],
])('an order is tried again %s', (_, refusal, at) => {
  expect(retryForClient(issuance, refusal, now)).toEqual(at);
});

test('only the order of an ACME client is tried again', () => {
  expect(retryForClient({ ...issuance, cause: 'request' }, { reason }, now)).toBeUndefined();
});

test('a client reads the problem of the CA, and when it may ask again', () => {
  const refusal = {
    reason: 'the CA refused:\n too many',
    code: 'rateLimited',
    problemType: 'urn:ietf:params:acme:error:rateLimited',
    isRateLimited: true,
    notBefore: later(3600),
  };
  expect(clientProblemOf(refusal, true)).toEqual({
    reason: 'the CA refused: too many',
    code: 'rateLimited',
    problemType: 'urn:ietf:params:acme:error:rateLimited',
    isPermanent: false,
    isRateLimited: true,
    retryAt: later(3600),
  });
  expect(clientProblemOf({ reason: 'provider acme is disabled' }, false)).toMatchObject({
    isPermanent: true,
  });
});
