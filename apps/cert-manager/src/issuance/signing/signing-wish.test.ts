import { expect, test } from '@jest/globals';
import { type SigningWish, wishName } from './signing-wish.js';

const wish: SigningWish = { purpose: 'sign', fqdnId: 'f', csrId: 'c', newestId: 'n' };

test('the same wish has the same name, a word that fits into a header', () => {
  expect(wishName({ ...wish })).toBe(wishName({ ...wish, place: 0 }));
  expect(wishName(wish)).toMatch(/^[\w-]{43}$/);
});

test.each<[string, Partial<SigningWish>]>([
  ['to be renewed instead of signed', { purpose: 'renew' }],
  ['for another FQDN', { fqdnId: 'g' }],
  ['for another CSR', { csrId: 'd' }],
  ['after a certificate was stored', { newestId: 'o' }],
  ['for the first certificate', { newestId: undefined }],
  ['beside one that is under way', { place: 1 }],
])('a wish %s has another name', (_, change) => {
  expect(wishName({ ...wish, ...change })).not.toBe(wishName(wish));
});
