import { buildCsr, generateKeyPair, type KeyKind } from '@certloop/crypto';
import { describe, expect, test } from 'vitest';
import { areSameIdentifiers, orderSubject } from './csr-rules.js';

type Wanted = Omit<Parameters<typeof buildCsr>[0], 'privateKey'> & { readonly kind?: KeyKind };

async function csrOf({ kind = 'P-256', ...request }: Wanted): Promise<string> {
  const { privateKey } = await generateKeyPair(kind);
  return (await buildCsr({ privateKey, ...request })).pem;
}

const dns = (value: string) => ({ type: 'dns', value });

describe('the names of an order', () => {
  test.each<[string, Wanted, object[]]>([
    ['are those of the CSR', { dnsNames: ['a.example', 'b.example'] }, [dns('a.example'), dns('b.example')]],
    ['are each there once, in lower case', { dnsNames: ['A.example', 'a.EXAMPLE'] }, [dns('a.example')]],
    [
      'are not doubled by the common name',
      { dnsNames: ['a.example'], subject: { commonName: 'A.example' } },
      [dns('a.example')],
    ],
    [
      'are the common name when there is no other',
      { subject: { commonName: 'a.example' } },
      [dns('a.example')],
    ],
    [
      'may be addresses',
      { dnsNames: ['a.example'], ipAddresses: ['192.0.2.1', '2001:db8::1'] },
      [dns('a.example'), { type: 'ip', value: '192.0.2.1' }, { type: 'ip', value: '2001:db8::1' }],
    ],
    ['may be wildcards', { dnsNames: ['*.a.example'] }, [dns('*.a.example')]],
  ])('%s', async (_, wanted, identifiers) => {
    expect(orderSubject(await csrOf(wanted)).identifiers).toEqual(identifiers);
  });

  test('pass the CSR on unchanged', async () => {
    const pem = await csrOf({ dnsNames: ['a.example'] });
    const der = Buffer.from(pem.replace(/-----[^-]+-----|\s/g, ''), 'base64');
    expect(orderSubject(pem).csrDer.equals(der)).toBe(true);
  });
});

describe('a CSR is refused before anything is ordered', () => {
  const names = Array.from({ length: 101 }, (_, index) => `n${index}.example`);
  test.each<[string, Wanted, RegExp]>([
    [
      'with a mail address',
      { dnsNames: ['a.example'], emailAddresses: ['a@a.example'] },
      /names a@a\.example/,
    ],
    ['with an address of a page', { dnsNames: ['a.example'], uris: ['https://a.example/'] }, /names https:/],
    [
      'with a common name that is not a DNS name of the CSR',
      { dnsNames: ['a.example'], subject: { commonName: 'b.example' } },
      /common name b\.example is not among its names/,
    ],
    ['with an address as common name', { subject: { commonName: '192.0.2.1' } }, /common name is an address/],
    ['without a name', { subject: { organization: 'A' } }, /has no name/],
    ['with more than 100 names', { dnsNames: names }, /101 names/],
    ['with a key on P-521', { dnsNames: ['a.example'], kind: 'P-521' }, /key is on P-521/],
    ['with an Ed25519 key', { dnsNames: ['a.example'], kind: 'Ed25519' }, /key is of the kind Ed25519/],
  ])('%s', async (_, wanted, message) => {
    const pem = await csrOf(wanted);
    expect(() => orderSubject(pem)).toThrow(message);
  });
});

test.each([
  ['the order does not count', ['a', 'b'], ['b', 'a'], true],
  ['case does not count', ['A'], ['a'], true],
  ['one more is another set', ['a'], ['a', 'b'], false],
  ['another name is another set', ['a'], ['b'], false],
])('sets of names: %s', (_, one, other, expected) => {
  expect(areSameIdentifiers(one.map(dns), other.map(dns))).toBe(expected);
});
