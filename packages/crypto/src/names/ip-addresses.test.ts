import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { expect, test } from 'vitest';
import { formatIpAddress, parseIpAddress } from './ip-addresses.js';

test.each([
  ['10.0.0.255', '0a0000ff'],
  ['::', '00000000000000000000000000000000'],
  ['::1', '00000000000000000000000000000001'],
  ['2001:db8::1', '20010db8000000000000000000000001'],
  ['2001:db8:0:1:1:1:1:1', '20010db8000000010001000100010001'],
  ['2001:0:0:1::1', '20010000000000010000000000000001'],
  ['2001:db8::1:0:0:1', '20010db8000000000001000000000001'],
  ['1:2:3:4:5:6:7:8', '00010002000300040005000600070008'],
  ['1::', '00010000000000000000000000000000'],
  ['::ffff:192.0.2.1', '00000000000000000000ffffc0000201'],
])('%s as RFC 5952 text and as bytes', (text, hex) => {
  expect(formatIpAddress(Buffer.from(hex, 'hex'))).toBe(text);
  expect(parseIpAddress(text)?.toString('hex')).toBe(hex);
});

test.each([0, 3, 5, 8, 15, 17, 32])('%d bytes are not an address', (length) => {
  expect(formatIpAddress(Buffer.alloc(length))).toBeUndefined();
});

test.each(['', '1.2.3', '256.1.1.1', 'a.test', '1::2::3', 'fe80::1%eth0', '[::1]', '::1/64'])(
  '"%s" is not an address',
  (text) => {
    expect(parseIpAddress(text)).toBeUndefined();
  },
);

test.each(['0x7f.1', '127.1', '2130706433', '010.0.0.1', '::ffff:01.2.3.4'])(
  '"%s" is not an address, although ipaddr.js reads one',
  (text) => {
    expect(ipaddr.isValid(text)).toBe(true);
    expect(parseIpAddress(text)).toBeUndefined();
  },
);

test.each([
  ['::ffff:1.2.3.4', '00000000000000000000ffff01020304'],
  ['1:2:3:4:5:6:1.2.3.4', '00010002000300040005000601020304'],
  ['2001:DB8:0:0:0:0:0:1', '20010db8000000000000000000000001'],
])('reads the bytes of "%s"', (text, hex) => {
  expect(parseIpAddress(text)?.toString('hex')).toBe(hex);
});

test('reads back every address from its text', () => {
  const octets = fc.oneof(
    fc.uint8Array({ minLength: 4, maxLength: 4 }),
    fc.uint8Array({ minLength: 16, maxLength: 16 }),
    fc
      .array(fc.constantFrom(0, 0, 0, 1), { minLength: 16, maxLength: 16 })
      .map((list) => Uint8Array.from(list)),
  );
  fc.assert(
    fc.property(octets, (address) => {
      expect(parseIpAddress(formatIpAddress(address) ?? '')).toEqual(Buffer.from(address));
    }),
  );
});
