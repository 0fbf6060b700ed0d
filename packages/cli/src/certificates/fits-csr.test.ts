import { expect, test } from 'vitest';
import { fitsCsr } from './fits-csr.js';

const names = (...dnsNames: string[]) => ({
  dnsNames,
  ipAddresses: [],
  emailAddresses: [],
  uris: [],
  directoryNames: [],
  otherNames: [],
});
const [key, otherKey] = [Buffer.from('key'), Buffer.from('other')];
const certificate = {
  spkiDer: key,
  subjectAltNames: names('a.test', 'b.test'),
  notBefore: new Date('2026-01-01T00:00:00Z'),
  notAfter: new Date('2026-04-01T00:00:00Z'),
};

test.each([
  [
    'the same key and names, before two thirds of its life',
    key,
    ['b.test', 'A.test'],
    '2026-03-01T23:59:59Z',
    undefined,
    true,
  ],
  ['at two thirds of its life', key, ['a.test', 'b.test'], '2026-03-02T00:00:00Z', undefined, false],
  [
    'before its planned renewal',
    key,
    ['a.test', 'b.test'],
    '2026-03-20T00:00:00Z',
    '2026-03-21T00:00:00Z',
    true,
  ],
  [
    'at its planned renewal',
    key,
    ['a.test', 'b.test'],
    '2026-03-21T00:00:00Z',
    '2026-03-21T00:00:00Z',
    false,
  ],
  [
    'after its end, whatever the plan',
    key,
    ['a.test', 'b.test'],
    '2026-04-01T00:00:00Z',
    '2026-05-01T00:00:00Z',
    false,
  ],
  ['another key', otherKey, ['a.test', 'b.test'], '2026-01-02T00:00:00Z', undefined, false],
  ['one name more', key, ['a.test', 'b.test', 'c.test'], '2026-01-02T00:00:00Z', undefined, false],
  ['one name less', key, ['a.test'], '2026-01-02T00:00:00Z', undefined, false],
  ['a CSR without alternative names', key, [], '2026-01-02T00:00:00Z', undefined, true],
])('%s', (_situation, spkiDer, dnsNames, now, renewAt, fits) => {
  const csr = { spkiDer, subjectAltNames: names(...dnsNames) };
  const moment = { now: new Date(now), renewAt: renewAt === undefined ? undefined : new Date(renewAt) };
  expect(fitsCsr(certificate, csr, moment)).toBe(fits);
});
