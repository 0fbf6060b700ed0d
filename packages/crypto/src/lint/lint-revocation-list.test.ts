import { beforeAll, describe, expect, test } from 'vitest';
import { createIssuer, type Issuer } from '../certificates/issuer.js';
import { createRoot } from '../certificates/root.js';
import {
  createRevocationList,
  encodeRevocation,
  type RevocationListRequest,
} from '../revocation/revocation-list.js';
import { lintRevocationList } from './lint-revocation-list.js';

const start = new Date('2026-01-01T00:00:00Z');
const end = new Date('2027-01-01T00:00:00Z');
const makeIssuer = async (commonName: string) =>
  createIssuer(
    await createRoot({
      keyKind: 'P-256',
      subject: { commonName },
      notBefore: start,
      notAfter: end,
      serialNumber: 1n,
    }),
  );

const valid: RevocationListRequest = { number: 1n, thisUpdate: start, nextUpdate: end, entries: [] };
const entry = encodeRevocation({ serialNumber: '0a', revokedAt: start, reason: 'superseded' });

let issuer: Issuer;
let other: Issuer;
beforeAll(async () => {
  issuer = await makeIssuer('One');
  other = await makeIssuer('Other');
});

describe('lintRevocationList', () => {
  test.each<[string, Partial<RevocationListRequest>, RegExp | undefined]>([
    ['no entries', {}, undefined],
    ['an entry', { entries: [entry] }, undefined],
    ['an entry twice', { entries: [entry, entry] }, /listed twice/],
    ['no time', { nextUpdate: start }, /nextUpdate is not after/],
    ['a number of 21 octets', { number: 2n ** 160n }, /longer than 20 octets/],
  ])('%s', async (_, traits, fault) => {
    const der = await createRevocationList(issuer, { ...valid, ...traits });
    const expected = fault === undefined ? [] : [expect.stringMatching(fault)];
    expect(lintRevocationList(der, issuer.certificate.der)).toEqual(expected);
  });

  test('a list of another issuer', async () => {
    const der = await createRevocationList(other, valid);
    expect(lintRevocationList(der, issuer.certificate.der)).toEqual([
      expect.stringMatching(/byte for byte/),
      expect.stringMatching(/key identifier/),
      expect.stringMatching(/signature of the issuer is wrong/),
    ]);
  });

  test('an input that is not a list', () => {
    expect(lintRevocationList(Buffer.of(0x30, 0), issuer.certificate.der)).toHaveLength(1);
  });
});
