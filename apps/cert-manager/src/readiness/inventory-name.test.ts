import { expect, test } from 'vitest';
import { inventoryProvider, subjectOfIssuer } from './inventory-name.js';

const row = { id: 'p1', name: 'one', displayName: 'One', kind: 'acme' } as const;
const directoryUrl = 'https://acme-v02.api.letsencrypt.org/directory';

test.each([
  ['a public CA', { directoryUrl }, true, 'lets_encrypt'],
  ['a CA without rules of its own', { directoryUrl: 'https://acme.ca.example.dev/dir' }, true, undefined],
  ['Google', { directoryUrl: 'https://dv.acme-v02.api.pki.goog/directory' }, true, 'google'],
  ['a CA in a private network', { directoryUrl, allowPrivateNetwork: true }, false, 'lets_encrypt'],
  ['a CA with roots of its own', { directoryUrl, caBundlePem: 'PEM' }, false, 'lets_encrypt'],
  ['a CA with a name that is not public', { directoryUrl: 'https://ca.internal/dir' }, false, undefined],
  ['a CA at an address', { directoryUrl: 'https://192.0.2.1/dir' }, false, undefined],
  ['a CA at an IPv6 address', { directoryUrl: 'https://[2001:db8::1]/dir' }, false, undefined],
  ['a provider without a configuration', null, false, undefined],
])('%s', (_, config, isPublic, subject) => {
  expect(inventoryProvider({ ...row, config }, undefined)).toMatchObject({
    isPublic,
    subject,
    isManual: false,
  });
});

test('a CA that signs at once is a private one', () => {
  const config = { baseUrl: 'https://ca.example.dev' };
  expect(inventoryProvider({ ...row, kind: 'dummy-ca', config }, false).isPublic).toBe(false);
});

test('profile and proofs by people are read from the configuration', () => {
  const config = { directoryUrl, profile: 'tlsserver', challenge: { type: 'manual' } };
  expect(inventoryProvider({ ...row, config }, true)).toMatchObject({
    profile: 'tlsserver',
    isManual: true,
    givesAdvice: true,
  });
});

test.each([
  ["CN=R12,O=Let's Encrypt,C=US", 'lets_encrypt'],
  ["C=US, O=Let's Encrypt, CN=R12", 'lets_encrypt'],
  ["O=(STAGING) Let's Encrypt,CN=(STAGING) Mysterious Mulberry E8", 'lets_encrypt'],
  ['CN=WR1,O=Google Trust Services,C=US', 'google'],
  ['CN=GTS CA 1P5,O=Google Trust Services LLC,C=US', 'google'],
  ['CN=Sectigo RSA DV,O=Sectigo Limited,L=Salford,C=GB', 'sectigo'],
  ['CN=DigiCert Global G2,O=DigiCert Inc,C=US', 'digicert'],
  ["CN=O=Let's Encrypt fans", undefined],
  ["O=Let's Encrypt friends,CN=x", undefined],
  ['', undefined],
])('the issuer %s', (issuer, subject) => {
  expect(subjectOfIssuer(issuer)).toBe(subject);
});
