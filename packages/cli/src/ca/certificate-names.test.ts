import { expect, test } from 'vitest';
import { certificateNames } from './issue-for-tests.js';

test.each([
  [['A.test', 'a.test'], { dnsNames: ['a.test'], ipAddresses: [], fileName: 'a.test' }],
  [['*.a.test', '127.0.0.1'], { dnsNames: ['*.a.test'], ipAddresses: ['127.0.0.1'], fileName: '_.a.test' }],
  [['::1', 'localhost'], { dnsNames: ['localhost'], ipAddresses: ['::1'], fileName: '__1' }],
])('separates host names from addresses in %j', (names, expected) => {
  expect(certificateNames(names)).toEqual(expected);
});

test.each([
  '',
  'a b',
  'a..test',
  '-a.test',
  'a.*.test',
  '../key',
  'zoë.test',
  'a/b',
  `${'a.'.repeat(127)}test`,
])('refuses %j', (name) => {
  expect(() => certificateNames(['a.test', name])).toThrow(
    'is neither a host name in ASCII nor an IP address',
  );
});
