import { expect, test } from 'vitest';
import { ipKey, ipKeyRange } from './ip-range.js';

test.each([
  ['192.0.2.1', '00000000000000000000ffffc0000201'],
  ['::ffff:192.0.2.1', '00000000000000000000ffffc0000201'],
  ['2001:db8::1', '20010db8000000000000000000000001'],
  ['', ''],
  ['nowhere', ''],
])('the key of %j', (address, key) => {
  expect(ipKey(address)).toBe(key);
});

test.each([
  ['192.0.2.77', '192.0.2.77', '192.0.2.77'],
  ['192.0.2.77/24', '192.0.2.0', '192.0.2.255'],
  ['10.0.0.0/8', '10.0.0.0', '10.255.255.255'],
  ['0.0.0.0/0', '0.0.0.0', '255.255.255.255'],
  ['2001:db8::/32', '2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['::/0', '::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
])('the range of %s', (range, first, last) => {
  expect(ipKeyRange(range)).toEqual({ first: ipKey(first), last: ipKey(last) });
});
