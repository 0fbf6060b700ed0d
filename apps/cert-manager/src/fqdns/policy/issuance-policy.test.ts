import type { AllowedNames } from '@certloop/contracts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type AskedNames, type PolicyRules, rulesOf } from './issuance-policy.js';

const nothing: AllowedNames = { names: [], suffixes: [], wildcards: false, cidrs: [], beyondFqdn: false };
const example: AllowedNames = { ...nothing, suffixes: ['example.com'] };

function rules(allowedNames: AllowedNames | null, providerIds: string[] | null = null): PolicyRules {
  return rulesOf({ allowedNames, providerIds });
}

const noNames: AskedNames = {
  commonNames: [],
  dnsNames: [],
  ipAddresses: [],
  emailAddresses: [],
  uris: [],
  otherNames: [],
};

describe('names of FQDNs', () => {
  test.each<[situation: string, name: string, change: Partial<AllowedNames>, isAllowed: boolean]>([
    ['the suffix itself', 'example.com', {}, true],
    ['a name below it', 'www.example.com', {}, true],
    ['a name far below it', 'a.b.c.d.example.com', {}, true],
    ['a name that only ends in the same letters', 'notexample.com', {}, false],
    ['a name that only begins with the suffix', 'example.com.evil.test', {}, false],
    ['the suffix with a hyphen before it', 'my-example.com', {}, false],
    ['the domain above the suffix', 'com', {}, false],
    ['another domain', 'example.org', {}, false],
    ['a single label as suffix', 'vault.internal', { suffixes: ['internal'] }, true],
    ['that single label', 'internal', { suffixes: ['internal'] }, true],
    ['an A-label below the suffix', 'xn--mnchen-3ya.example.com', {}, true],
    ['a suffix that is an A-label', 'www.xn--mnchen-3ya.de', { suffixes: ['xn--mnchen-3ya.de'] }, true],
    ['an exact name', 'www.shop.test', { names: ['www.shop.test'] }, true],
    ['a name below an exact name', 'a.www.shop.test', { names: ['www.shop.test'] }, false],
    ['the domain above an exact name', 'shop.test', { names: ['www.shop.test'] }, false],
    ['a wildcard without wildcards', '*.example.com', {}, false],
    ['a wildcard of the suffix', '*.example.com', { wildcards: true }, true],
    ['a wildcard below the suffix', '*.a.example.com', { wildcards: true }, true],
    ['a wildcard above the suffix', '*.com', { wildcards: true }, false],
    ['a wildcard elsewhere', '*.example.org', { wildcards: true }, false],
    ['a wildcard whose base only ends alike', '*.notexample.com', { wildcards: true }, false],
    ['a wildcard of an exact name', '*.shop.test', { names: ['shop.test'], wildcards: true }, false],
    ['an exact wildcard', '*.shop.test', { names: ['*.shop.test'], wildcards: true }, true],
    [
      'a name that an exact wildcard stands for',
      'a.shop.test',
      { names: ['*.shop.test'], wildcards: true },
      false,
    ],
    ['any name where nothing is allowed', 'example.com', { suffixes: [] }, false],
  ])('%s', (_, name, change, isAllowed) => {
    const refusal = rules({ ...example, ...change }).refusalOfFqdn(name);
    expect(refusal?.code).toBe(isAllowed ? undefined : 'name_not_allowed');
    expect(refusal?.path).toBe(isAllowed ? undefined : 'fqdn');
  });

  test('allows every name without a policy, and without allowedNames', () => {
    for (const providerIds of [null, []]) {
      expect(rules(null, providerIds).refusalOfFqdn('any.test')).toBeUndefined();
      expect(rules(null, providerIds).refusalsOfCsr({ ...noNames, uris: ['x:y'] }, 'any.test')).toEqual([]);
    }
    expect(rules(null).isOpen).toBe(true);
    expect(rules(nothing).isOpen).toBe(false);
    expect(rules(null, []).isOpen).toBe(false);
  });
});

describe('names of CSRs for www.example.com', () => {
  const beyond = { beyondFqdn: true };
  test.each<
    [situation: string, asked: Partial<AskedNames>, change: Partial<AllowedNames>, refused: string[]]
  >([
    ['the FQDN alone', { dnsNames: ['www.example.com'] }, {}, []],
    ['the FQDN in capitals with a final dot', { dnsNames: ['WWW.Example.COM.'] }, {}, []],
    ['the FQDN as common name alone', { commonNames: ['www.example.com'] }, {}, []],
    ['the domain above it', { dnsNames: ['www.example.com', 'example.com'] }, {}, ['csr.dnsNames[1]']],
    ['its wildcard instead', { dnsNames: ['*.example.com'] }, { wildcards: true }, ['csr.dnsNames[0]']],
    [
      'its wildcard in addition to it',
      { dnsNames: ['www.example.com', '*.example.com'] },
      { wildcards: true },
      ['csr.dnsNames[1]'],
    ],
    ['www. before it', { dnsNames: ['www.example.com', 'www.www.example.com'] }, {}, ['csr.dnsNames[1]']],
    ['another allowed name beyond the FQDN', { dnsNames: ['a.example.com'] }, beyond, []],
    [
      'another name that is not allowed',
      { dnsNames: ['www.example.com', 'login.bank.test'] },
      beyond,
      ['csr.dnsNames[1]'],
    ],
    ['a wildcard beyond the FQDN', { dnsNames: ['*.example.com'] }, { ...beyond, wildcards: true }, []],
    ['a wildcard without wildcards', { dnsNames: ['*.example.com'] }, beyond, ['csr.dnsNames[0]']],
    ['an international name below the suffix', { dnsNames: ['münchen.example.com'] }, beyond, []],
    ['an invalid A-label', { dnsNames: ['xn--a.example.com'] }, beyond, ['csr.dnsNames[0]']],
    ['a name with an underscore', { dnsNames: ['_x.example.com'] }, beyond, ['csr.dnsNames[0]']],
    ['an empty name', { dnsNames: [''] }, beyond, ['csr.dnsNames[0]']],
    [
      'a wildcard within',
      { dnsNames: ['a.*.example.com'] },
      { ...beyond, wildcards: true },
      ['csr.dnsNames[0]'],
    ],
    [
      'a common name that is not allowed',
      { commonNames: ['vault.corp'], dnsNames: ['www.example.com'] },
      beyond,
      ['csr.subject'],
    ],
    ['a common name that is not a host name', { commonNames: ['Example Ltd'] }, beyond, ['csr.subject']],
    ['one of two common names', { commonNames: ['www.example.com', 'evil.test'] }, {}, ['csr.subject']],
    ['an address without ranges', { ipAddresses: ['10.0.0.1'] }, beyond, ['csr.ipAddresses[0]']],
    ['an address in a range', { ipAddresses: ['10.0.0.1'] }, { ...beyond, cidrs: ['10.0.0.0/8'] }, []],
    [
      'an address in a range, but beyond the FQDN',
      { ipAddresses: ['10.0.0.1'] },
      { cidrs: ['10.0.0.0/8'] },
      ['csr.ipAddresses[0]'],
    ],
    [
      'an address after a range',
      { ipAddresses: ['10.0.1.0'] },
      { ...beyond, cidrs: ['10.0.0.0/24'] },
      ['csr.ipAddresses[0]'],
    ],
    [
      'the last address of a range',
      { ipAddresses: ['10.0.0.255'] },
      { ...beyond, cidrs: ['10.0.0.0/24'] },
      [],
    ],
    [
      'an IPv6 address in a range',
      { ipAddresses: ['2001:db8::1'] },
      { ...beyond, cidrs: ['2001:db8::/32'] },
      [],
    ],
    [
      'an IPv6 address out of all ranges',
      { ipAddresses: ['2001:db9::1'] },
      { ...beyond, cidrs: ['2001:db8::/32'] },
      ['csr.ipAddresses[0]'],
    ],
    [
      'a mapped address in an IPv4 range',
      { ipAddresses: ['::ffff:10.0.0.1'] },
      { ...beyond, cidrs: ['10.0.0.0/8'] },
      [],
    ],
    [
      'a mapped address in all of IPv6',
      { ipAddresses: ['::ffff:10.0.0.1'] },
      { ...beyond, cidrs: ['::/0'] },
      ['csr.ipAddresses[0]'],
    ],
    [
      'an IPv6 address in all of IPv4',
      { ipAddresses: ['::1'] },
      { ...beyond, cidrs: ['0.0.0.0/0'] },
      ['csr.ipAddresses[0]'],
    ],
    ['an address as common name', { commonNames: ['10.0.0.1'] }, { ...beyond, cidrs: ['10.0.0.0/8'] }, []],
    [
      'an address as DNS name',
      { dnsNames: ['10.0.0.1'] },
      { ...beyond, cidrs: ['10.0.0.0/8'] },
      ['csr.dnsNames[0]'],
    ],
    ['a URI', { uris: ['https://www.example.com/'] }, beyond, ['csr.uris[0]']],
    ['a mail address', { emailAddresses: ['a@example.com'] }, beyond, ['csr.emailAddresses[0]']],
    ['a name of another kind', { otherNames: ['otherName:1.2.3'] }, beyond, ['csr.otherNames[0]']],
  ])('%s', (_, asked, change, refused) => {
    const found = rules({ ...example, ...change }).refusalsOfCsr({ ...noNames, ...asked }, 'www.example.com');
    expect(found.map(({ path }) => path)).toEqual(refused);
  });

  test('allows for a wildcard FQDN that wildcard alone', () => {
    const own = rules({ ...example, wildcards: true });
    const paths = (dnsNames: string[]) =>
      own.refusalsOfCsr({ ...noNames, dnsNames }, '*.example.com').map(({ path }) => path);
    expect(paths(['*.example.com'])).toEqual([]);
    expect(paths(['*.example.com', 'example.com'])).toEqual(['csr.dnsNames[1]']);
  });

  test('names the name and the rule', () => {
    const [beside] = rules(example).refusalsOfCsr({ ...noNames, dnsNames: ['a.test'] }, 'www.example.com');
    expect(beside?.message).toBe(
      'a.test is not allowed: allowedNames.beyondFqdn is false, so a CSR may have no other name than www.example.com',
    );
    const suffixes = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((label) => `${label}.test`);
    expect(rules({ ...nothing, suffixes }).refusalOfFqdn('x.example')?.message).toBe(
      'x.example is not allowed: it is not among allowedNames.names and not at or below a suffix of allowedNames.suffixes (a.test, b.test, c.test, d.test, e.test and 2 more)',
    );
  });

  test('limits the length of the message about a CSR with very many and very long names', () => {
    const dnsNames = Array.from({ length: 5000 }, () => `${'x'.repeat(5000)}\u0000\n`);
    const found = rules(example).refusalsOfCsr({ ...noNames, dnsNames }, 'www.example.com');
    expect(found).toHaveLength(100);
    for (const { name, message } of found) {
      expect(name.length).toBeLessThanOrEqual(253);
      expect(message).toMatch(/^[^\p{C}]*$/u);
    }
  });
});

describe('providers', () => {
  const [one, other] = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'];
  test.each<[string, string[] | null, boolean]>([
    ['no list', null, true],
    ['listed', [other ?? '', one ?? ''], true],
    ['not listed', [other ?? ''], false],
    ['an empty list', [], false],
  ])('%s', (_, ids, isAllowed) => {
    const refusal = rules(null, ids).refusalOfProvider({ id: one ?? '', name: 'dummy-ca' });
    expect(refusal?.code).toBe(isAllowed ? undefined : 'provider_not_allowed');
  });
});

describe('every name', () => {
  const label = fc.stringMatching(/^[a-z][a-z0-9]{0,5}$/);
  const name = fc.array(label, { minLength: 1, maxLength: 5 }).map((labels) => labels.join('.'));

  test('is allowed exactly where the labels of a suffix are its last ones', () => {
    fc.assert(
      fc.property(name, fc.array(name, { maxLength: 4 }), (host, suffixes) => {
        const isBelow = suffixes.some((suffix) => {
          const last = host.split('.').slice(-suffix.split('.').length);
          return last.join('.') === suffix;
        });
        expect(rules({ ...nothing, suffixes }).refusalOfFqdn(host) === undefined).toBe(isBelow);
      }),
    );
  });

  test('gets the same decision in capitals, with a final dot and as U-labels', () => {
    fc.assert(
      fc.property(name, fc.constantFrom('bücher', '商店', 'straße', ''), (host, unicode) => {
        const asked = unicode === '' ? host : `${unicode}.${host}`;
        const spellings = [asked, asked.toUpperCase().replace('STRASSE', 'straße'), `${asked}.`];
        const open = rules({ ...nothing, suffixes: [host], beyondFqdn: true });
        const shut = rules({ ...nothing, suffixes: [`x.${host}`], beyondFqdn: true });
        for (const spelling of spellings) {
          const dnsNames = [spelling];
          expect(open.refusalsOfCsr({ ...noNames, dnsNames }, host)).toEqual([]);
          expect(shut.refusalsOfCsr({ ...noNames, dnsNames }, host)).toHaveLength(1);
        }
      }),
    );
  });

  test('other than the FQDN is rejected unless the policy allows additional names', () => {
    fc.assert(
      fc.property(name, name, (host, asked) => {
        const strict = rules({ ...nothing, suffixes: [host, asked] });
        const refused = strict.refusalsOfCsr({ ...noNames, dnsNames: [asked] }, host).length;
        expect(refused).toBe(asked === host ? 0 : 1);
      }),
    );
  });
});
