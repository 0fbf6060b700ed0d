import { describe, expect, test } from 'vitest';
import { leafValidity, rootValidity } from './issuance-profile.js';

const century = { notBefore: new Date('2026-01-01T00:00:00Z'), notAfter: new Date('2126-01-01T00:00:00Z') };

describe('leafValidity', () => {
  test.each([
    ['a year', 365, '2026-03-01T12:00:00Z', '2026-03-01T11:59:00Z', '2027-03-01T11:59:00Z'],
    ['a day', 1, '2026-03-01T12:00:00Z', '2026-03-01T11:59:00Z', '2026-03-02T11:59:00Z'],
    ['a part of a second', 1, '2026-03-01T12:00:00.999Z', '2026-03-01T11:59:00Z', '2026-03-02T11:59:00Z'],
    ['over a leap day', 1, '2028-02-28T12:01:00Z', '2028-02-28T12:00:00Z', '2028-02-29T12:00:00Z'],
    ['59 s after the root began', 1, '2026-01-01T00:00:59Z', '2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'],
    ['60 s after the root began', 1, '2026-01-01T00:01:00Z', '2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'],
    ['61 s after the root began', 1, '2026-01-01T00:01:01Z', '2026-01-01T00:00:01Z', '2026-01-02T00:00:01Z'],
    ['to the root’s last second', 1, '2125-12-31T00:01:00Z', '2125-12-31T00:00:00Z', '2126-01-01T00:00:00Z'],
    ['a second longer', 1, '2125-12-31T00:01:01Z', '2125-12-31T00:00:01Z', '2126-01-01T00:00:00Z'],
    ['far longer', 36_500, '2090-01-01T00:01:00Z', '2090-01-01T00:00:00Z', '2126-01-01T00:00:00Z'],
  ])('%s', (_, days, now, notBefore, notAfter) => {
    expect(leafValidity({ seconds: days * 86_400 }, new Date(now), century, 60)).toEqual({
      notBefore: new Date(notBefore),
      notAfter: new Date(notAfter),
    });
  });

  test.each([
    ['ten seconds', { seconds: 10 }, 60, '11:59:59', '12:00:09'],
    ['ten minutes', { seconds: 600 }, 60, '11:59:00', '12:09:00'],
    ['nine seconds', { seconds: 9 }, 60, '12:00:00', '12:00:09'],
    ['no backdating', { seconds: 3600 }, 0, '12:00:00', '13:00:00'],
    ['expired', { seconds: 60, offsetSeconds: -3600 }, 60, '11:00:00', '11:01:00'],
    ['not yet valid', { seconds: 60, offsetSeconds: 3600 }, 60, '13:00:00', '13:01:00'],
    ['from this second', { seconds: 60, offsetSeconds: 0 }, 60, '12:00:00', '12:01:00'],
  ])('%s', (_, asked, backdateSeconds, notBefore, notAfter) => {
    const now = new Date('2026-03-01T12:00:00Z');
    expect(leafValidity(asked, now, century, backdateSeconds)).toEqual({
      notBefore: new Date(`2026-03-01T${notBefore}Z`),
      notAfter: new Date(`2026-03-01T${notAfter}Z`),
    });
  });

  test.each([
    ['a second before the root begins', -1],
    ['when the root ends', 3_155_760_000],
  ])('rejects a notBefore %s', (_, offsetSeconds) => {
    const asked = { seconds: 60, offsetSeconds };
    const now = century.notBefore;
    expect(() => leafValidity(asked, now, century, 60)).toThrow(/^not_before_offset_seconds: /);
  });

  test('is rejected when the root has expired', () => {
    const { notBefore, notAfter } = leafValidity(
      { seconds: 86_400 },
      new Date('2126-01-01T00:01:00Z'),
      century,
      60,
    );
    expect(notAfter.getTime()).toBeLessThanOrEqual(notBefore.getTime());
  });
});

describe('rootValidity', () => {
  test('begins one day back, in whole seconds', () => {
    expect(rootValidity(36_525, 1, new Date('2026-11-21T10:00:00.500Z'))).toEqual({
      notBefore: new Date('2026-11-20T10:00:00Z'),
      notAfter: new Date('2126-11-21T10:00:00Z'),
    });
  });
});
