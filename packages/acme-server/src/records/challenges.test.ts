import { describe, expect, test } from 'vitest';
import {
  acmeIdentifierValue,
  challengeTypesOf,
  dns01Name,
  dns01Value,
  http01Path,
  isHttp01Answer,
  tlsAlpn01ServerName,
} from './challenges.js';

// RFC 8555 §8.3 and §8.4 as an example of a token; the digest was computed with openssl.
const keyAuthorization =
  'LoqXcYV8q5ONbJQxbmR7SCTNo3tiAXDfowyjxAjEuX0.9jg46WB3rR_AHD-EBXdN7cBkH1WOu0tA3M9fm21mqTI';

describe('challengeTypesOf', () => {
  test.each([
    ['a name', { type: 'dns', value: 'a.test', wildcard: false }, ['http-01', 'dns-01', 'tls-alpn-01']],
    ['a wildcard', { type: 'dns', value: 'a.test', wildcard: true }, ['dns-01']],
    ['an address (RFC 8738 §7)', { type: 'ip', value: '::1', wildcard: false }, ['http-01', 'tls-alpn-01']],
  ] as const)('%s', (_, identifier, expected) => {
    expect(challengeTypesOf(identifier)).toEqual(expected);
  });
});

describe('isHttp01Answer', () => {
  test.each([
    ['exactly', keyAuthorization, true],
    ['with a line break at its end', `${keyAuthorization}\r\n`, true],
    ['with blanks at its end', `${keyAuthorization}  \t`, true],
    ['with a blank in front', ` ${keyAuthorization}`, false],
    ['with more behind', `${keyAuthorization}\nmore`, false],
    ['the token alone', keyAuthorization.split('.')[0] ?? '', false],
    ['nothing', '', false],
  ])('%s', (_, body, expected) => {
    expect(isHttp01Answer(body, keyAuthorization)).toBe(expected);
  });
});

test('returns the place and the content of the proof', () => {
  expect(http01Path('t0k-en')).toBe('/.well-known/acme-challenge/t0k-en');
  expect(dns01Name('www.example.test')).toBe('_acme-challenge.www.example.test');
  const value = dns01Value(keyAuthorization);
  expect(value).toMatch(/^[\w-]{43}$/);
  expect(acmeIdentifierValue(keyAuthorization).toString('hex')).toBe(
    `0420${Buffer.from(value, 'base64url').toString('hex')}`,
  );
});

describe('tlsAlpn01ServerName (RFC 8738 §6)', () => {
  test.each([
    ['dns', 'www.example.test', 'www.example.test'],
    ['ip', '192.0.2.1', '1.2.0.192.in-addr.arpa'],
    ['ip', '2001:db8::1', '1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa'],
  ] as const)('%s %s', (type, value, expected) => {
    expect(tlsAlpn01ServerName({ type, value })).toBe(expected);
  });
});
