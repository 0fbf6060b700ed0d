import { describe, expect, test } from 'vitest';
import { describeCheck } from './check-description.js';

const fqdnId = '0195a1b2-0000-7000-8000-000000000001';
const without = { owner: null, tags: null };

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
    const check = describeCheck({ ...without, fqdnId, fqdn, space, mode: 'renewal' });
    expect(check.name).toBe(name);
    expect(check.tags).toBe(['certloop', 'certificate', ...(tag === undefined ? [] : [tag])].join(' '));
    expect(check.slug).toBe(`certloop-fqdn-${fqdnId}`);
  });

  test('keeps within the bounds of the monitor for the longest names', () => {
    const fqdn = `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(61)}`;
    const { name, slug, tags } = describeCheck({
      ...without,
      fqdnId,
      fqdn,
      space: '🚀'.repeat(100),
      mode: 'renewal',
    });
    expect([...name]).toHaveLength(100);
    expect(name.endsWith('…')).toBe(true);
    expect(slug).toMatch(/^[a-z0-9_-]{1,100}$/);
    expect(
      describeCheck({ ...without, fqdnId, fqdn, space: 'x'.repeat(100), mode: 'expiry' }).tags.length,
    ).toBeLessThanOrEqual(500);
    expect(tags).toBe('certloop certificate');
  });

  test('cuts no character in two', () => {
    expect(
      describeCheck({
        ...without,
        fqdnId,
        fqdn: 'a.example',
        space: '🚀'.repeat(100),
        mode: 'expiry',
      }).name.isWellFormed(),
    ).toBe(true);
  });

  test.each([
    ['an owner and tags', 'Ada', ['prod', 'shop'], 'prod shop', ' Owner: Ada.'],
    [
      'tags that the check has or that are those of our own checks',
      null,
      ['certificate', 'certloop-internal', 'x'],
      'x',
      '',
    ],
    [
      'tags for which the monitor has no room',
      null,
      [...Array.from({ length: 9 }, (_, index) => `${index}${'t'.repeat(49)}`), 'z'],
      [...Array.from({ length: 9 }, (_, index) => `${index}${'t'.repeat(49)}`), 'z'].join(' '),
      '',
    ],
    [
      'more tags than it has room for',
      null,
      Array.from({ length: 20 }, (_, index) => `${String(index).padStart(2, '0')}${'t'.repeat(48)}`),
      Array.from({ length: 9 }, (_, index) => `0${index}${'t'.repeat(48)}`).join(' '),
      '',
    ],
  ])('%s', (_, owner, tags, shown, end) => {
    const check = describeCheck({ fqdnId, fqdn: 'a.example', space: 'Shop', mode: 'renewal', owner, tags });
    expect(check.tags).toBe(`certloop certificate space-shop ${shown}`);
    expect(check.tags.length).toBeLessThanOrEqual(500);
    expect(check.desc.endsWith(`is due.${end}`)).toBe(true);
  });
});
