import { InvalidInput } from '@certloop/contracts';
import { parseDer, tag } from '../der/der.js';
import { Members } from '../der/der-values.js';
import type { Curve } from './curves.js';

/**
 * @peculiar/x509, loaded on first use: it takes a quarter of a second and needs the reflection shim before it.
 */
export async function loadX509(): Promise<typeof import('@peculiar/x509')> {
  await import('reflect-metadata');
  return import('@peculiar/x509');
}

/**
 * Whether the ECDSA signature over `signed` holds, found out by @peculiar/webcrypto: an engine in JavaScript for the
 * curves that the OpenSSL of this Node lacks. It costs two to three times as much and takes whole points only. Throws
 * InvalidInput (`unsupported_algorithm`) for a hash that the engine does not know.
 */
export async function verifyByWebCrypto(
  { signed, signature }: { readonly signed: Buffer; readonly signature: Buffer },
  spkiDer: Buffer,
  curve: Curve,
  hash: string,
): Promise<boolean> {
  const name = webCryptoHashes.get(hash);
  if (name === undefined) {
    throw new InvalidInput(`${curve.name} with ${hash} is not accepted`, { code: 'unsupported_algorithm' });
  }
  const pair = joinedSignature(signature, Math.ceil(curve.bits / 8));
  if (pair === undefined) return false;
  const { subtle } = await loadEngine();
  const algorithm = { name: 'ECDSA', namedCurve: webCryptoCurveName(curve) };
  const key = await subtle.importKey('spki', asBytes(spkiDer), algorithm, false, ['verify']);
  return subtle.verify({ name: 'ECDSA', hash: name }, key, asBytes(pair), asBytes(signed));
}

async function loadEngine(): Promise<Crypto> {
  engine ??= import('@peculiar/webcrypto').then((module) => new module.Crypto());
  return engine;
}

let engine: Promise<Crypto> | undefined;

/** Name of the curve in WebCrypto, where secp256k1 is called K-256. */
const webCryptoCurveName = ({ name }: Curve): string => (name === 'secp256k1' ? 'K-256' : name);

const webCryptoHashes: ReadonlyMap<string, string> = new Map([
  ['sha1', 'SHA-1'],
  ['sha256', 'SHA-256'],
  ['sha384', 'SHA-384'],
  ['sha512', 'SHA-512'],
]);

// WebCrypto wants r and s side by side at the width of the curve; X.509 has them as two INTEGERs (RFC 3279 §2.2.3).
function joinedSignature(der: Buffer, width: number): Buffer | undefined {
  const members = new Members(parseDer(der, 'ECDSA signature'), 'the signature');
  const numbers = ['r', 's'].map((name) => members.next(name, tag.integer).content);
  members.finish();
  const fields = numbers.map((number) => (number[0] === 0 ? number.subarray(1) : number));
  if (numbers.some((number) => ((number[0] ?? 0) & 0x80) !== 0)) return undefined;
  if (fields.some((field) => field.length > width)) return undefined;
  return Buffer.concat(fields.map((field) => Buffer.concat([Buffer.alloc(width - field.length), field])));
}

// A copy in its own memory: WebCrypto's types ask for one that no one else can see.
const asBytes = (octets: Buffer): Uint8Array<ArrayBuffer> => new Uint8Array(octets);
