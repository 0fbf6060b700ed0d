import { InvalidInput } from '@certloop/contracts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { coversHostname, normalHostname, readHostname } from './hostname.js';

const label63 = 'a'.repeat(63);
const name253 = `${label63}.${label63}.${label63}.${'b'.repeat(61)}`;

describe('normal form', () => {
  test.each([
    ['a plain name', 'www.example.com', 'www.example.com'],
    ['capitals', 'WWW.Example.COM', 'www.example.com'],
    ['a final dot', 'www.example.com.', 'www.example.com'],
    ['a single label', 'localhost', 'localhost'],
    ['a single label with final dot', 'intranet.', 'intranet'],
    ['a label that begins with a digit', '3com.example', '3com.example'],
    ['a label of digits before the last', '1.2.3.example', '1.2.3.example'],
    ['a hexadecimal label before the last', '0x7f.example', '0x7f.example'],
    ['hyphens inside, two and three in a row', 'r3---sn-x.ab--cd.example', 'r3---sn-x.ab--cd.example'],
    ['a label of one character', 'a.b', 'a.b'],
    ['a label of 63 characters', `${label63}.example`, `${label63}.example`],
    ['253 characters', name253, name253],
    ['253 characters and a final dot', `${name253}.`, name253],
    ['a wildcard', '*.example.com', '*.example.com'],
    ['a wildcard under one label', '*.com', '*.com'],
    ['a wildcard in capitals with final dot', '*.Example.COM.', '*.example.com'],
    ['an umlaut', 'münchen.example', 'xn--mnchen-3ya.example'],
    ['an umlaut in capitals', 'MÜNCHEN.example', 'xn--mnchen-3ya.example'],
    ['an umlaut as base letter and accent', 'mu\u0308nchen.example', 'xn--mnchen-3ya.example'],
    ['a sharp s, which differs from ss', 'straße.example', 'xn--strae-oqa.example'],
    ['an international top-level label', 'пример.рф', 'xn--e1afmkfd.xn--p1ai'],
    ['ideographic full stops', '例え。テスト', 'xn--r8jz45g.xn--zckzah'],
    ['full-width letters', 'ｅｘａｍｐｌｅ.com', 'example.com'],
    ['an emoji', 'i❤.ws', 'xn--i-7iq.ws'],
    ['an A-label', 'xn--mnchen-3ya.example', 'xn--mnchen-3ya.example'],
    ['an A-label in capitals', 'XN--MNCHEN-3YA.example', 'xn--mnchen-3ya.example'],
    ['a wildcard over an international name', '*.münchen.example', '*.xn--mnchen-3ya.example'],
    ['a wildcard before an ideographic full stop', '*。例え.jp', '*.xn--r8jz45g.jp'],
  ])('%s', (_situation, text, hostname) => {
    expect(readHostname(text)).toEqual({ hostname });
  });

  test('is its own normal form', () => {
    for (const name of [name253, '*.xn--mnchen-3ya.example', 'xn--r8jz45g.xn--zckzah']) {
      expect(normalHostname(name)).toBe(name);
    }
  });
});

describe('any text', () => {
  const label = fc.stringMatching(/^(?:[a-zA-Z0-9äöüßéñ例え_*%-]|xn--){1,12}$/u);
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(label, { maxLength: 6 }).map((a) => a.join('.')),
  );

  test('has an idempotent normal form of letters, digits, hyphens and dots, or is rejected', () => {
    fc.assert(
      fc.property(text, (name) => {
        const { hostname, fault } = readHostname(name);
        if (hostname === undefined) return typeof fault === 'string';
        const isPlain = /^(?:\*\.)?[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})*$/.test(hostname);
        return isPlain && hostname.length <= 253 && readHostname(hostname).hostname === hostname;
      }),
      { numRuns: 1000 },
    );
  });
});

const wildcardFault = 'may have a wildcard only as its whole leftmost label';
const hyphenFault = 'must not have labels that begin or end with a hyphen';
const emptyFault = 'must not have empty labels';
const addressFault = 'must be a host name, not an address';
const lettersFault = 'must consist of letters, digits, hyphens and dots';
const mappingFault = 'is not a valid international name';

describe('refusals', () => {
  test.each([
    ['nothing', '', emptyFault],
    ['a dot alone', '.', emptyFault],
    ['two final dots', 'example.com..', emptyFault],
    ['an empty label inside', 'a..example', emptyFault],
    ['a leading dot', '.example.com', emptyFault],
    ['an ideographic dot too many', '例え。。テスト', emptyFault],
    ['a label with only a soft hyphen', '\u00ad.com', emptyFault],
    ['a label of 64 characters', `${label63}a.example`, 'must have labels of at most 63 characters'],
    ['254 characters', `${name253}b`, 'must be at most 253 characters'],
    ['a wildcard that makes it 255', `*.${name253}`, 'must be at most 253 characters'],
    ['a megabyte', 'a.'.repeat(500_000), 'must be at most 253 characters'],
    [
      'an international label too long as A-label',
      `${'äöü'.repeat(30)}.example`,
      'must have labels of at most 63 characters',
    ],
    ['an underscore', '_dmarc.example.com', 'must not contain underscores'],
    ['an underscore next to an umlaut', 'a_b.münchen.example', mappingFault],
    ['a leading hyphen', '-a.example', hyphenFault],
    ['a trailing hyphen', 'a-.example', hyphenFault],
    ['a hyphen alone', '-', hyphenFault],
    ['a leading hyphen before an umlaut', '-ü.example', hyphenFault],
    ['a trailing hyphen after an umlaut', 'ü-.example', hyphenFault],
    ['a star alone', '*', wildcardFault],
    ['a star and a dot', '*.', emptyFault],
    ['two wildcards', '*.*.example.com', wildcardFault],
    ['a wildcard inside', 'a.*.example.com', wildcardFault],
    ['a wildcard at the end', 'example.*', wildcardFault],
    ['part of a label as wildcard', 'a*.example.com', wildcardFault],
    ['a star before a name', '*example.com', wildcardFault],
    ['a full-width star', '＊.münchen.example', wildcardFault],
    ['an IPv4 address', '192.0.2.1', addressFault],
    ['an IPv4 address with final dot', '192.0.2.1.', addressFault],
    ['a short IPv4 address', '1.2.3', addressFault],
    ['a hexadecimal IPv4 address', '0x7f.1', addressFault],
    ['a hexadecimal last label', 'a.0x1f', addressFault],
    ['a number alone', '2130706433', addressFault],
    ['a numeric last label', 'example.123', addressFault],
    ['a full-width IPv4 address', '１.２.３.４', addressFault],
    ['a wildcard over an address', '*.192.0.2.1', addressFault],
    ['an IPv6 address', '2001:db8::1', 'must be a host name, without an address, scheme or port'],
    ['an IPv6 address in brackets', '[::1]', 'must be a host name, without an address, scheme or port'],
    ['a port', 'example.com:443', 'must be a host name, without an address, scheme or port'],
    ['a URL', 'https://example.com/', 'must be a host name, without an address, scheme or port'],
    ['a path', 'example.com/a', lettersFault],
    ['a path after an umlaut', 'münchen.example/a', mappingFault],
    ['a query', 'example.com?a', lettersFault],
    ['an e-mail address', 'a@example.com', lettersFault],
    ['a blank inside', 'exa mple.com', lettersFault],
    ['a blank around', ' example.com', lettersFault],
    ['a line break at the end', 'example.com\n', lettersFault],
    ['NUL', 'example.com\u0000', lettersFault],
    ['a percent-encoded dot', 'example%2ecom', lettersFault],
    ['a percent-encoded dot next to an umlaut', 'münchen%2eexample', mappingFault],
    ['a full-width percent sign', 'ü％2eexample', mappingFault],
    ['a lone surrogate', '\ud800.example', mappingFault],
    ['an empty A-label', 'xn--.example', hyphenFault],
    ['an A-label that does not decode', 'xn--a.example', mappingFault],
    ['an A-label that would be mapped', 'xn--zn7c.example', mappingFault],
    ['an A-label of a leading hyphen', 'xn----bga.example', hyphenFault],
    ['left-to-right and right-to-left mixed', 'אa.example', mappingFault],
    ['a joiner where it is not allowed', 'é\u200d.example', mappingFault],
  ])('%s', (_situation, text, fault) => {
    expect(readHostname(text)).toEqual({ fault });
  });

  test('name the field and the reason', () => {
    const refusal = (() => {
      try {
        return normalHostname('a..b');
      } catch (error) {
        return error;
      }
    })();
    expect(refusal).toBeInstanceOf(InvalidInput);
    expect(refusal).toMatchObject({
      code: 'invalid_hostname',
      message: 'fqdn: must not have empty labels',
      fields: [{ path: 'fqdn', code: 'invalid_hostname', message: emptyFault }],
    });
  });
});

describe('the names that a name covers', () => {
  test.each([
    ['itself', 'www.example.com', 'www.example.com', true],
    ['another', 'www.example.com', 'example.com', false],
    ['a wildcard, itself', '*.example.com', '*.example.com', true],
    ['a wildcard, one label under it', '*.example.com', 'www.example.com', true],
    ['a wildcard, two labels under it', '*.example.com', 'a.b.example.com', false],
    ['a wildcard, its own base', '*.example.com', 'example.com', false],
    ['a wildcard, a wildcard below', '*.example.com', '*.a.example.com', false],
    ['a wildcard, a sibling that ends alike', '*.example.com', 'badexample.com', false],
    ['a wildcard under one label, a single label', '*.com', 'com', false],
    ['a wildcard under one label, a wildcard', '*.com', '*.example.com', false],
    ['a plain name, a wildcard', 'www.example.com', '*.example.com', false],
  ])('%s', (_situation, name, hostname, isCovered) => {
    expect(coversHostname(name, hostname)).toBe(isCovered);
  });
});
