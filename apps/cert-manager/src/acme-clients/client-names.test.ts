import type { AllowedNames, ClientNames } from '@certloop/contracts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { rulesOf } from '../fqdns/policy/issuance-policy.js';
import { type OrderedName, permitNames, requireNarrower } from './client-names.js';

const none = { names: [], suffixes: [], wildcards: false, cidrs: [] };
const openPolicy = rulesOf({ allowedNames: null, providerIds: null });

function policyOf(lists: Partial<AllowedNames>) {
  return rulesOf({ allowedNames: { ...none, beyondFqdn: true, ...lists }, providerIds: null });
}

function dns(...values: string[]): OrderedName[] {
  return values.map((value) => ({ type: 'dns', value }));
}

const ip = (value: string): OrderedName => ({ type: 'ip', value });

describe('names that a client may not have', () => {
  const lists = { ...none, names: ['one.test'], suffixes: ['example.com'], cidrs: ['10.0.0.0/8'] };
  const suffix = policyOf({ suffixes: ['b.example.com'], cidrs: ['10.1.0.0/16'] });

  test.each<[string, ClientNames | null, ReturnType<typeof rulesOf>, OrderedName[], string[]]>([
    [
      'its own, under an open policy',
      lists,
      openPolicy,
      dns('one.test', 'example.com', 'a.b.example.com'),
      [],
    ],
    ['in other spellings', lists, openPolicy, dns('ONE.test.', 'WWW.example.COM'), []],
    [
      'names beside its own',
      lists,
      openPolicy,
      dns('a.one.test', 'badexample.com'),
      ['a.one.test', 'badexample.com'],
    ],
    ['a wildcard without permission', lists, openPolicy, dns('*.example.com'), ['*.example.com']],
    ['a wildcard with permission', { ...lists, wildcards: true }, openPolicy, dns('*.example.com'), []],
    [
      'a wildcard that the policy lacks',
      { ...lists, wildcards: true },
      policyOf({ suffixes: ['example.com'] }),
      dns('*.example.com'),
      ['*.example.com'],
    ],
    ['addresses', lists, openPolicy, [...dns('one.test'), ip('10.1.2.3'), ip('11.1.2.3')], ['11.1.2.3']],
    [
      'what the policy does not allow',
      lists,
      suffix,
      [...dns('b.example.com', 'c.example.com'), ip('10.1.0.1'), ip('10.2.0.1')],
      ['c.example.com', '10.2.0.1'],
    ],
    [
      'what only the policy allows',
      { ...none, names: ['x.test'] },
      suffix,
      dns('b.example.com'),
      ['b.example.com'],
    ],
    ['none of its own, with a policy', null, suffix, dns('a.b.example.com', 'a.test'), ['a.test']],
    ['none of its own, under an open policy', null, openPolicy, dns('a.test'), ['a.test']],
    [
      'none of its own, under a policy on providers',
      null,
      rulesOf({ allowedNames: null, providerIds: [] }),
      dns('a.test'),
      ['a.test'],
    ],
    [
      'a second one where the policy allows the FQDN only',
      lists,
      policyOf({ suffixes: ['example.com'], beyondFqdn: false }),
      dns('a.example.com', 'b.example.com'),
      ['b.example.com'],
    ],
    [
      'the only one where the policy allows the FQDN only',
      lists,
      policyOf({ suffixes: ['example.com'], beyondFqdn: false }),
      dns('a.example.com'),
      [],
    ],
    ['what is no host name', lists, openPolicy, dns('a b.example.com', 'x_y'), ['a b.example.com', 'x_y']],
    ['nothing', lists, openPolicy, [], []],
  ])('%s', (_, names, policy, asked, refused) => {
    expect(permitNames({ names }, policy, asked)).toEqual(
      refused.map((value) => ({
        name: asked.find((one) => one.value === value),
        message: `this client may not have ${value}; administrators of its space can change that`,
      })),
    );
  });

  test('are shown in one line, however they are written', () => {
    const [refused] = permitNames({ names: none }, openPolicy, dns(`a\nb\u202e${'x'.repeat(500)}`));
    expect(refused?.message).toMatch(/^this client may not have \P{Cc}{1,260}; administrators of its space/u);
  });
});

const label = fc.constantFrom('a', 'b', 'www');
const hostname = fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => `${labels.join('.')}.test`);
const wildcard = hostname.map((name) => `*.${name}`);
const range = fc.constantFrom(
  '10.0.0.0/8',
  '10.1.0.0/16',
  '192.0.2.0/24',
  '2001:db8::/32',
  '2001:db8:1::/48',
);
const lists = fc.record({
  names: fc.uniqueArray(hostname, { maxLength: 3 }),
  suffixes: fc.uniqueArray(hostname, { maxLength: 2 }),
  wildcards: fc.boolean(),
  cidrs: fc.uniqueArray(range, { maxLength: 2 }),
});
const asked = fc.oneof(
  fc.oneof(hostname, wildcard).map((value): OrderedName => ({ type: 'dns', value })),
  fc.constantFrom('10.0.0.1', '10.1.0.1', '192.0.2.7', '2001:db8:1::1', '198.51.100.1').map(ip),
);

describe('for all clients and policies', () => {
  test('a client may have what both its lists and the policy allow, and nothing else', () => {
    fc.assert(
      fc.property(lists, lists, asked, (own, policy, name) => {
        const alone = (names: ClientNames) => permitNames({ names }, openPolicy, [name]).length === 0;
        const both = permitNames({ names: own }, policyOf(policy), [name]).length === 0;
        expect(both).toBe(alone(own) && alone(policy));
      }),
    );
  });

  test('lists that are accepted as narrower allow nothing that the policy refuses', () => {
    fc.assert(
      fc.property(lists, lists, asked, (own, policy, name) => {
        const isAccepted = isNarrower(own, policy);
        fc.pre(isAccepted);
        const isOwn = permitNames({ names: own }, openPolicy, [name]).length === 0;
        const isOfPolicy = permitNames({ names: policy }, openPolicy, [name]).length === 0;
        expect(!isOwn || isOfPolicy).toBe(true);
      }),
    );
  });

  test('the lists of the policy itself are accepted', () => {
    fc.assert(
      fc.property(lists, (own) => {
        expect(isNarrower(own, own)).toBe(true);
      }),
    );
  });
});

function isNarrower(own: ClientNames, policy: ClientNames): boolean {
  try {
    requireNarrower(own, { ...policy, beyondFqdn: true }, null);
    return true;
  } catch {
    return false;
  }
}
