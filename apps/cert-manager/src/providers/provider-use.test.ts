import { describe, expect, test } from 'vitest';
import { type ProviderUse, useSentence } from './provider-use.js';

const fqdns = (count: number, ...names: string[]): ProviderUse => ({
  one: 'FQDN that names it',
  several: 'FQDNs that name it',
  count,
  names,
  remedy: 'delete those FQDNs',
});
const requests: ProviderUse = {
  one: 'open request',
  several: 'open requests',
  count: 1,
  names: ['c.test'],
  remedy: 'wait for the requests',
};

describe('the sentence about what uses a provider', () => {
  test.each([
    [
      'one thing',
      [fqdns(1, 'a.test')],
      '1 FQDN that names it (a.test); delete those FQDNs, or disable the provider',
    ],
    [
      'several of one sort',
      [fqdns(2, 'a.test', 'b.test')],
      '2 FQDNs that name it (a.test, b.test); delete those FQDNs, or disable the provider',
    ],
    [
      'more than are named',
      [fqdns(12, 'a.test', 'b.test')],
      '12 FQDNs that name it (a.test, b.test, 10 more); delete those FQDNs, or disable the provider',
    ],
    [
      'two sorts',
      [fqdns(1, 'a.test'), requests],
      '1 FQDN that names it (a.test) and 1 open request (c.test); delete those FQDNs and wait for the requests, or disable the provider',
    ],
    [
      'one remedy of two sorts, once',
      [requests, { ...requests, one: 'order', count: 1, names: ['d.test'] }],
      '1 open request (c.test) and 1 order (d.test); wait for the requests, or disable the provider',
    ],
  ])('names %s', (_, uses, sentence) => {
    expect(useSentence(uses)).toBe(sentence);
  });
});
