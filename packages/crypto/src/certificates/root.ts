import { webcrypto } from 'node:crypto';
import { InvalidInput } from '@certloop/contracts';
import { oid } from '../der/oids.js';
import { exportSpki, generateKeyPair, type KeyKind, type KeyPair, keyIdentifier } from '../keys/keys.js';
import { loadX509 } from '../keys/webcrypto.js';
import { encodePermittedNames, type PermittedNames } from '../names/name-constraints.js';
import { encodeName, type SubjectFields } from '../names/names.js';
import type { IssuerMaterial } from './issuer.js';

/** Kinds of key a root can have: those that WebCrypto signs with everywhere. */
export type RootKeyKind = Exclude<KeyKind, 'Ed448' | 'secp256k1'>;

export interface RootRequest {
  readonly keyKind: RootKeyKind;
  readonly subject: SubjectFields & { readonly commonName: string };
  readonly notBefore: Date;
  readonly notAfter: Date;
  /** 1 up to 2^159 - 1. */
  readonly serialNumber: bigint;
  /** Restricts the CA to these names by critical nameConstraints; absent for any name. */
  readonly permittedNames?: PermittedNames | undefined;
}

/** A new key and its self-signed certificate: a CA without a path length limit, for certificates and CRLs. */
export async function createRoot(request: RootRequest): Promise<IssuerMaterial> {
  if (request.serialNumber < 1n || request.serialNumber >= 2n ** 159n) {
    throw new InvalidInput('The serial number must be between 1 and 2^159 - 1', { code: 'invalid_serial' });
  }
  const { permittedNames } = request;
  const x509 = await loadX509();
  const pair = await generateKeyPair(request.keyKind);
  const identifier = keyIdentifier(exportSpki(pair.publicKey)).toString('hex');
  const certificate = await x509.X509CertificateGenerator.createSelfSigned(
    {
      serialNumber: hexOf(request.serialNumber),
      name: new x509.Name(new Uint8Array(encodeName(request.subject))),
      notBefore: request.notBefore,
      notAfter: request.notAfter,
      keys: await importPair(pair, request.keyKind),
      signingAlgorithm: algorithms[request.keyKind],
      extensions: [
        new x509.BasicConstraintsExtension(true, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
        new x509.SubjectKeyIdentifierExtension(identifier),
        ...(permittedNames === undefined
          ? []
          : [
              new x509.Extension(
                oid.nameConstraints,
                true,
                new Uint8Array(encodePermittedNames(permittedNames)),
              ),
            ]),
      ],
    },
    webcrypto as Crypto,
  );
  return { certificateDer: Buffer.from(certificate.rawData), privateKey: pair.privateKey };
}

const rsa = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };
const ecdsa = (namedCurve: string, hash: string) => ({ name: 'ECDSA', namedCurve, hash });

const algorithms = {
  'P-256': ecdsa('P-256', 'SHA-256'),
  'P-384': ecdsa('P-384', 'SHA-384'),
  'P-521': ecdsa('P-521', 'SHA-512'),
  'RSA-2048': rsa,
  'RSA-3072': rsa,
  'RSA-4096': rsa,
  Ed25519: { name: 'Ed25519' },
} as const satisfies Record<RootKeyKind, Algorithm>;

async function importPair({ privateKey, publicKey }: KeyPair, kind: RootKeyKind): Promise<CryptoKeyPair> {
  const { subtle } = webcrypto as Crypto;
  const algorithm = algorithms[kind];
  const pkcs8 = new Uint8Array(privateKey.export({ type: 'pkcs8', format: 'der' }));
  const spki = new Uint8Array(exportSpki(publicKey));
  return {
    privateKey: await subtle.importKey('pkcs8', pkcs8, algorithm, false, ['sign']),
    publicKey: await subtle.importKey('spki', spki, algorithm, true, ['verify']),
  };
}

function hexOf(serialNumber: bigint): string {
  const hex = serialNumber.toString(16);
  return hex.padStart(hex.length + (hex.length % 2), '0');
}
