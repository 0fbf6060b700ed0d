import { InvalidInput } from '@certloop/contracts';
import { describe, expect, test } from 'vitest';
import { decodeCsrText } from './csr-text.js';

const text = 'a CSR as long as this, and then some more of it to fill two lines of Base64';
const valid = Buffer.from(text).toString('base64');
const lines = (width: number, end: string) => valid.replace(new RegExp(`.{${width}}`, 'g'), `$&${end}`);

describe('decodeCsrText', () => {
  test.each([
    ['one line', valid],
    ['lines of 76, as coreutils writes them', lines(76, '\n')],
    ['lines of 64, as OpenSSL writes them', lines(64, '\n')],
    ['lines that end with CRLF', lines(64, '\r\n')],
    ['a line break at the end', `${valid}\n`],
  ])('reads %s', (_, given) => {
    expect(decodeCsrText(given).toString()).toBe(text);
  });

  test.each([
    ['two octets padded', 'YWI=', 'ab'],
    ['one octet padded twice', 'YQ==', 'a'],
    ['no padding', 'YWJj', 'abc'],
    ['signs + and /', '+/+/', Buffer.from([0xfb, 0xff, 0xbf]).toString('latin1')],
  ])('reads %s', (_, given, expected) => {
    expect(decodeCsrText(given).toString('latin1')).toBe(expected);
  });

  test.each([
    ['nothing', ''],
    ['only a line break', '\n'],
    ['a sign outside the alphabet', 'YW!j'],
    ['the alphabet of URLs', '-_-_'],
    ['missing padding', 'YWI'],
    ['half of the padding', 'YQ='],
    ['too much padding', 'YWI=='],
    ['padding in the middle', 'YQ==YWJj'],
    ['only padding', '===='],
    ['spare bits that are not zero', 'YWJ='],
    ['spare bits that are not zero, two signs', 'YR=='],
    ['one sign alone', 'Y'],
    ['a blank within', 'YW Jj'],
    ['a blank at the end', 'YWJj '],
    ['a tab', 'YWJj\t'],
    ['a carriage return alone', 'YW\rJj'],
    ['a NUL', 'YWJj\0'],
    ['letters beyond ASCII', 'YWJjä'],
    ['signs whose low octet would be a letter', '\u0159\u0157\u014a\u016a'],
    ['PEM itself', '-----BEGIN CERTIFICATE REQUEST-----\nYWJj\n-----END CERTIFICATE REQUEST-----\n'],
    ['a data address', `data:text/plain;base64,${valid}`],
  ])('refuses %s', (_, given) => {
    expect(() => decodeCsrText(given)).toThrow(InvalidInput);
  });

  test('names the member', () => {
    expect(() => decodeCsrText('!')).toThrow(/^csr /);
  });
});
