import type { Certificate } from '@certloop/crypto';
import { expect, test } from 'vitest';
import { primaryName } from './found-certificate.js';
import { findSuperseded, type NameThere, planImport, skipReason } from './import-plan.js';

const now = new Date('2026-11-28T12:00:00Z');
const leafOf = (notBefore: string, notAfter = '2027-02-01', serialNumber = '0a') =>
  ({ notBefore: new Date(notBefore), notAfter: new Date(notAfter), serialNumber }) as Certificate;
const leaf = leafOf('2026-11-01');

test.each([
  ['a certificate in use', 'a.test', leaf, undefined],
  [
    'one without a host name',
    undefined,
    leaf,
    'it has no DNS name in subjectAltName, and an FQDN is a DNS name',
  ],
  ['an expired one', 'a.test', leafOf('2026-01-01', '2026-11-28T12:00:00Z'), 'it expired on 2026-11-28'],
  ['one of tomorrow', 'a.test', leafOf('2026-11-29'), 'it is valid only from 2026-11-29'],
  ['one of a clock that is ahead', 'a.test', leafOf('2026-11-28T12:59:00Z'), undefined],
])('decides on %s', (_what, fqdn, certificate, reason) => {
  expect(skipReason({ fqdn, leaf: certificate }, now)).toBe(reason);
});

const newestOf = (notBefore: string, serialNumber: string) =>
  ({ notBefore: `${notBefore}T00:00:00.000Z`, serialNumber }) as NonNullable<NameThere['newest']>;
const exists = { verdict: 'exists', fqdnId: 'f' } as const;

test.each<[string, NameThere, object]>([
  ['a new name', { review: { verdict: 'new' } }, { action: 'create' }],
  [
    'a name that may not be added',
    { review: { verdict: 'refused', message: 'no' } },
    { action: 'fail', reason: 'no' },
  ],
  ['an FQDN without a certificate', { review: exists }, { action: 'import', fqdnId: 'f' }],
  [
    'the same certificate',
    { review: exists, newest: newestOf('2026-11-01', '0a') },
    { action: 'there', fqdnId: 'f' },
  ],
  [
    'an older one',
    { review: exists, newest: newestOf('2026-10-31', '0b') },
    { action: 'import', fqdnId: 'f' },
  ],
  [
    'a newer one',
    { review: exists, newest: newestOf('2026-11-02', '0b') },
    { action: 'skip', fqdnId: 'f', reason: 'the FQDN has a newer one, valid from 2026-11-02' },
  ],
  [
    'another one of the same moment',
    { review: exists, newest: newestOf('2026-11-01', '0b') },
    { action: 'skip', fqdnId: 'f', reason: 'the FQDN has a newer one, valid from 2026-11-01' },
  ],
])('plans for %s', (_what, there, plan) => {
  expect(planImport({ leaf }, there)).toEqual(plan);
});

test('imports the newest of several certificates of a name', () => {
  const found = [
    { fqdn: 'a.test', path: 'rsa', sha256: '1', pem: 'L', leaf: leafOf('2026-10-01') },
    { fqdn: 'a.test', path: 'cert', sha256: '2', pem: 'L', leaf: leafOf('2026-11-01') },
    { fqdn: 'a.test', path: 'fullchain', sha256: '2', pem: 'L+I', leaf: leafOf('2026-11-01') },
    { fqdn: 'b.test', path: 'b', sha256: '3', pem: 'L', leaf: leafOf('2026-10-01') },
  ];
  const reasons = findSuperseded(found);
  expect(found.map((one) => reasons.get(one))).toEqual([
    'a newer one is in fullchain',
    'it is the same as in fullchain',
    undefined,
    undefined,
  ]);
});

test.each([
  [['shop.test'], ['www.shop.test', 'shop.test'], 'shop.test'],
  [['shop.test-0001', 'SHOP.test'], ['www.shop.test', 'shop.test'], 'shop.test'],
  [['*.shop.test'], ['shop.test', '*.shop.test'], '*.shop.test'],
  [['alias'], ['*.shop.test', 'shop.test'], '*.shop.test'],
  [['alias'], [], undefined],
])('takes of the names %j of a tool and %j of its certificate %s', (known, hosts, name) => {
  expect(primaryName(known, hosts)).toBe(name);
});
