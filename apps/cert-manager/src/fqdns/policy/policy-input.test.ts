import { type AllowedNames, InvalidInput } from '@certloop/contracts';
import { describe, expect, test } from 'vitest';
import { normalPolicy } from './policy-input.js';

const nothing: AllowedNames = { names: [], suffixes: [], wildcards: false, cidrs: [], beyondFqdn: false };

function faultsOf(change: Partial<AllowedNames>): [string, string][] {
  try {
    normalPolicy({ allowedNames: { ...nothing, ...change } });
    return [];
  } catch (error) {
    if (error instanceof InvalidInput) return error.fields.map(({ path, message }) => [path, message]);
    throw error;
  }
}

describe('a policy', () => {
  test('has no limits for members that are not sent', () => {
    const open = { allowedNames: null, providerIds: null };
    expect(normalPolicy({})).toEqual(open);
    expect(normalPolicy({ allowedNames: null, providerIds: null })).toEqual(open);
  });

  test('is stored in its normal form, each entry once', () => {
    const sent = {
      names: ['WWW.Example.com.', 'www.example.com', 'münchen.example', '*.shop.test'],
      suffixes: ['Example.COM', 'example.com.'],
      wildcards: true,
      cidrs: ['2001:DB8::/32', '2001:db8:0::/32', '::ffff:10.0.0.0/104'],
      beyondFqdn: true,
    };
    expect(normalPolicy({ allowedNames: sent, providerIds: ['a', 'a', 'b'] })).toEqual({
      allowedNames: {
        names: ['www.example.com', 'xn--mnchen-3ya.example', '*.shop.test'],
        suffixes: ['example.com'],
        wildcards: true,
        cidrs: ['2001:db8::/32', '10.0.0.0/8'],
        beyondFqdn: true,
      },
      providerIds: ['a', 'b'],
    });
  });

  test.each<[situation: string, change: Partial<AllowedNames>, path: string, message: RegExp]>([
    [
      'a wildcard name without wildcards',
      { names: ['*.a.test'] },
      'names[0]',
      /set wildcards to true or leave/,
    ],
    ['an address as name', { names: ['10.0.0.1'] }, 'names[0]', /belong into cidrs/],
    ['an IPv6 address as name', { names: ['::1'] }, 'names[0]', /belong into cidrs|without an address/],
    ['a range as suffix', { suffixes: ['10.0.0.0/8'] }, 'suffixes[0]', /belong into cidrs/],
    ['an empty name', { names: ['a.test', ''] }, 'names[1]', /empty labels/],
    ['white space', { names: [' a.test'] }, 'names[0]', /letters, digits, hyphens/],
    ['a URL', { suffixes: ['https://a.test'] }, 'suffixes[0]', /without an address, scheme or port/],
    [
      'a suffix that begins with a dot',
      { suffixes: ['.a.test'] },
      'suffixes[0]',
      /write a\.test, which also/,
    ],
    ['a suffix with a star', { suffixes: ['*.A.test'] }, 'suffixes[0]', /write a\.test, which also/],
    ['a star alone', { suffixes: ['*'] }, 'suffixes[0]', /wildcard only as/],
    ['a dot alone', { suffixes: ['.'] }, 'suffixes[0]', /must/],
    ['an address for a range', { cidrs: ['10.0.0.1'] }, 'cidrs[0]', /write 10\.0\.0\.1\/32/],
    ['a range with bits after the prefix', { cidrs: ['10.1.0.0/8'] }, 'cidrs[0]', /write 10\.0\.0\.0\/8/],
    ['a name for a range', { cidrs: ['a.test'] }, 'cidrs[0]', /such as 10\.0\.0\.0\/8/],
  ])('refuses %s, with the way out', (_, change, path, message) => {
    expect(faultsOf(change)).toEqual([[`allowedNames.${path}`, expect.stringMatching(message)]]);
  });

  test('names every entry that is refused, at most 100', () => {
    expect(faultsOf({ names: ['-', 'a.test', '_'], cidrs: ['x'] }).map(([path]) => path)).toEqual([
      'allowedNames.names[0]',
      'allowedNames.names[2]',
      'allowedNames.cidrs[0]',
    ]);
    expect(faultsOf({ names: Array.from({ length: 500 }, () => '-') })).toHaveLength(100);
  });
});
