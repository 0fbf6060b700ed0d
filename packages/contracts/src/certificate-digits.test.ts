import { describe, expect, test } from 'vitest';
import {
  type CertificateSearch,
  certificateSearchOf,
  serialNumberIn,
  sha256In,
} from './certificate-digits.js';

const digest = '00ff'.repeat(16);
const withColons = digest.toUpperCase().replace(/(..)(?=.)/g, '$1:');

describe('a serial number', () => {
  test.each<[situation: string, text: string, serial: string | undefined]>([
    ['lower case stays', '0a1b2c', '0a1b2c'],
    ['upper case becomes lower case', '0A1B2C', '0a1b2c'],
    ['with colons', '0A:1B:2C', '0a1b2c'],
    ['with spaces', '0a 1b 2c', '0a1b2c'],
    ['with blanks around it', ' 0a1b2c\n', '0a1b2c'],
    ['with 0x', '0x1001', '1001'],
    ['of an odd number of digits', 'fff', '0fff'],
    ['of one digit', '1', '01'],
    ['with a sign octet', '00:E5:01', 'e501'],
    ['zero', '00', '00'],
    ['negative', '-80', '-80'],
    ['half an octet between colons', '0a:1', undefined],
    ['colons in the wrong place', '0a1:b2', undefined],
    ['a colon at the end', '0a:', undefined],
    ['a letter beyond f', '0g', undefined],
    ['full-width digits', '０a', undefined],
    ['empty', '', undefined],
    ['a minus alone', '-', undefined],
  ])('%s', (_, text, serial) => {
    expect(serialNumberIn(text)).toBe(serial);
  });
});

describe('a SHA-256 fingerprint', () => {
  test.each<[situation: string, text: string, sha256: string | undefined]>([
    ['lower case stays, with its zeros', digest, digest],
    ['upper case with colons', withColons, digest],
    ['with blanks around it', ` ${digest}\n`, digest],
    ['one digit short', digest.slice(1), undefined],
    ['one octet more', `${digest}00`, undefined],
    ['SHA-1', '00'.repeat(20), undefined],
    ['a letter beyond f', digest.replace('f', 'g'), undefined],
  ])('%s', (_, text, sha256) => {
    expect(sha256In(text)).toBe(sha256);
  });
});

describe('what someone copied', () => {
  test.each<[situation: string, text: string, search: CertificateSearch | undefined]>([
    ['a serial number', '0A:1B', { serialNumber: '0a1b' }],
    ['a serial number with its label', 'serial=0A1B', { serialNumber: '0a1b' }],
    ['a fingerprint', digest, { sha256: digest }],
    ['a fingerprint with its label', `sha256 Fingerprint=${withColons}`, { sha256: digest }],
    ['a serial number longer than any', '1'.repeat(63), undefined],
    ['a host name', 'www.example.org', undefined],
    ['an id', '0f8fad5b-d9cb-469f-a165-70867728950e', { id: '0f8fad5b-d9cb-469f-a165-70867728950e' }],
    [
      'an id in upper case',
      ' 0F8FAD5B-D9CB-469F-A165-70867728950E',
      { id: '0f8fad5b-d9cb-469f-a165-70867728950e' },
    ],
    ['an id without a digit', '0f8fad5b-d9cb-469f-a165-70867728950', undefined],
    ['a label alone', 'serial=', undefined],
  ])('%s', (_, text, search) => {
    expect(certificateSearchOf(text)).toEqual(search);
  });
});
