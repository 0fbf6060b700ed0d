import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { identifiersKeyOf, type LineageFacts, lineageOf, type OrderIdentifier } from './lineage.js';

const dns = (value: string): OrderIdentifier => ({ type: 'dns', value });
const identifiers = fc.array(
  fc.record({
    type: fc.constantFrom('dns' as const, 'ip' as const),
    value: fc.stringMatching(/^[a-z0-9.*:-]{1,12}$/),
  }),
  { minLength: 1, maxLength: 8 },
);

describe('identifiersKeyOf', () => {
  test('is the same for the same set in any order', () => {
    fc.assert(
      fc.property(identifiers, (some) => {
        const others = [...some.toReversed(), ...some.slice(0, 2)];
        expect(identifiersKeyOf(others)).toBe(identifiersKeyOf(some));
      }),
    );
  });

  test('is another one for another set', () => {
    const setOf = (some: readonly OrderIdentifier[]) =>
      [...new Set(some.map(({ type, value }) => `${type} ${value}`))].toSorted().join();
    fc.assert(
      fc.property(identifiers, identifiers, (some, others) => {
        expect(identifiersKeyOf(some) === identifiersKeyOf(others)).toBe(setOf(some) === setOf(others));
      }),
    );
  });

  test.each<[string, OrderIdentifier[], OrderIdentifier[]]>([
    ['a name and an address of the same text', [dns('::1')], [{ type: 'ip', value: '::1' }]],
    ['a name more', [dns('a.test')], [dns('a.test'), dns('b.test')]],
    ['a wildcard', [dns('a.test')], [dns('*.a.test')]],
  ])('is another one for %s', (_, some, others) => {
    expect(identifiersKeyOf(some)).not.toBe(identifiersKeyOf(others));
  });
});

describe('lineageOf', () => {
  const facts: LineageFacts = {
    clientId: 'client',
    accountId: 'account',
    identifiersKey: identifiersKeyOf([dns('www.example.com')]),
    keyKind: 'ECDSA',
  };

  test.each<[string, Partial<LineageFacts>]>([
    ['client', { clientId: 'other' }],
    ['account', { accountId: 'other' }],
    ['identifiers', { identifiersKey: identifiersKeyOf([dns('example.com')]) }],
    ['kind of key', { keyKind: 'RSA' }],
  ])('is another one for another %s', (_, other) => {
    expect(lineageOf(facts)).toMatch(/^[\da-f]{64}$/);
    expect(lineageOf({ ...facts, ...other })).not.toBe(lineageOf(facts));
  });
});
