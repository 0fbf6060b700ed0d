import { expect, test } from 'vitest';
import { isAddressOf, isSameAddress } from './consent.js';

test.each([
  ['the same', 'ada@example.org', 'ada@example.org', true],
  ['a domain in capitals', 'ada@Example.ORG', 'ada@example.org', true],
  ['another mailbox by case', 'Ada@example.org', 'ada@example.org', false],
  ['another domain', 'ada@example.com', 'ada@example.org', false],
  ['a quoted at sign', '"A@B"@Example.org', '"A@B"@example.org', true],
  ['no address', undefined, 'ada@example.org', false],
])('%s', (_situation, one, other, isSame) => {
  expect(isSameAddress(one, other)).toBe(isSame);
  expect(isAddressOf('email', { address: one }, other)).toBe(isSame);
});
