import { expect, test } from 'vitest';
import { idempotencyKeyOf, type SigningSubject } from './idempotency-key.js';

const subject: SigningSubject = { fqdnId: 'f', csrId: 'c', newestId: 'n' };

test('is valid in a header', () => {
  expect(idempotencyKeyOf(subject)).toMatch(/^[\w-]{43}$/);
});

test('is that of earlier versions for csr/sign, so that replicas of both versions use the same', () => {
  expect(idempotencyKeyOf(subject)).toBe('P3sUhPm28-yskO5ROxwJAT8O6MPnclQZWwOQb1jxQWw');
});

test.each<[string, Partial<SigningSubject>]>([
  ['for another FQDN', { fqdnId: 'g' }],
  ['for another CSR', { csrId: 'd' }],
  ['after a certificate was stored', { newestId: 'o' }],
  ['for the first certificate', { newestId: undefined }],
])('a request %s has another key', (_, change) => {
  expect(idempotencyKeyOf({ ...subject, ...change })).not.toBe(idempotencyKeyOf(subject));
});
