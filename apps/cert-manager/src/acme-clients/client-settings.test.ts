import { describe, expect, test } from 'vitest';
import { isUsableFrom } from './client-settings.js';
import { clientState } from './client-use.js';

const now = new Date('2026-03-01T12:00:00Z');
const later = new Date('2026-03-01T12:00:01Z');

describe('whether a client may be used', () => {
  test.each<[string, readonly string[], Date | null, string, boolean]>([
    ['from anywhere', [], null, '203.0.113.9', true],
    ['from anywhere, without a readable address', [], null, '', true],
    ['before its end', [], later, '203.0.113.9', true],
    ['at its end', [], now, '203.0.113.9', false],
    ['within a range', ['10.0.0.0/8', '2001:db8::/32'], null, '10.255.0.1', true],
    ['within a range, written as IPv6', ['10.0.0.0/8'], null, '::ffff:10.1.2.3', true],
    ['within a range of IPv6', ['10.0.0.0/8', '2001:db8::/32'], null, '2001:db8:1::1', true],
    ['outside of the ranges', ['10.0.0.0/8'], null, '11.0.0.1', false],
    ['in another version', ['0.0.0.0/0'], null, '2001:db8::1', false],
    ['without a readable address', ['0.0.0.0/0', '::/0'], null, 'unknown', false],
    ['within a range, after its end', ['10.0.0.0/8'], now, '10.0.0.1', false],
  ])('%s', (_, allowedCidrs, expiresAt, address, isUsable) => {
    expect(isUsableFrom({ allowedCidrs, expiresAt }, address, now)).toBe(isUsable);
  });
});

describe('the state of a client', () => {
  const order = { names: [], createdAt: '2026-02-01T00:00:00Z' };
  test.each([
    ['without an account', null, undefined, 'unused'],
    ['with an account', null, {}, 'active'],
    ['after an order', later, { lastOrder: { ...order, state: 'valid' as const } }, 'active'],
    ['during an order', later, { lastOrder: { ...order, state: 'processing' as const } }, 'active'],
    ['after an order that failed', null, { lastOrder: { ...order, state: 'invalid' as const } }, 'failing'],
    ['after its end', now, { lastOrder: { ...order, state: 'invalid' as const } }, 'expired'],
    ['after its end without an account', now, undefined, 'expired'],
  ])('%s', (_, expiresAt, use, state) => {
    expect(clientState({ expiresAt }, use, now)).toBe(state);
  });
});
