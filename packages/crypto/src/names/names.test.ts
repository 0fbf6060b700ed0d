import { InvalidInput } from '@certloop/contracts';
import { describe, expect, test } from 'vitest';
import { parseDer, tag } from '../der/der.js';
import { encode, encodeOid, encodeSequence, encodeSetOf } from '../der/der-writer.js';
import { encodeGeneralNames, parseGeneralNames } from './general-names.js';
import { describeName, encodeName, listCommonNames, parseName } from './names.js';

const attribute = (type: string, stringType: number, content: string | Buffer): Buffer =>
  encodeSequence(encodeOid(type), encode(stringType, Buffer.from(content)));
const nameOf = (...attributes: Buffer[]): Buffer =>
  encodeSequence(...attributes.map((part) => encodeSetOf(part)));
const commonName = (text: string): Buffer => nameOf(attribute('2.5.4.3', tag.utf8String, text));

describe('distinguished names as RFC 4514 text', () => {
  test.each([
    ['no name', encodeSequence(), ''],
    ['an empty part alone', encodeSequence(encodeSetOf()), ''],
    [
      'an empty part beside another',
      encodeSequence(encodeSetOf(), encodeSetOf(attribute('2.5.4.3', tag.utf8String, 'a'))),
      'CN=a',
    ],
    [
      'the last encoded part comes first',
      encodeName({ country: 'LV', organization: 'Oak', commonName: 'a.test' }),
      'CN=a.test,O=Oak,C=LV',
    ],
    [
      'several attributes of one part',
      encodeSequence(
        encodeSetOf(attribute('2.5.4.10', tag.utf8String, 'Oak'), attribute('2.5.4.3', tag.utf8String, 'a')),
      ),
      'CN=a+O=Oak',
    ],
    ['special characters', commonName('a,b+c"d\\e<f>g;h=i'), 'CN=a\\,b\\+c\\"d\\\\e\\<f\\>g\\;h=i'],
    ['a hash in front', commonName('#a#'), 'CN=\\#a#'],
    ['blanks at both ends', commonName('  a  '), 'CN=\\  a \\ '],
    ['a single blank', commonName(' '), 'CN=\\ '],
    ['NUL and newline', commonName('a\0b\n'), 'CN=a\\00b\\0a'],
    ['a character that reverses the text', commonName('a\u202eb'), 'CN=a\\e2\\80\\aeb'],
    ['letters beyond ASCII', commonName('Žagari 日本'), 'CN=Žagari 日本'],
    ['an empty value', commonName(''), 'CN='],
    ['an unknown type', nameOf(attribute('1.2.3.4', tag.utf8String, 'a')), '1.2.3.4=#0c0161'],
    ['a value that is not a string', nameOf(attribute('2.5.4.3', tag.integer, Buffer.of(5))), 'CN=#020105'],
    ['broken UTF-8', nameOf(attribute('2.5.4.3', tag.utf8String, Buffer.of(0xc3))), 'CN=#0c01c3'],
    [
      '8-bit octets in a PrintableString',
      nameOf(attribute('2.5.4.3', tag.printableString, Buffer.of(0xe9))),
      'CN=#1301e9',
    ],
    ['TeletexString as Latin-1', nameOf(attribute('2.5.4.3', tag.teletexString, Buffer.of(0xe9))), 'CN=é'],
    ['BMPString', nameOf(attribute('2.5.4.3', tag.bmpString, Buffer.from('017d0061', 'hex'))), 'CN=Ža'],
    ['BMPString of odd length', nameOf(attribute('2.5.4.3', tag.bmpString, Buffer.of(1))), 'CN=#1e0101'],
    [
      'half a surrogate pair',
      nameOf(attribute('2.5.4.3', tag.bmpString, Buffer.from('d800', 'hex'))),
      'CN=#1e02d800',
    ],
    [
      'UniversalString',
      nameOf(attribute('2.5.4.3', tag.universalString, Buffer.from('0001f600', 'hex'))),
      'CN=😀',
    ],
    [
      'an address of mail',
      nameOf(attribute('1.2.840.113549.1.9.1', tag.ia5String, 'a@b.test')),
      'emailAddress=a@b.test',
    ],
  ])('%s', (_, der, text) => {
    expect(describeName(der)).toBe(text);
  });

  test.each([
    ['a part that is not a SET', encodeSequence(encodeSequence())],
    ['an attribute without a value', encodeSequence(encodeSetOf(encodeSequence(encodeOid('2.5.4.3'))))],
    ['a SET at the top', encodeSetOf()],
    [
      'an attribute of three members',
      nameOf(encodeSequence(encodeOid('2.5.4.3'), encodeSequence(), encodeSequence())),
    ],
  ])('rejects %s', (_, der) => {
    expect(() => describeName(der)).toThrow(InvalidInput);
  });

  test('common names come in the order of the encoding', () => {
    const der = nameOf(attribute('2.5.4.3', tag.utf8String, 'a'), attribute('2.5.4.3', tag.utf8String, 'b'));
    expect(listCommonNames(parseName(parseDer(der, 'name')))).toEqual(['a', 'b']);
  });
});

describe('general names', () => {
  test('are sorted by kind', () => {
    const der = encodeSequence(
      encode(0x82, Buffer.from('a.test')),
      encode(0x81, Buffer.from('m@a.test')),
      encode(0x87, Buffer.of(10, 0, 0, 1)),
      encode(0x86, Buffer.from('https://a.test/')),
      encode(0xa4, commonName('dir')),
      encode(0xa0, encodeOid('1.2.3'), encode(0xa0, encode(tag.utf8String, Buffer.from('x')))),
      encode(0x88, Buffer.from('2a03', 'hex')),
      encode(0x82, Buffer.from('*.b.test')),
    );
    expect(parseGeneralNames(der)).toEqual({
      dnsNames: ['a.test', '*.b.test'],
      emailAddresses: ['m@a.test'],
      ipAddresses: ['10.0.0.1'],
      uris: ['https://a.test/'],
      directoryNames: ['CN=dir'],
      otherNames: ['otherName:1.2.3', 'registeredID:1.2.3'],
    });
  });

  test('reads back what it encodes', () => {
    const names = {
      dnsNames: ['a.test'],
      emailAddresses: ['m@a.test'],
      ipAddresses: ['::1'],
      uris: ['urn:x'],
    };
    expect(parseGeneralNames(encodeGeneralNames(names))).toMatchObject(names);
  });

  test.each([
    ['no name', encodeSequence()],
    ['a NUL in a host name', encodeSequence(encode(0x82, Buffer.from('a.test\0.evil.test')))],
    ['UTF-8 in a host name', encodeSequence(encode(0x82, Buffer.from('žagari.test')))],
    ['an address of 5 octets', encodeSequence(encode(0x87, Buffer.alloc(5)))],
    ['a kind that does not exist', encodeSequence(encode(0x89, Buffer.of(0)))],
    ['a host name as a constructed element', encodeSequence(encode(0xa2))],
    ['an otherName without a value', encodeSequence(encode(0xa0, encodeOid('1.2.3')))],
    ['an empty registered identifier', encodeSequence(encode(0x88))],
    ['no list', Buffer.from('0500', 'hex')],
  ])('rejects %s', (_, der) => {
    expect(() => parseGeneralNames(der)).toThrow(InvalidInput);
  });

  test.each([
    ['nothing', {}],
    ['a NUL', { dnsNames: ['a\0b'] }],
    ['an empty host name', { dnsNames: [''] }],
    ['an IDN that is not an A-label', { dnsNames: ['žagari.test'] }],
    ['no IP address', { ipAddresses: ['a.test'] }],
  ])('does not encode %s', (_, names) => {
    expect(() => encodeGeneralNames(names)).toThrow(InvalidInput);
  });
});
