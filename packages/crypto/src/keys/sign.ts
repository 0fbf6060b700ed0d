import { type KeyObject, sign } from 'node:crypto';
import { InvalidInput } from '@certloop/contracts';
import { encodeNull, encodeOid, encodeSequence } from '../der/der-writer.js';
import { oid } from '../der/oids.js';

/** How a private key signs certificates and requests. */
export interface Signer {
  /** DER of the AlgorithmIdentifier. */
  readonly algorithmDer: Buffer;
  /** Signature over the octets; those that take long are made in the thread pool. */
  readonly sign: (octets: Buffer) => Promise<Buffer>;
}

/**
 * Signer for the key: SHA-256 with RSA and with curves of 256 bits, SHA-384 with P-384, SHA-512 with P-521, EdDSA
 * without a hash of its own. RSA has NULL parameters, all others none (RFC 4055 §5, RFC 5758 §3.2, RFC 8410 §3).
 * Throws InvalidInput (`unsupported_algorithm`) for other keys.
 */
export function createSigner(privateKey: KeyObject): Signer {
  const [hash, algorithmDer] = algorithmOf(privateKey);
  const isSwift = signsSwiftly(privateKey);
  return {
    algorithmDer,
    sign: async (octets) =>
      isSwift && octets.length <= swiftOctets
        ? sign(hash, octets, privateKey)
        : signInPool(hash, octets, privateKey),
  };
}

// More are hashed longer than they are signed, such as a long revocation list.
const swiftOctets = 65_536;

/**
 * Keys that sign within a quarter of a millisecond: P-256 and RSA-2048. Handing that to the pool costs both threads
 * more than it spares the one.
 */
function signsSwiftly({
  asymmetricKeyDetails: { namedCurve, modulusLength = Infinity } = {},
}: KeyObject): boolean {
  return namedCurve === 'prime256v1' || modulusLength <= 2048;
}

function signInPool(hash: string | null, octets: Buffer, privateKey: KeyObject): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    sign(hash, octets, privateKey, (error, signature) => {
      if (error === null) resolve(signature);
      else reject(error);
    });
  });
}

const ecdsaSha256: [string, string] = ['sha256', '1.2.840.10045.4.3.2'];

const curveAlgorithms: ReadonlyMap<string, [string, string]> = new Map([
  ['prime256v1', ecdsaSha256],
  ['secp256k1', ecdsaSha256],
  ['brainpoolP256r1', ecdsaSha256],
  ['secp384r1', ['sha384', '1.2.840.10045.4.3.3']],
  ['secp521r1', ['sha512', '1.2.840.10045.4.3.4']],
]);

function algorithmOf(key: KeyObject): [hash: string | null, algorithmDer: Buffer] {
  switch (key.asymmetricKeyType) {
    case 'rsa':
      return ['sha256', encodeSequence(encodeOid('1.2.840.113549.1.1.11'), encodeNull())];
    case 'ed25519':
      return [null, encodeSequence(encodeOid(oid.ed25519))];
    case 'ed448':
      return [null, encodeSequence(encodeOid(oid.ed448))];
    default: {
      const curve = key.asymmetricKeyDetails?.namedCurve ?? '';
      const [hash, dotted] = curveAlgorithms.get(curve) ?? [];
      if (hash !== undefined && dotted !== undefined) return [hash, encodeSequence(encodeOid(dotted))];
      const kind = curve || key.asymmetricKeyType || key.type;
      throw new InvalidInput(
        `Keys of type ${kind} cannot sign: use RSA, P-256, P-384, P-521, Ed25519 or Ed448`,
        { code: 'unsupported_algorithm' },
      );
    }
  }
}
