import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { holdsPrivateKey } from './private-key.js';

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const rsa = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey;
const cipher = { cipher: 'aes-256-cbc', passphrase: 'secret' };
const bytesOf = (text: string | Uint8Array) =>
  typeof text === 'string' ? new TextEncoder().encode(text) : text;
const csr = '-----BEGIN CERTIFICATE REQUEST-----\nMIH1\n-----END CERTIFICATE REQUEST-----\n';

describe('a private key is recognised', () => {
  test.each<readonly [string, string | Uint8Array]>([
    ['PKCS#8 in PEM', privateKey.export({ type: 'pkcs8', format: 'pem' }) as string],
    ['PKCS#8 in DER', privateKey.export({ type: 'pkcs8', format: 'der' })],
    ['encrypted PKCS#8 in PEM', privateKey.export({ type: 'pkcs8', format: 'pem', ...cipher }) as string],
    ['encrypted PKCS#8 in DER', privateKey.export({ type: 'pkcs8', format: 'der', ...cipher })],
    ['SEC 1 in PEM', privateKey.export({ type: 'sec1', format: 'pem' }) as string],
    ['SEC 1 in DER', privateKey.export({ type: 'sec1', format: 'der' })],
    ['PKCS#1 in PEM', rsa.export({ type: 'pkcs1', format: 'pem' }) as string],
    ['PKCS#1 in DER', rsa.export({ type: 'pkcs1', format: 'der' })],
    ['JWK', JSON.stringify(privateKey.export({ format: 'jwk' }))],
    ['OpenSSH', '-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl\n-----END OPENSSH PRIVATE KEY-----'],
    ['PuTTY', 'PuTTY-User-Key-File-3: ssh-ed25519\n'],
    ['PGP', '-----BEGIN PGP PRIVATE KEY BLOCK-----\n'],
    ['behind a CSR in the same file', `${csr}${privateKey.export({ type: 'pkcs8', format: 'pem' })}`],
    ['PKCS#12', new Uint8Array([0x30, 0x82, 0x0a, 0x00, 0x02, 0x01, 0x03, 0x30])],
  ])('%s', (_, file) => {
    expect(holdsPrivateKey(bytesOf(file))).toBe(true);
  });
});

describe('anything else is not', () => {
  test.each<readonly [string, string | Uint8Array]>([
    ['a CSR in PEM', csr],
    // RFC 2986: the request info begins with the version
    ['a CSR in DER', new Uint8Array([0x30, 0x81, 0xf5, 0x30, 0x81, 0x9c, 0x02, 0x01, 0x00, 0x30])],
    // RFC 5280: the version is tagged
    ['a certificate in DER', new Uint8Array([0x30, 0x82, 1, 9, 0x30, 0x81, 0xb0, 0xa0, 0x03, 2, 1, 2])],
    ['a public key', publicKey.export({ type: 'spki', format: 'pem' }) as string],
    ['prose', 'Where is my private key?'],
    ['nothing', ''],
    ['one byte', new Uint8Array([0x30])],
  ])('%s', (_, file) => {
    expect(holdsPrivateKey(bytesOf(file))).toBe(false);
  });
});
