import { certManagerContract } from '@certloop/contracts';
import { expect, test } from 'vitest';
import { anonymousCaller, type Caller, nilUuid } from './caller.js';
import { type Operation, requireNeed, routeNeeds } from './route-needs.js';

const operations = Object.keys(certManagerContract) as Operation[];

test('every operation has exactly one permission requirement', () => {
  expect(Object.keys(routeNeeds).toSorted()).toEqual(operations.toSorted());
});

test.each(operations)('%s is public exactly if the contract says so', (operation) => {
  const endpoint: object = certManagerContract[operation];
  expect(['anonymous', 'before-setup'].includes(String(routeNeeds[operation]))).toBe('public' in endpoint);
});

test.each(operations.filter((operation) => typeof routeNeeds[operation] === 'object'))(
  '%s names a parameter of its path',
  (operation) => {
    const need = routeNeeds[operation];
    expect(certManagerContract[operation].path).toContain(`{${typeof need === 'object' ? need.param : ''}}`);
  },
);

test.each(operations)('%s is refused to an ACME client', (operation) => {
  const origin = { requestId: 'r', ipAddress: '10.0.0.7', userAgent: 'certbot/2.1' };
  const caller: Caller = { ...anonymousCaller(origin), kind: 'acmeClient', username: 'acme:web-7' };
  const params = { id: nilUuid, spaceId: nilUuid };
  expect(() => requireNeed(caller, routeNeeds[operation], params)).toThrow('may use nothing else');
});
