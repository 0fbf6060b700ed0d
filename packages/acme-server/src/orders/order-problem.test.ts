import { describe, expect, test } from 'vitest';
import type { Authorization, Order } from '../records/records.js';
import { orderProblem } from './order-problem.js';

const now = new Date('2026-11-21T10:00:00Z');
const later = new Date('2026-11-21T11:00:00Z');
const urn = 'urn:ietf:params:acme:error:';

const order: Order = {
  id: 'order',
  accountId: 'account',
  identifiers: [],
  authorizationIds: [],
  expires: later,
  notBefore: undefined,
  notAfter: undefined,
  profile: 'classic',
  replaces: undefined,
  finalizedAt: undefined,
  availableAt: undefined,
  certificateId: undefined,
  problem: undefined,
};

function authorization(value: string, changes: Partial<Authorization> = {}): Authorization {
  return {
    id: value,
    accountId: 'account',
    identifier: { type: 'dns', value, wildcard: false },
    token: 'token',
    expires: later,
    deactivatedAt: undefined,
    challenges: [],
    isPreAuthorization: false,
    ...changes,
  };
}

const failed = (value: string) =>
  authorization(value, {
    challenges: [
      {
        type: 'http-01',
        startedAt: now,
        endedAt: now,
        problem: { type: `${urn}connection`, detail: 'refused', status: 400 },
        toldAt: undefined,
      },
    ],
  });

describe('orderProblem', () => {
  test('names each identifier that failed, and no other', () => {
    const wildcard = { type: 'dns', value: 'c.test', wildcard: true } as const;
    const authorizations = [
      failed('a.test'),
      authorization('b.test'),
      authorization('c.test', { identifier: wildcard, deactivatedAt: now }),
    ];
    expect(orderProblem(order, authorizations, now)).toEqual({
      type: `${urn}unauthorized`,
      detail: expect.any(String),
      status: 403,
      subproblems: [
        { type: `${urn}connection`, detail: 'refused', identifier: { type: 'dns', value: 'a.test' } },
        {
          type: `${urn}unauthorized`,
          detail: 'the authorization is deactivated',
          identifier: { type: 'dns', value: '*.c.test' },
        },
      ],
    });
  });

  test('names a deactivation, also when a challenge had failed', () => {
    const deactivated = { ...failed('a.test'), deactivatedAt: now };
    expect(orderProblem(order, [deactivated], now).subproblems).toMatchObject([
      { type: `${urn}unauthorized`, detail: 'the authorization is deactivated' },
    ]);
  });

  test('names the expiry of an order without other errors', () => {
    expect(orderProblem(order, [authorization('a.test')], now)).toMatchObject({
      detail: 'the order has ended',
    });
  });

  test('names the reason of a failed issuance first', () => {
    const problem = { type: `${urn}serverInternal`, detail: 'x', status: 500 };
    expect(orderProblem({ ...order, problem }, [failed('a.test')], now)).toBe(problem);
  });
});
