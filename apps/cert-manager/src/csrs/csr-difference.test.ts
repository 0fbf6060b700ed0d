import { expect, test } from 'vitest';
import { csrDifference } from './csr-difference.js';

const csr = (names: Readonly<Record<string, readonly string[]>>, spkiSha256 = 'key') => ({
  csrPem: '',
  spkiSha256,
  description: JSON.stringify({
    commonNames: [],
    dnsNames: [],
    ipAddresses: [],
    emailAddresses: [],
    uris: [],
    otherNames: [],
    ...names,
  }),
});
const stored = csr({ commonNames: ['a.test'], dnsNames: ['a.test', 'b.test'] });

test.each([
  ['the same', stored, { key: false, names: false }],
  ['another key', csr({ dnsNames: ['a.test', 'b.test'] }, 'other'), { key: true, names: false }],
  ['another order and case', csr({ dnsNames: ['B.test', 'a.test'] }), { key: false, names: false }],
  ['a name more', csr({ dnsNames: ['a.test', 'b.test', 'c.test'] }), { key: false, names: true }],
  ['a name less', csr({ dnsNames: ['a.test'] }), { key: false, names: true }],
  [
    'an address more',
    csr({ dnsNames: ['a.test', 'b.test'], ipAddresses: ['::1'] }),
    { key: false, names: true },
  ],
])('compares key and names: %s', (_situation, other, expected) => {
  expect(csrDifference(other, stored)).toEqual(expected);
});
