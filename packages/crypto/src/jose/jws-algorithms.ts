import { type KeyObject, sign, verify } from 'node:crypto';
import { promisify } from 'node:util';
import { InvalidInput } from '@certloop/contracts';

export const signatureAlgorithms = ['ES256', 'ES384', 'ES512', 'RS256', 'EdDSA'] as const;

export type SignatureAlgorithm = (typeof signatureAlgorithms)[number];

export const signAsync = promisify(sign);
export const verifyAsync = promisify(verify);

interface AlgorithmRule {
  readonly digest: string | null;
  readonly fits: (key: KeyObject) => boolean;
}

const curveOf = (key: KeyObject) => key.asymmetricKeyDetails?.namedCurve;

// RFC 7518 §3.1 and RFC 8037 §3.1: an algorithm belongs to one kind of key, an ES one to one curve.
export const rules: Readonly<Record<SignatureAlgorithm, AlgorithmRule>> = {
  ES256: { digest: 'sha256', fits: (key) => curveOf(key) === 'prime256v1' },
  ES384: { digest: 'sha384', fits: (key) => curveOf(key) === 'secp384r1' },
  ES512: { digest: 'sha512', fits: (key) => curveOf(key) === 'secp521r1' },
  RS256: { digest: 'sha256', fits: (key) => key.asymmetricKeyType === 'rsa' },
  EdDSA: { digest: null, fits: (key) => key.asymmetricKeyType === 'ed25519' },
};

/** Algorithm that a key signs with. Throws InvalidInput if there is none. */
export function signatureAlgorithmOf(key: KeyObject): SignatureAlgorithm {
  const found = signatureAlgorithms.find((algorithm) => rules[algorithm].fits(key));
  if (found === undefined)
    throw new InvalidInput('the key has a type for which there is no JWS algorithm', {
      code: 'bad_public_key',
    });
  return found;
}

export function badAlgorithm(reason: string): InvalidInput {
  return new InvalidInput(`the JWS algorithm ${reason}`, { code: 'bad_signature_algorithm' });
}
