import { describe, expect, test } from 'vitest';
import type { Identifier } from '../records/identifiers.js';
import { authorizationStatus, judgeOrder } from '../records/order-status.js';
import { derivedAuthorizationIds, derivedAuthorizations, orderIdOf } from './derived-authorizations.js';

const at = (hour: number) => new Date(Date.UTC(2026, 10, 28, hour));
const identifiers: Identifier[] = [
  { type: 'dns', value: 'www.a.test' },
  { type: 'dns', value: '*.a.test' },
  { type: 'ip', value: '192.0.2.1' },
];
const order = { id: '0b9a-7', accountId: 'account', identifiers, expires: at(12) };
const authorizations = derivedAuthorizations(order, at(8));

describe('derivedAuthorizations', () => {
  test('has one for each identifier, under the ids that the order lists', () => {
    expect(authorizations.map(({ id }) => id)).toEqual(derivedAuthorizationIds('0b9a-7', identifiers));
    expect(authorizations.map(({ identifier }) => identifier)).toEqual([
      { type: 'dns', value: 'www.a.test', wildcard: false },
      { type: 'dns', value: 'a.test', wildcard: true },
      { type: 'ip', value: '192.0.2.1', wildcard: false },
    ]);
  });

  test('shows each challenge that its identifier may have', () => {
    expect(authorizations.map(({ challenges }) => challenges.map(({ type }) => type))).toEqual([
      ['http-01', 'dns-01', 'tls-alpn-01'],
      ['dns-01'],
      ['http-01', 'tls-alpn-01'],
    ]);
  });

  test.each([
    ['valid from the beginning', 8, 'valid', 'ready'],
    ['valid until the order ends', 11, 'valid', 'ready'],
    ['expired with the order', 12, 'expired', 'invalid'],
  ])('is %s', (_, hour, status, ofOrder) => {
    const statuses = authorizations.map((each) => authorizationStatus(each, at(hour)));
    expect(new Set(statuses)).toEqual(new Set([status]));
    const facts = { finalizedAt: undefined, availableAt: undefined, problem: undefined };
    const stored = {
      ...order,
      ...facts,
      authorizationIds: [],
      replaces: undefined,
      certificateId: undefined,
    };
    expect(judgeOrder(stored, authorizations, at(hour))).toBe(ofOrder);
  });
});

test.each([
  ['0b9a-7-0', '0b9a-7'],
  ['0b9a-7-99', '0b9a-7'],
  ['0b9a', undefined],
  ['-1', undefined],
  ['', undefined],
])('orderIdOf %j is %j', (id, expected) => {
  expect(orderIdOf(id)).toBe(expected);
});
