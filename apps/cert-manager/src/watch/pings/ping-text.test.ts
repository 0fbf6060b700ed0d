import { describe, expect, test } from 'vitest';
import { elsewhereText, failedText, refusedText, sentText, storedText } from './ping-text.js';

const certificate = {
  serialNumber: '01ab',
  issuer: 'CN=Fake CA',
  expiresAt: new Date('2026-05-30T00:00:00.000Z'),
  renewAt: new Date('2026-05-01T00:00:00.000Z'),
};

describe('the text of a ping', () => {
  test.each([
    [
      'renewed',
      storedText('renewed', certificate),
      'renewed: serial 01ab, issuer CN=Fake CA, valid until 2026-05-30T00:00:00.000Z; to be renewed on 2026-05-01T00:00:00.000Z',
    ],
    [
      'issued, and something is missing to renew it',
      storedText('issued', { ...certificate, renewAt: { hint: 'Upload a CSR.' } }),
      'issued: serial 01ab, issuer CN=Fake CA, valid until 2026-05-30T00:00:00.000Z. Upload a CSR.',
    ],
    [
      'adopted from a server',
      storedText('adopted', { ...certificate, renewAt: 'elsewhere' }),
      'adopted: serial 01ab, issuer CN=Fake CA, valid until 2026-05-30T00:00:00.000Z; it is renewed elsewhere, and what its server presents next is adopted',
    ],
    [
      'issued to an ACME client',
      storedText('issued', { ...certificate, renewAt: { client: 'client web-7 renews it' } }),
      'issued: serial 01ab, issuer CN=Fake CA, valid until 2026-05-30T00:00:00.000Z; client web-7 renews it',
    ],
    [
      'that a renewal elsewhere has stopped',
      elsewhereText(certificate.expiresAt),
      'expires on 2026-05-30T00:00:00.000Z; its renewal elsewhere has not brought a newer one: renew it there, or upload a CSR and have it signed here',
    ],
    [
      'failed',
      failedText({ attempt: 3, reason: 'no answer in time' }),
      'renewal failed (try 3): no answer in time',
    ],
    ['a request refused', refusedText('bad CSR'), 'request failed: bad CSR'],
    ['several lines and controls', refusedText('a\n\tb\u0000c\u202e'), 'request failed: a b c'],
  ])('%s', (_, text, expected) => {
    expect(text).toBe(expected);
  });

  test('has at most 1000 characters, and splits no surrogate pair', () => {
    const text = refusedText('🚀'.repeat(2000));
    expect(text.length).toBeLessThanOrEqual(1000);
    expect(text.isWellFormed()).toBe(true);
    expect(text.endsWith('…')).toBe(true);
  });

  test.each([
    ['at once', 0, 'it failed'],
    ['after a minute', 60_000, 'it failed'],
    ['later', 60_001, 'it failed (of 2026-03-01T12:00:00.000Z, sent late)'],
  ])('sent %s', (_, ms, expected) => {
    const createdAt = new Date('2026-03-01T12:00:00.000Z');
    expect(sentText({ body: 'it failed', createdAt }, new Date(createdAt.getTime() + ms))).toBe(expected);
  });
});
