import { describe, expect, test } from 'vitest';
import { acmeValidity, chooseProfile, describeProfile, parseAskedValidity } from './acme-profile.js';

const issuer = { notBefore: new Date('2026-01-01T00:00:00Z'), notAfter: new Date('2027-01-01T00:00:00Z') };
const now = new Date('2026-06-01T12:00:00.700Z');
const classic = { name: 'classic', validitySeconds: 86_400 };
const brief = { name: 'brief', validitySeconds: 10 };
const none = { notBefore: undefined, notAfter: undefined };

describe('acmeValidity', () => {
  test.each([
    ['a day', classic, none, '2026-06-01T11:59:00Z', '2026-06-02T11:59:00Z'],
    ['ten seconds', brief, none, '2026-06-01T11:59:59Z', '2026-06-01T12:00:09Z'],
    ['one second', { ...brief, validitySeconds: 1 }, none, '2026-06-01T12:00:00Z', '2026-06-01T12:00:01Z'],
    [
      'longer than the issuer',
      { ...brief, validitySeconds: 86_400 * 365 },
      none,
      '2026-06-01T11:59:00Z',
      '2027-01-01T00:00:00Z',
    ],
    [
      'an end asked for',
      classic,
      { ...none, notAfter: new Date('2026-07-01T00:00:00Z') },
      '2026-06-01T11:59:00Z',
      '2026-07-01T00:00:00Z',
    ],
    [
      'an end in the past: expired on request',
      classic,
      { ...none, notAfter: new Date('2026-05-01T00:00:00Z') },
      '2026-04-30T00:00:00Z',
      '2026-05-01T00:00:00Z',
    ],
    [
      'an end so early that the beginning is cut',
      classic,
      { ...none, notAfter: new Date('2026-01-01T06:00:00Z') },
      '2026-01-01T00:00:00Z',
      '2026-01-01T06:00:00Z',
    ],
    [
      'a beginning in the future: not yet valid on request',
      classic,
      { ...none, notBefore: new Date('2026-08-01T00:00:00Z') },
      '2026-08-01T00:00:00Z',
      '2026-08-02T00:00:00Z',
    ],
    [
      'both',
      classic,
      { notBefore: new Date('2026-02-01T00:00:00Z'), notAfter: new Date('2026-02-03T00:00:00Z') },
      '2026-02-01T00:00:00Z',
      '2026-02-03T00:00:00Z',
    ],
  ])('%s', (_, profile, asked, notBefore, notAfter) => {
    expect(acmeValidity(profile, asked, now, issuer, 60)).toEqual({
      notBefore: new Date(notBefore),
      notAfter: new Date(notAfter),
    });
  });
});

describe('parseAskedValidity', () => {
  test('cuts to whole seconds, in any zone', () => {
    const asked = { notBefore: '2026-02-01T02:00:00.999+02:00', notAfter: '2026-02-02T00:00:00Z' };
    expect(parseAskedValidity(asked, issuer)).toEqual({
      notBefore: new Date('2026-02-01T00:00:00Z'),
      notAfter: new Date('2026-02-02T00:00:00Z'),
    });
  });

  test.each([
    ['before the issuer', { notBefore: '2025-12-31T23:59:59Z' }],
    ['after the issuer', { notAfter: '2027-01-01T00:00:01Z' }],
    ['an end at the beginning', { notBefore: '2026-02-01T00:00:00Z', notAfter: '2026-02-01T00:00:00Z' }],
  ])('refuses %s', (_, asked) => {
    expect(() => parseAskedValidity(asked, issuer)).toThrow(
      expect.objectContaining({ type: 'malformed', status: 400 }),
    );
  });
});

describe('chooseProfile', () => {
  test.each([
    [undefined, 'classic'],
    ['classic', 'classic'],
    ['brief', 'brief'],
  ])('%s gives %s', (name, expected) => {
    expect(chooseProfile([classic, brief], name).name).toBe(expected);
  });

  test('refuses an unknown one by name', () => {
    expect(() => chooseProfile([classic, brief], 'toString')).toThrow(
      expect.objectContaining({ type: 'invalidProfile', message: expect.stringContaining('classic, brief') }),
    );
  });
});

test.each([
  [classic, 'for 86400 seconds'],
  [{ ...classic, validitySeconds: 172_800 }, 'for 2 days'],
  [brief, 'for 10 seconds'],
])('describeProfile %#', (profile, expected) => {
  expect(describeProfile(profile)).toContain(expected);
});
