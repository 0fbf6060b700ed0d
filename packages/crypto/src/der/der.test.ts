import { InvalidInput } from '@certloop/contracts';
import { cpuMsOf, excessMs } from '@certloop/contracts/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { contextPrimitive, parseDer, tag } from './der.js';
import { decodeInteger, decodeNamedBits, decodeOid } from './der-values.js';
import {
  encode,
  encodeInteger,
  encodeNamedBits,
  encodeOid,
  encodeSequence,
  encodeSetOf,
} from './der-writer.js';

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');

describe('bytes that are not DER', () => {
  test.each([
    ['nothing', '', 'ends too early'],
    ['a tag alone', '30', 'ends too early'],
    ['content that is cut', '30 02 05', 'ends too early'],
    ['a child longer than its parent', '30 02 04 01', 'ends too early'],
    ['an octet after the end', '05 00 00', 'octets follow'],
    ['an indefinite length', '30 80 05 00 00 00', 'indefinite'],
    ['a length that would fit one octet', '04 81 01 00', 'not minimal'],
    ['a length with a leading zero', `04 82 00 80 ${'00'.repeat(128)}`, 'not minimal'],
    ['a length of five octets', '04 85 01 00 00 00 00', 'ends too early'],
    ['a length without its octets', '04 82 01', 'ends too early'],
    ['a tag number above 30', '1f 1f 00', 'tag number'],
    ['an end-of-contents octet', '30 02 00 00', 'end-of-contents'],
    ['a constructed string', '24 04 04 02 00 00', 'primitive type is constructed'],
    ['a primitive SEQUENCE', '10 00', 'SEQUENCE or SET is primitive'],
    ['an INTEGER without content', '02 00', 'INTEGER'],
    ['an INTEGER with a leading zero', '02 02 00 7f', 'INTEGER'],
    ['an INTEGER with leading ones', '02 02 ff 80', 'INTEGER'],
    ['a BOOLEAN of 1', '01 01 01', 'BOOLEAN'],
    ['a BOOLEAN of two octets', '01 02 ff ff', 'BOOLEAN'],
    ['a NULL with content', '05 01 00', 'NULL'],
    ['a BIT STRING without content', '03 00', 'BIT STRING'],
    ['a BIT STRING of 8 unused bits', '03 02 08 00', 'BIT STRING'],
    ['an empty BIT STRING with unused bits', '03 01 01', 'BIT STRING'],
    ['a BIT STRING with dirty padding', '03 02 01 01', 'BIT STRING'],
    ['an OBJECT IDENTIFIER without content', '06 00', 'OBJECT IDENTIFIER'],
    ['an OBJECT IDENTIFIER with a padded arc', '06 03 55 80 01', 'OBJECT IDENTIFIER'],
    ['an OBJECT IDENTIFIER that is cut', '06 02 55 81', 'OBJECT IDENTIFIER'],
    ['an OBJECT IDENTIFIER with a giant arc', `06 15 2a ${'81'.repeat(19)} 01`, 'OBJECT IDENTIFIER'],
  ])('%s', (_, text, reason) => {
    expect(() => parseDer(hex(text), 'input')).toThrow(InvalidInput);
    expect(() => parseDer(hex(text), 'input')).toThrow(reason);
  });
});

test('elements contain their original bytes', () => {
  const element = parseDer(hex('30 07 02 01 05 80 02 61 62'), 'input');
  const [number, text] = element.children;
  expect(number?.raw).toEqual(hex('02 01 05'));
  expect(text?.tag).toBe(contextPrimitive(0));
  expect(text?.content.toString()).toBe('ab');
});

describe('bounds on cost', () => {
  function nest(depth: number): Buffer {
    let der = encodeSequence();
    for (let level = 0; level < depth; level += 1) der = encodeSequence(der);
    return der;
  }

  test('reads 32 levels, and rejects one more', () => {
    expect(parseDer(nest(32), 'input').children).toHaveLength(1);
    expect(() => parseDer(nest(33), 'input')).toThrow('nested more than 32 deep');
  });

  test('reads 10,000 elements, and rejects one more', () => {
    const list = (length: number): Buffer => encode(tag.sequence, Buffer.from('0500'.repeat(length), 'hex'));
    expect(parseDer(list(9_999), 'input').children).toHaveLength(9_999);
    expect(() => parseDer(list(10_000), 'input')).toThrow('more than 10000 elements');
  });

  test.each([
    ['a depth bomb', nest(15_000)],
    ['a list of many empty elements', encodeSequence(Buffer.from('0500'.repeat(32_000), 'hex'))],
    ['an enormous number', encode(tag.integer, Buffer.alloc(64_000, 0x7f))],
  ])('%s of 64 KiB takes less than 50 calibrated ms', async (_, der) => {
    const read = (): void => {
      try {
        parseDer(der, 'input');
      } catch (error) {
        expect(error).toBeInstanceOf(InvalidInput);
      }
    };
    expect(await excessMs(50, () => cpuMsOf(read))).toBeUndefined();
  });
});

describe('reads back what it writes', () => {
  test('integers', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 200n), max: 2n ** 200n }), (value) => {
        expect(decodeInteger(parseDer(encodeInteger(value), 'input'), 'a number')).toBe(value);
      }),
    );
  });

  test.each([
    '0.0',
    '1.39.1',
    '2.5.4.3',
    '2.999.1',
    '1.2.840.113549.1.1.11',
    '2.25.340282366920938463463374607431768211455',
  ])('object identifier %s', (dotted) => {
    expect(decodeOid(parseDer(encodeOid(dotted), 'input'), 'a type')).toBe(dotted);
  });

  test.each(['', '1', '3.1', '1.40', '1.02', '1.2.', 'a.b'])('"%s" is not an object identifier', (dotted) => {
    expect(() => encodeOid(dotted)).toThrow(InvalidInput);
  });

  test('named bits, without trailing zero bits', () => {
    expect(encodeNamedBits([0, 2])).toEqual(hex('03 02 05 a0'));
    expect(encodeNamedBits([8])).toEqual(hex('03 03 07 00 80'));
    expect(encodeNamedBits([])).toEqual(hex('03 01 00'));
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(31)), (bits) => {
        const read = decodeNamedBits(parseDer(encodeNamedBits(bits), 'input'), 'bits');
        expect(read).toEqual(bits.sort((a, b) => a - b));
      }),
    );
  });

  test.each([0, 127, 128, 255, 256, 65_535, 65_536])('content of %d bytes', (length) => {
    const der = encode(tag.octetString, Buffer.alloc(length, 1));
    expect(parseDer(der, 'input').content).toHaveLength(length);
  });

  test('sorts a SET OF', () => {
    expect(encodeSetOf(hex('02 01 05'), hex('02 01 01'))).toEqual(hex('31 06 02 01 01 02 01 05'));
  });
});

test('throws only InvalidInput for any bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (octets) => {
      try {
        const element = parseDer(Buffer.from(octets), 'input');
        expect(element.end).toBe(octets.length);
      } catch (error) {
        expect(error).toBeInstanceOf(InvalidInput);
      }
    }),
    { numRuns: 2000 },
  );
});
