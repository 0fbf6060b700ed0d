import { webcrypto } from 'node:crypto';
import { type Curve, curves } from './curves.js';

/**
 * @peculiar/x509, loaded on first use: it takes a quarter of a second and needs the reflection shim before it.
 */
export async function loadX509(): Promise<typeof import('@peculiar/x509')> {
  await import('reflect-metadata');
  return import('@peculiar/x509');
}

/** The WebCrypto engine that knows the curve: Node's own, or @peculiar/webcrypto for secp256k1 and brainpool. */
export async function loadWebCrypto(curve: Curve): Promise<Crypto> {
  if (curve.engine === 'node') return webcrypto as Crypto;
  peculiarCrypto ??= import('@peculiar/webcrypto').then((module) => new module.Crypto());
  return peculiarCrypto;
}

let peculiarCrypto: Promise<Crypto> | undefined;

/** Loads now what the first key of secp256k1 or brainpool would wait for: a tenth of a second of computing. */
export async function loadRareCurves(): Promise<void> {
  await Promise.all([...curves.values()].map(loadWebCrypto));
}

/** Name of the curve in WebCrypto, where secp256k1 is called K-256. */
export function webCryptoCurveName(curve: Curve): string {
  return curve.name === 'secp256k1' ? 'K-256' : curve.name;
}
