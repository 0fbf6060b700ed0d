import { expect, test } from 'vitest';
import { storeFolders, trustStoreOf } from './trust-store.js';

const { debian, redHat } = storeFolders;

test.each([
  ['Debian', 'linux', debian, '/', `${debian}/certloop-dummy-ca.crt`, 'update-ca-certificates'],
  ['Red Hat', 'linux', redHat, '/', `${redHat}/certloop-dummy-ca.pem`, 'update-ca-trust extract'],
  [
    'an image of Debian',
    'linux',
    `/image${debian}`,
    '/image',
    `/image${debian}/certloop-dummy-ca.crt`,
    `update-ca-certificates --localcertsdir /image${debian} --etccertsdir /image/etc/ssl/certs --hooksdir /image/etc/ca-certificates/update.d`,
  ],
  [
    'an image of Red Hat',
    'linux',
    `/image${redHat}`,
    '/image',
    `/image${redHat}/certloop-dummy-ca.pem`,
    'chroot /image update-ca-trust extract',
  ],
  [
    'macOS',
    'darwin',
    '',
    '/',
    '/Library/Application Support/CertLoop/certloop-dummy-ca.pem',
    'security add-trusted-cert -d -r trustRoot -k /Library/Keychains/System.keychain /Library/Application Support/CertLoop/certloop-dummy-ca.pem',
  ],
] as const)('knows the store of %s', (_, platform, folder, below, file, command) => {
  const store = trustStoreOf(platform, (each) => each === folder, below);
  expect([store?.file, store?.afterInstall.join(' ')]).toEqual([file, command]);
});

test.each(['linux', 'win32', 'freebsd'] as const)('knows none of %s without their folders', (platform) => {
  expect(trustStoreOf(platform, () => false)).toBeUndefined();
});
