import { describe, expect, test } from 'vitest';
import { isInZone, nameServerText, readNameServer, readServerUrl, selfAndParents } from './name-server.js';

describe('readNameServer', () => {
  test.each([
    ['192.0.2.1', '192.0.2.1:53'],
    ['192.0.2.1:5353', '192.0.2.1:5353'],
    ['2001:db8::1', '[2001:db8::1]:53'],
    ['[2001:db8::1]', '[2001:db8::1]:53'],
    ['[2001:db8::1]:5353', '[2001:db8::1]:5353'],
  ])('%s is a server', (text, expected) => {
    const server = readNameServer(text);
    expect(server && nameServerText(server)).toBe(expected);
  });

  test.each([
    '',
    'ns.example.org',
    '192.0.2.1:0',
    '192.0.2.1:65536',
    '[192.0.2.1]',
    '192.0.2',
    '[::1',
    ':53',
    'fe80::1%eth0',
    '[fe80::1%eth0]:53',
  ])('rejects "%s"', (text) => {
    expect(readNameServer(text)).toBeUndefined();
  });
});

describe('readServerUrl', () => {
  test.each([
    ['dns://ns.example.org', 'ns.example.org', 53],
    ['dns://ns.example.org:5353', 'ns.example.org', 5353],
    ['dns://192.0.2.1:80', '192.0.2.1', 80],
    ['dns://[2001:db8::1]', '2001:db8::1', 53],
    ['dns://[2001:db8::1]:5353', '2001:db8::1', 5353],
  ])('%s is a server', (text, host, port) => {
    expect(readServerUrl(text)).toEqual({ host, port });
  });

  test.each([
    '',
    'ns.example.org',
    'http://ns.example.org',
    'dns://',
    'dns://ns.example.org/',
    'dns://user@ns.example.org',
    'dns://ns.example.org:0',
    'dns://ns.example.org:65536',
    'dns://ns.example.org:dns',
    'dns://2001:db8::1',
    'dns://[::1',
    'dns://192.0.2.1.1',
    'dns://256.0.2.1',
  ])('rejects "%s"', (text) => {
    expect(readServerUrl(text)).toBeUndefined();
  });
});

test.each([
  ['the zone itself', 'example.org', 'example.org', true],
  ['below it', 'a.b.example.org', 'example.org', true],
  ['above it', 'org', 'example.org', false],
  ['a name that only ends like it', 'bad-example.org', 'example.org', false],
])('decides whether a name is in a zone: %s', (_, name, zone, expected) => {
  expect(isInZone(name, zone)).toBe(expected);
});

test('lists a name before its parents, without the root', () => {
  expect(selfAndParents('a.b.org')).toEqual(['a.b.org', 'b.org', 'org']);
});
