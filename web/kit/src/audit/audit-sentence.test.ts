import { type AuditLog, auditActions } from '@certloop/contracts';
import { describe, expect, test } from 'vitest';
import { auditSentence, outcomeOf } from './audit-sentence.js';

const entryOf = (
  action: string,
  details: Record<string, unknown> = {},
  more: Partial<AuditLog> = {},
): AuditLog => ({
  id: 'e1',
  action,
  resourceType: 'fqdn',
  resourceId: 'f1',
  userId: 'u1',
  username: 'ada',
  details,
  ipAddress: '',
  userAgent: '',
  timestamp: '2026-01-01T00:00:00.000Z',
  ...more,
});

function textOf(entry: AuditLog): string {
  const { who, before, subject, after, reason } = auditSentence(entry);
  const done = `${who} ${before}${subject === undefined ? '' : ` ${subject}`}${after}`;
  return reason === undefined ? done : `${done}: ${reason}`;
}

const shop = { fqdn: 'shop.example.com' };

describe('sentence of an audit entry', () => {
  test.each<[string, string, Record<string, unknown>]>([
    ['ada renewed the certificate of shop.example.com', 'certificate.renew', shop],
    [
      'ada could not get a certificate for shop.example.com: The CA is away.',
      'certificate.fail',
      { ...shop, outcome: 'failure', reason: 'The CA is away.' },
    ],
    [
      'ada was not allowed to call POST /spaces: not admin',
      'access.denied',
      { outcome: 'denied', subject: 'POST /spaces', reason: 'not_admin' },
    ],
    [
      'ada switched off the renewal of shop.example.com',
      'fqdn.renewal',
      { ...shop, after: { renewalEnabled: false } },
    ],
    [
      'ada switched on the renewal of shop.example.com',
      'fqdn.renewal',
      { ...shop, after: { renewalEnabled: true } },
    ],
    ['ada edited the space Shop', 'space.update', { before: { name: 'Store' }, after: { name: 'Shop' } }],
    ['ada deleted the space Store', 'space.delete', { before: { name: 'Store' } }],
    ['ada had the CSR of shop.example.com signed', 'csr.sign', shop],
    [
      'ada checked the server 192.0.2.1:443 of shop.example.com',
      'target.probe',
      { ...shop, place: '192.0.2.1:443' },
    ],
    ['ada imported a certificate of shop.example.com', 'certificate.import', shop],
    [
      'ada imported a certificate of shop.example.com, whose signature could not be verified without its issuer',
      'certificate.import',
      { ...shop, unverified: true },
    ],
    ['ada removed all 3 planned renewals', 'queue.remove', { count: 3 }],
    ['ada started the renewal of a name', 'queue.run', {}],
    ['ada signed in', 'auth.login', {}],
    ['ada could not upload a CSR for shop.example.com', 'csr.reject', shop],
    ['ada space.moved a name', 'space.moved', {}],
    ['ada constructor a name', 'constructor', {}],
  ])('%s', (sentence, action, details) => {
    expect(textOf(entryOf(action, details))).toBe(sentence);
  });

  test.each([
    ['scheduler', 'The scheduler renewed the certificate of shop.example.com'],
    ['', 'An unknown caller renewed the certificate of shop.example.com'],
  ])('names the caller %p in words', (username, sentence) => {
    expect(textOf(entryOf('certificate.renew', shop, { username }))).toBe(sentence);
  });

  test("names the user's own account", () => {
    const own = { resourceType: 'user', resourceId: 'u1' };
    expect(textOf(entryOf('user.password', {}, own))).toBe('ada changed the password of ada');
  });

  test.each(auditActions)('has words for %s, done, failed and denied', (action) => {
    for (const outcome of ['success', 'failure', 'denied']) {
      const text = textOf(
        entryOf(action, { ...shop, outcome, subject: 'password', place: 'p', count: 2, deletedCount: 2 }),
      );
      expect(text).toMatch(/^ada [a-z]/);
      expect(text).not.toContain(action);
      expect(text).not.toMatch(/undefined|\{on\}| {2}| $/);
    }
  });

  test('treats an action whose name says failed as failed', () => {
    expect(
      ['certificate.fail', 'csr.reject', 'csr.upload'].map((action) => outcomeOf(entryOf(action))),
    ).toEqual(['failure', 'failure', 'success']);
  });
});
