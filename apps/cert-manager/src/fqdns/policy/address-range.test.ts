import { cpuMsOf, excessMs } from '@certloop/contracts/testing';
import { formatIpAddress } from '@certloop/crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type AddressRange, createRangeLookup, isWithin, parseRange, plainOctets } from './address-range.js';

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

test('looks an address up with the verdict of a comparison with each range', () => {
  const octet = fc.constantFrom(0, 1, 128, 255);
  const address = fc
    .constantFrom(4, 16)
    .chain((size) => fc.array(octet, { minLength: size, maxLength: size }));
  const range = fc.tuple(address, fc.nat(128)).map(([all, length]): AddressRange => {
    const bits = Math.min(length, all.length * 8);
    const octets = all.map((value, place) => value & (0xff00 >> Math.min(8, Math.max(0, bits - place * 8))));
    return { octets: Uint8Array.from(octets), bits };
  });
  fc.assert(
    fc.property(fc.array(range, { maxLength: 6 }), address, (ranges, all) => {
      const octets = Uint8Array.from(all);
      expect(createRangeLookup(ranges)(octets)).toBe(ranges.some((each) => isWithin(octets, each)));
    }),
    { numRuns: 1000 },
  );
});

test('looks 4,000 addresses up among 200 ranges within 50 ms of CPU', async () => {
  const hasAddress = createRangeLookup(Array.from({ length: 200 }, (_, n) => parsed(`10.255.${n}.0/24`)));
  const addresses = Array.from({ length: 4000 }, (_, n) => Uint8Array.of(10, 1, n >> 8, n & 255));
  const lookUp = () => expect(addresses.some(hasAddress)).toBe(false);
  expect(await excessMs(50, () => cpuMsOf(lookUp))).toBeUndefined();
});

function parsed(text: string): AddressRange {
  const { range } = parseRange(text);
  if (range === undefined) throw new RangeError(`no range: ${text}`);
  return range;
}
