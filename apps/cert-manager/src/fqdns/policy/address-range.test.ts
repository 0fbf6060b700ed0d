import { formatIpAddress } from '@certloop/crypto';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isWithin, parseRange, plainOctets } from './address-range.js';

describe('ranges', () => {
  test.each<[text: string, normal: string | undefined]>([
    ['10.0.0.0/8', '10.0.0.0/8'],
    ['10.0.0.1/32', '10.0.0.1/32'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['2001:DB8:0:0::/32', '2001:db8::/32'],
    ['::/0', '::/0'],
    ['::1/128', '::1/128'],
    ['::ffff:10.0.0.0/104', '10.0.0.0/8'],
    ['::ffff:0:0/96', '0.0.0.0/0'],
    ['::ffff:0:0/95', undefined],
    ['10.0.0.1', undefined],
    ['10.0.0.1/8', undefined],
    ['2001:db8::1/32', undefined],
    ['10.0.0.0/33', undefined],
    ['::/129', undefined],
    ['10.0.0.0/08', undefined],
    ['10.0.0.0/-1', undefined],
    ['10.0.0.0/', undefined],
    ['10.0.0.0/8/8', undefined],
    ['10.0.0.0 /8', undefined],
    ['10.0.0/24', undefined],
    ['010.0.0.0/8', undefined],
    ['0x0a.0.0.0/8', undefined],
    ['fe80::%eth0/64', undefined],
    ['example.com/8', undefined],
    ['', undefined],
  ])('%s', (text, normal) => {
    const reading = parseRange(text);
    expect(reading.range === undefined ? undefined : reading.text).toBe(normal);
    if (normal === undefined) expect(reading.fault).toMatch(/^(must|has) /);
  });

  test.each([
    ['10.0.0.1', 'must have a prefix; for one address, write 10.0.0.1/32'],
    ['2001:db8::1', 'must have a prefix; for one address, write 2001:db8::1/128'],
    ['10.1.2.3/8', 'has bits set after its prefix; write 10.0.0.0/8 for the whole range'],
    ['10.0.0.0/33', 'must have a prefix of 0 to 32 bits'],
  ])('says how to write %s', (text, fault) => {
    expect(parseRange(text).fault).toBe(fault);
  });

  test('contain an address exactly if it has the prefix of the range', () => {
    const address = fc.oneof(
      fc.uint8Array({ minLength: 4, maxLength: 4 }),
      fc.uint8Array({ minLength: 16, maxLength: 16 }),
    );
    const bitsOf = (octets: Uint8Array) =>
      [...octets].map((octet) => octet.toString(2).padStart(8, '0')).join('');
    fc.assert(
      fc.property(address, address, fc.nat(128), (one, other, wanted) => {
        const [text, otherText] = [formatIpAddress(one) ?? '', formatIpAddress(other) ?? ''];
        const bits = Math.min(wanted, one.length * 8);
        const suggested = /write (\S+)/.exec(parseRange(`${text}/${bits}`).fault ?? '')?.[1];
        const { range } = parseRange(suggested ?? `${text}/${bits}`);
        if (range === undefined) throw new Error(`no range: ${text}/${bits}`);
        expect(isWithin(plainOctets(text) ?? one, range)).toBe(true);
        const isSame =
          one.length === other.length && bitsOf(one).slice(0, bits) === bitsOf(other).slice(0, bits);
        expect(isWithin(plainOctets(otherText) ?? other, range)).toBe(isSame);
      }),
    );
  });
});
