import { describe, expect, test } from 'vitest';
import { describeCheck } from './check-description.js';

const fqdnId = '0195a1b2-0000-7000-8000-000000000001';

describe('the check of an FQDN in the monitor', () => {
  test.each([
    ['an ordinary name', 'www.example.org', 'Shop', 'www.example.org (Shop)', 'space-shop'],
    [
      'a space of several words',
      'a.example',
      ' Big  Shop, Inc. ',
      'a.example ( Big  Shop, Inc. )',
      'space-big-shop-inc',
    ],
    ['accents', 'a.example', 'Café', 'a.example (Café)', 'space-cafe'],
    ['a space name without letters that a tag can have', 'a.example', '商店', 'a.example (商店)', undefined],
    ['quotes and markup', 'a.example', '<b>"x"</b>', 'a.example (<b>"x"</b>)', 'space-b-x-b'],
  ])('%s', (_, fqdn, space, name, tag) => {
    const check = describeCheck({ fqdnId, fqdn, space, mode: 'renewal' });
    expect(check.name).toBe(name);
    expect(check.tags).toBe(['certloop', 'certificate', ...(tag === undefined ? [] : [tag])].join(' '));
    expect(check.slug).toBe(`certloop-fqdn-${fqdnId}`);
  });

  test('keeps within the bounds of the monitor for the longest names', () => {
    const fqdn = `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(61)}`;
    const { name, slug, tags } = describeCheck({ fqdnId, fqdn, space: '🚀'.repeat(100), mode: 'renewal' });
    expect([...name]).toHaveLength(100);
    expect(name.endsWith('…')).toBe(true);
    expect(slug).toMatch(/^[a-z0-9_-]{1,100}$/);
    expect(
      describeCheck({ fqdnId, fqdn, space: 'x'.repeat(100), mode: 'expiry' }).tags.length,
    ).toBeLessThanOrEqual(500);
    expect(tags).toBe('certloop certificate');
  });

  test('cuts no character in two', () => {
    expect(
      describeCheck({
        fqdnId,
        fqdn: 'a.example',
        space: '🚀'.repeat(100),
        mode: 'expiry',
      }).name.isWellFormed(),
    ).toBe(true);
  });
});
