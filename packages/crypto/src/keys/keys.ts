import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPair as generateWithCallback,
  type KeyObject,
} from 'node:crypto';
import { promisify } from 'node:util';
import { InvalidInput } from '@certloop/contracts';
import { parseDer, tag } from '../der/der.js';
import { decodeBitOctets, Members } from '../der/der-values.js';
import { parsePemBlocks } from '../der/pem.js';
import { importPublicKey, parsePublicKey } from './public-keys.js';

export const keyKinds = [
  'P-256',
  'P-384',
  'P-521',
  'RSA-2048',
  'RSA-3072',
  'RSA-4096',
  'Ed25519',
  'Ed448',
  'secp256k1',
] as const;

export type KeyKind = (typeof keyKinds)[number];

export interface KeyPair {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

const generate = promisify(generateWithCallback);

/** A fresh key pair, made in the thread pool. */
export async function generateKeyPair(kind: KeyKind): Promise<KeyPair> {
  switch (kind) {
    case 'P-256':
    case 'P-384':
    case 'P-521':
    case 'secp256k1':
      return generate('ec', { namedCurve: kind });
    case 'RSA-2048':
    case 'RSA-3072':
    case 'RSA-4096':
      return generate('rsa', { modulusLength: Number(kind.slice(4)) });
    case 'Ed25519':
      return generate('ed25519');
    case 'Ed448':
      return generate('ed448');
  }
}

/** DER of the SubjectPublicKeyInfo of a key, private or public. */
export function exportSpki(key: KeyObject): Buffer {
  const publicKey = key.type === 'private' ? createPublicKey(key) : key;
  return publicKey.export({ type: 'spki', format: 'der' });
}

/** PEM text of the private key, PKCS#8, unencrypted. */
export function exportPrivateKeyPem(privateKey: KeyObject): string {
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/**
 * The private key of a PEM text, PKCS#8 or the older PKCS#1 and SEC 1; blocks of EC parameters beside it are
 * ignored. Throws InvalidInput (`malformed_private_key`) that says nothing of the content.
 */
export function importPrivateKey(pem: string): KeyObject {
  if (/^-----BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type: 4,ENCRYPTED/m.test(pem)) {
    throw notAKey('it is encrypted; give it without a passphrase');
  }
  const keys = parsePemBlocks(pem).filter((block) => block.label !== 'EC PARAMETERS');
  const [key, ...rest] = keys;
  if (key === undefined || rest.length > 0 || !key.label.endsWith('PRIVATE KEY')) {
    throw notAKey('the text is not exactly one PEM block of a private key');
  }
  try {
    return createPrivateKey({ key: pem, format: 'pem' });
  } catch {
    // The cause is omitted: it could end in a log together with parts of the key.
    throw notAKey('its block holds no key of a known kind');
  }
}

/** Key identifier of RFC 5280 §4.2.1.2, method 1: SHA-1 over the octets of the public key, 20 octets. */
export function keyIdentifier(spkiDer: Buffer): Buffer {
  const members = new Members(parseDer(spkiDer, 'public key'), 'the public key');
  members.next('the algorithm of the public key', tag.sequence);
  const octets = decodeBitOctets(members.next('the bits of the public key'), 'the public key');
  return createHash('sha1').update(octets).digest();
}

/** SHA-256 over the SubjectPublicKeyInfo, lower-case hex: the same for the same key in CSR and certificate. */
export function spkiSha256(spkiDer: Uint8Array): string {
  return createHash('sha256').update(spkiDer).digest('hex');
}

/**
 * Whether both SubjectPublicKeyInfo hold the same key. Byte-equal ones do; otherwise Node compares the keys, since
 * one key can be written in two ways (a compressed point, absent parameters). False when one is not a usable key.
 */
export function publicKeysEqual(spkiA: Buffer, spkiB: Buffer): boolean {
  if (spkiA.equals(spkiB)) return true;
  try {
    return importSpki(spkiA).equals(importSpki(spkiB));
  } catch (error) {
    if (error instanceof InvalidInput) return false;
    throw error;
  }
}

const importSpki = (spki: Buffer): KeyObject => importPublicKey(parsePublicKey(parseDer(spki, 'public key')));

function notAKey(reason: string): InvalidInput {
  return new InvalidInput(`The private key cannot be used: ${reason}`, { code: 'malformed_private_key' });
}
