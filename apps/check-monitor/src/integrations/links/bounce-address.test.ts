import { expect, test } from 'vitest';
import { bounceAddress, deliveryOf } from './bounce-address.js';

const deliveryId = '62e13f6b-a7b9-4926-9c3d-0000000000ab';
const secret = 'a secret for tests only';
const [mailbox = '', domain] = bounceAddress({ domain: 'b.example', secret }, deliveryId).split('@');

test('contains its delivery within the length of a mailbox', () => {
  expect([domain, mailbox.length <= 64]).toEqual(['b.example', true]);
  expect(deliveryOf(secret, mailbox)).toBe(deliveryId);
  expect(deliveryOf(secret, mailbox.toUpperCase())).toBe(deliveryId);
});

test.each([
  ['another delivery', mailbox.replace('ab.', 'ac.')],
  ['another signature', `${mailbox.slice(0, -1)}${mailbox.endsWith('0') ? '1' : '0'}`],
  ['a longer one', `${mailbox}0`],
  ['no signature', `n.${deliveryId}`],
  ['the words of people', 'ada'],
  ['nothing', ''],
])('%s is rejected', (_situation, other) => {
  expect(deliveryOf(secret, other)).toBeUndefined();
});

test('an address signed with another secret is rejected', () => {
  expect(deliveryOf('another secret of theirs', mailbox)).toBeUndefined();
});
