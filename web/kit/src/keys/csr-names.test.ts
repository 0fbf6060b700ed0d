import { expect, test } from '@jest/globals';
import { csrNames } from './csr-names.js';

// openssl req -new … -subj "/O=Example/CN=WWW.example.org"
//   -addext "subjectAltName=DNS:www.example.org,DNS:*.example.org,IP:192.0.2.1"
const pem = `-----BEGIN CERTIFICATE REQUEST-----
MIIBKTCB0AIBADAsMRAwDgYDVQQKDAdFeGFtcGxlMRgwFgYDVQQDDA9XV1cuZXhh
bXBsZS5vcmcwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQE+fiXLSVM/g94KAAA
tYKXXrBBx7xcnbG5gB4b4d+QuRB6zVQKXwuvjJZJuxqo/lroABhpYQbhSo/tjSqh
buI1oEIwQAYJKoZIhvcNAQkOMTMwMTAvBgNVHREEKDAmgg93d3cuZXhhbXBsZS5v
cmeCDSouZXhhbXBsZS5vcmeHBMAAAgEwCgYIKoZIzj0EAwIDSAAwRQIhAO75LTNJ
271zitHRH0fOX2JvCF0rheZBEk7OHLiCbUSpAiA2ri4WlaiBRenHJ7H18Wpe96qU
6ZhGLdsYRYvCuA0BYA==
-----END CERTIFICATE REQUEST-----
`;
const der = Buffer.from(pem.replace(/-----[^-]+-----|\s/g, ''), 'base64');
const bytes = (text: string) => new TextEncoder().encode(text);

test.each([
  ['PEM', bytes(pem), ['www.example.org', '*.example.org']],
  ['DER', new Uint8Array(der), ['www.example.org', '*.example.org']],
  ['a CSR that is cut off', new Uint8Array(der.subarray(0, 40)), []],
  ['another text', bytes('www.example.org'), []],
  ['PEM that is no base64', bytes(pem.replace(/MII/, 'M=I')), []],
  ['nothing', new Uint8Array(), []],
  ['lengths without end', new Uint8Array(100).fill(0xff), []],
])('reads from %s the names that it asks for', (_what, file, names) => {
  expect(csrNames(file)).toEqual(names);
});
