import { expect, test } from 'vitest';
import { chainStateOf, renewalOwnerOf } from './renewal-owner.js';

test.each([
  [true, false, null, 'certloop'],
  [true, true, 'served', 'certloop'],
  [true, false, 'certbot', 'certloop'],
  [false, false, 'certbot', 'acme_client'],
  [false, true, 'dehydrated', 'acme_client'],
  [false, true, 'served', 'elsewhere'],
  [false, false, 'served', 'none'],
  [false, true, 'pem', 'none'],
  [false, true, null, 'none'],
] as const)(
  'with renewal %s, adopting %s, source %s: %s renews it',
  (renewalEnabled, isAdopting, source, owner) => {
    expect(renewalOwnerOf({ renewalEnabled, isAdopting, source })).toBe(owner);
  },
);

test.each([
  ['renews', true, 'acme_client'],
  ['renews', false, 'acme_client'],
  ['gone', true, 'none'],
  ['gone', false, 'none'],
  [null, true, 'certloop'],
] as const)('with a client that %s and renewal %s: %s renews it', (client, renewalEnabled, owner) => {
  expect(renewalOwnerOf({ renewalEnabled, isAdopting: false, source: null, client })).toBe(owner);
});

const found = {
  providerId: null,
  importedAt: new Date(),
  source: 'served' as const,
  leafSha256: 'leaf',
  authoritySha256: 'authority',
  keyKind: 'RSA 2048',
};

test.each([
  ['was sent with its issuer', found, 'complete'],
  ['was sent alone', { ...found, authoritySha256: null }, 'incomplete'],
  ['is its own issuer', { ...found, authoritySha256: 'leaf' }, 'self_signed'],
  ['has not been read', { ...found, authoritySha256: null, keyKind: null }, undefined],
  ['was issued by a root here', { ...found, providerId: 'p', authoritySha256: null }, 'complete'],
  [
    'was issued by a provider that was deleted',
    { ...found, importedAt: null, source: null, authoritySha256: null },
    'complete',
  ],
])('the chain of one that %s is %s', (_, certificate, state) => {
  expect(chainStateOf(certificate)).toBe(state);
});
