import { describe, expect, test } from 'vitest';
import { anonymousCaller, nilUuid } from '../access/caller.js';
import { auditFacts } from './audit-entry.js';

const caller = anonymousCaller({ requestId: 'r-1', ipAddress: '192.0.2.1', userAgent: 'curl' });
const spaceId = '11111111-1111-4111-8111-111111111111';
const details = (own: Record<string, unknown>) =>
  auditFacts(caller, { action: 'audit.test', resourceType: 'test', details: own }).details;

describe('the entry stored for an action', () => {
  test('contains the user, the origin and the outcome', () => {
    const entry = {
      action: 'fqdn.create',
      resourceType: 'fqdn',
      spaceId,
      details: { fqdn: 'a.example' },
    } as const;
    expect(auditFacts({ ...caller, kind: 'token', tokenId: 'abcdefgh' }, entry)).toEqual({
      action: 'fqdn.create',
      resourceType: 'fqdn',
      resourceId: nilUuid,
      spaceId,
      userId: nilUuid,
      username: '',
      outcome: 'success',
      details: {
        outcome: 'success',
        requestId: 'r-1',
        actor: { kind: 'token', tokenId: 'abcdefgh' },
        spaceId,
        fqdn: 'a.example',
      },
      ipAddress: '192.0.2.1',
      userAgent: 'curl',
    });
  });

  test.each(['password', 'newPassword', 'token', 'apiToken', 'hmacKey', 'authHeaderSecret', 'privateKey'])(
    'for a secret named %s, states only that it changed',
    (name) => {
      expect(details({ after: { [name]: 'hunter2', other: [{ [name]: 'hunter2' }] } })).toMatchObject({
        after: { [name]: { changed: true }, other: [{ [name]: { changed: true } }] },
      });
    },
  );

  test('contains the whole id of a token', () => {
    expect(details({ tokenId: 'abcdefgh' })).toMatchObject({ tokenId: 'abcdefgh' });
  });

  test('is cut to 8 KiB and marked as cut', () => {
    const long = details({ small: 'whole', long: 'ä'.repeat(5000), after: 'whole too' });
    expect(Buffer.byteLength(JSON.stringify(long))).toBeLessThanOrEqual(8192);
    expect(long).toMatchObject({ outcome: 'success', truncated: true, small: 'whole', after: 'whole too' });
    expect(long).not.toHaveProperty('long');
  });
});
