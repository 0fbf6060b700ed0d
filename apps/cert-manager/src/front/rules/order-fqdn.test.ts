import { describe, expect, test } from 'vitest';
import type { OrderIdentifier } from './lineage.js';
import { chooseFqdn, type KnownFqdn, type OrderedNames } from './order-fqdn.js';

const dns = (value: string): OrderIdentifier => ({ type: 'dns', value });
const fqdn = (name: string, isHeldByPeople = false): KnownFqdn => ({ id: name, fqdn: name, isHeldByPeople });
const knownOf = (...some: KnownFqdn[]) => new Map(some.map((one) => [one.fqdn, one]));
const both = { createFqdns: true, mayTakeOver: true };
const none = { createFqdns: false, mayTakeOver: false };
const plain = { createFqdns: true, mayTakeOver: false };
const names = [dns('a.test'), dns('b.test'), dns('c.test')];
const address: OrderIdentifier = { type: 'ip', value: '192.0.2.1' };

describe('the FQDN of an order', () => {
  test.each<[string, Partial<OrderedNames>, object]>([
    ['is the first name', {}, { kind: 'new', name: 'a.test' }],
    [
      'is the first name after an address',
      { identifiers: [address, dns('b.test')] },
      { kind: 'new', name: 'b.test' },
    ],
    ['is the first known one', { known: knownOf(fqdn('c.test'), fqdn('b.test')) }, existing('b.test')],
    [
      'is that of the certificate before',
      { former: fqdn('c.test'), known: knownOf(fqdn('a.test'), fqdn('c.test')) },
      existing('c.test'),
    ],
    [
      'is a known one although none may be created',
      { client: none, known: knownOf(fqdn('a.test')) },
      existing('a.test'),
    ],
    ['is refused if it would be new', { client: none }, { kind: 'refused', name: 'a.test' }],
    [
      'is refused if people work on it, although the next one is free',
      { known: knownOf(fqdn('a.test', true), fqdn('b.test')) },
      { kind: 'refused', name: 'a.test' },
    ],
    ['is taken over', { client: both, known: knownOf(fqdn('a.test', true)) }, existing('a.test', true)],
    [
      'stays that of the certificate before, once it was taken over',
      { former: fqdn('a.test', true), known: knownOf(fqdn('a.test', true)) },
      existing('a.test', true),
    ],
  ])('%s', (_, change, expected) => {
    const order = { identifiers: names, former: undefined, known: knownOf(), client: plain, ...change };
    expect(chooseFqdn(order)).toEqual(expected);
  });
});

function existing(name: string, isHeldByPeople = false) {
  return { kind: 'existing', fqdn: fqdn(name, isHeldByPeople) };
}
