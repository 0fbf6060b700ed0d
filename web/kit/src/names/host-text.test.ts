import { domainToASCII } from 'node:url';
import { expect, test } from 'vitest';
import { hostText, unicodeHost } from './host-text.js';

test.each([
  ['bücher.example'],
  ['münchen.straßenbau.example'],
  ['пример.example'],
  ['παράδειγμα.example'],
  ['例え.テスト'],
  ['한국.example'],
  ['中国-2.example'],
  ['مثال.example'],
  ['उदाहरण.example'],
  ['*.bücher.example'],
  ['shop.bücher.example'],
])('writes %s as people do', (unicode) => {
  const ascii = domainToASCII(unicode.replace('*', 'star')).replace('star', '*');
  expect(unicodeHost(ascii)).toBe(unicode);
  expect(hostText(ascii)).toBe(`${unicode} (${ascii})`);
});

test.each([
  ['a name without such a label', 'www.example.org'],
  ['Latin and Cyrillic in one label', domainToASCII('bаnk.example')],
  ['Greek and Latin in one label', domainToASCII('αbc.example')],
  ['Cyrillic letters that all look like Latin ones', domainToASCII('сосо.example')],
  ['Cyrillic letters with digits that look like Latin ones', domainToASCII('хр-1.example')],
  ['an emoji', domainToASCII('i❤.example')],
  ['a label that is not Punycode', 'xn--\u0000.example'],
  ['a label that ends within a number', 'xn--a-9.example'],
  ['a number that is too large', 'xn--99999999999.example'],
  ['a joiner that cannot be seen', 'xn--ab-j1t.example'],
  ['an empty label', 'xn--.example'],
])('leaves %s', (_, name) => {
  expect(unicodeHost(name)).toBeUndefined();
  expect(hostText(name)).toBe(name);
});

test.each([
  // of RFC 3492, section 7.1; the others mix scripts or have signs that no name has
  ['xn--ihqwcrb4cv8a8dqg056pqjye', '他们为什么不说中文'],
  ['xn--proprostnemluvesky-uyb24dma41a', 'pročprostěnemluvíčesky'],
])('decodes %s', (encoded, text) => {
  expect(unicodeHost(encoded)).toBe(text);
});
