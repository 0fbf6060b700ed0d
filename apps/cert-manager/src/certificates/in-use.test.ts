import { describe, expect, test } from 'vitest';
import { chainEndOf, chainHint, endsView, leafEndOf } from './in-use.js';

const march = new Date('2026-03-01T00:00:00Z');
const may = new Date('2026-05-01T00:00:00Z');

describe('the end of a certificate', () => {
  test.each([
    ['no chain that ends earlier', { expiresAt: may, leafExpiresAt: may }],
    ['a chain that was not read yet', { expiresAt: may, leafExpiresAt: null }],
  ])('is its own with %s', (_, ends) => {
    expect(leafEndOf(ends)).toEqual(may);
    expect(chainEndOf(ends)).toBeUndefined();
    expect(chainHint(ends)).toBeUndefined();
    expect(endsView(ends)).toEqual({ expiresAt: may.toISOString() });
  });

  test('is that of its chain if an intermediate ends earlier', () => {
    const ends = { expiresAt: march, leafExpiresAt: may };
    expect(leafEndOf(ends)).toEqual(may);
    expect(chainEndOf(ends)).toEqual(march);
    expect(endsView(ends)).toEqual({ expiresAt: may.toISOString(), chainExpiresAt: march.toISOString() });
    expect(chainHint(ends)).toBe(
      'An intermediate of its chain ends on 2026-03-01T00:00:00.000Z, before the certificate itself (2026-05-01T00:00:00.000Z): fetch the chain again from the CA.',
    );
  });
});
