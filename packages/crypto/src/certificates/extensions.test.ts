import { InvalidInput } from '@certloop/contracts';
import { describe, expect, test } from 'vitest';
import { parseDer } from '../der/der.js';
import {
  encodeBoolean,
  encodeInteger,
  encodeNamedBits,
  encodeOid,
  encodeSequence,
} from '../der/der-writer.js';
import { oid } from '../der/oids.js';
import { describeExtension, encodeExtension, parseExtensions } from './extensions.js';

const describeValue = (dotted: string, value: Buffer) =>
  describeExtension({ oid: dotted, critical: false, value });

describe('purposes', () => {
  test.each([
    [
      'keyUsage',
      oid.keyUsage,
      encodeNamedBits([0, 2, 8]),
      ['Digital Signature', 'Key Encipherment', 'Decipher Only'],
    ],
    ['an unknown usage', oid.keyUsage, encodeNamedBits([9]), ['Bit 9']],
    [
      'extended key usage',
      oid.extendedKeyUsage,
      encodeSequence(encodeOid('1.3.6.1.5.5.7.3.1'), encodeOid('1.2.3.4')),
      ['TLS Web Server Authentication', '1.2.3.4'],
    ],
    ['a leaf', oid.basicConstraints, encodeSequence(), ['End Entity']],
    ['a leaf that says so', oid.basicConstraints, encodeSequence(encodeBoolean(false)), ['End Entity']],
    ['an authority', oid.basicConstraints, encodeSequence(encodeBoolean(true)), ['Certificate Authority']],
    [
      'an authority with a bound',
      oid.basicConstraints,
      encodeSequence(encodeBoolean(true), encodeInteger(3n)),
      ['Certificate Authority', 'Path Length 3'],
    ],
    ['must-staple', oid.tlsFeature, encodeSequence(encodeInteger(5n)), ['OCSP Must-Staple (status_request)']],
    ['another TLS feature', oid.tlsFeature, encodeSequence(encodeInteger(99n)), ['TLS Extension 99']],
    ['Netscape type', oid.netscapeCertType, encodeNamedBits([1]), ['SSL Server']],
  ])('of %s', (_, dotted, value, purposes) => {
    expect(describeValue(dotted, value).purposes).toEqual(purposes);
  });
});

test('has every documented field, the value in lower-case hex', () => {
  expect(describeExtension({ oid: oid.keyUsage, critical: true, value: encodeNamedBits([0]) })).toEqual({
    id: '2.5.29.15',
    oid: '2.5.29.15',
    name: 'keyUsage',
    critical: true,
    value: '03020780',
    description: 'What the key may be used for',
    purposes: ['Digital Signature'],
  });
});

test('an unknown extension is described as unknown', () => {
  expect(describeValue('1.2.3.4.5', Buffer.of(0xab))).toMatchObject({
    name: '1.2.3.4.5',
    value: 'ab',
    description: 'Unknown extension',
    purposes: [],
  });
});

test.each([
  ['no DER', oid.keyUsage, Buffer.from('zz')],
  ['another type', oid.keyUsage, encodeSequence()],
  ['more bits than have names', oid.keyUsage, encodeNamedBits([5000])],
  [
    'leftovers',
    oid.basicConstraints,
    encodeSequence(encodeBoolean(true), encodeInteger(1n), encodeInteger(2n)),
  ],
  ['an empty value', oid.extendedKeyUsage, Buffer.alloc(0)],
])('reports a malformed value (%s)', (_, dotted, value) => {
  const described = describeValue(dotted, value);
  expect(described.description).toMatch(/ \(its value is malformed\)$/);
  expect(described.purposes).toEqual([]);
});

describe('lists of extensions', () => {
  const list = (...extensions: Buffer[]) => parseDer(encodeSequence(...extensions), 'input');
  const usage = { oid: oid.keyUsage, critical: true, value: Buffer.of(1) };

  test('reads back what it encodes', () => {
    const plain = { oid: '1.2.3', critical: false, value: Buffer.alloc(0) };
    expect(parseExtensions(list(encodeExtension(usage), encodeExtension(plain)))).toEqual([usage, plain]);
  });

  test('omits critical when it is false', () => {
    expect(encodeExtension({ ...usage, critical: false }).toString('hex')).toBe('30080603551d0f040101');
  });

  test('reads an explicit critical FALSE as false', () => {
    const written = Buffer.from('300b0603551d0f010100040101', 'hex');
    expect(parseExtensions(list(written))).toEqual([{ ...usage, critical: false }]);
  });

  test('rejects a duplicate extension', () => {
    expect(() => parseExtensions(list(encodeExtension(usage), encodeExtension(usage)))).toThrow(
      expect.objectContaining({ code: 'duplicate_extension' }),
    );
  });

  test('rejects an extension without a value', () => {
    expect(() => parseExtensions(list(encodeSequence(encodeOid('1.2.3'))))).toThrow(InvalidInput);
  });
});
