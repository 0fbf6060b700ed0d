import { expect, test } from 'vitest';
import { certManagerContract } from '../cert-manager/index.js';
import { dummyCaContract } from '../dummy-ca/index.js';
import { allowedMethods } from './allowed-methods.js';

test.each([
  ['a collection', '/spaces', 'GET, HEAD, POST'],
  ['a slash at the end', '/spaces/', 'GET, HEAD, POST'],
  ['a parameter', '/spaces/5/fqdns', 'GET, HEAD, POST, DELETE'],
  ['an empty parameter', '/spaces//fqdns', undefined],
  ['a literal next to a parameter', '/spaces/5/fqdns/count', 'GET, HEAD, PUT, DELETE'],
  ['nothing', '/nothing', undefined],
  ['no path', '', undefined],
])('%s: %s → %s', (_, path, allow) => {
  expect(allowedMethods(certManagerContract, path)).toBe(allow);
});

test.each([
  ['/csr', 'POST'],
  ['/health', 'GET, HEAD'],
  ['/certificate/1', 'GET, HEAD'],
  ['/certificate/', undefined],
  ['/certificate/1/2', undefined],
  ['*', undefined],
])('of the CA: %s → %s', (path, allow) => {
  expect(allowedMethods(dummyCaContract, path)).toBe(allow);
});
