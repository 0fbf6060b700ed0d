import { expect, test } from '@jest/globals';
import { idempotencyKeyOf, type SigningSubject } from './idempotency-key.js';

const subject: SigningSubject = { purpose: 'sign', fqdnId: 'f', csrId: 'c', newestId: 'n' };

test('the same request has the same key, which is valid in a header', () => {
  expect(idempotencyKeyOf({ ...subject })).toBe(idempotencyKeyOf({ ...subject, slot: 0 }));
  expect(idempotencyKeyOf(subject)).toMatch(/^[\w-]{43}$/);
});

test.each<[string, Partial<SigningSubject>]>([
  ['to be renewed instead of signed', { purpose: 'renew' }],
  ['for another FQDN', { fqdnId: 'g' }],
  ['for another CSR', { csrId: 'd' }],
  ['after a certificate was stored', { newestId: 'o' }],
  ['for the first certificate', { newestId: undefined }],
  ['while another one is under way', { slot: 1 }],
])('a request %s has another key', (_, change) => {
  expect(idempotencyKeyOf({ ...subject, ...change })).not.toBe(idempotencyKeyOf(subject));
});
