/** A named curve: `name` as in RFC 7518 or the standard that defines it, `nodeName` as OpenSSL calls it. */
export interface Curve {
  readonly name: string;
  readonly nodeName: string;
  readonly bits: number;
  /** Name in the JWK registry, for the curves whose JWK form Node can import. */
  readonly jwkName?: 'P-256' | 'P-384' | 'P-521';
}

const named = (name: string, nodeName: string, bits: number): Curve => ({ name, nodeName, bits });

/** Curves whose keys are accepted, by object identifier (RFC 5480 §2.1.1.1, RFC 5639, SEC 2). */
export const curves: ReadonlyMap<string, Curve> = new Map([
  ['1.2.840.10045.3.1.7', { ...named('P-256', 'prime256v1', 256), jwkName: 'P-256' as const }],
  ['1.3.132.0.34', { ...named('P-384', 'secp384r1', 384), jwkName: 'P-384' as const }],
  ['1.3.132.0.35', { ...named('P-521', 'secp521r1', 521), jwkName: 'P-521' as const }],
  ['1.3.132.0.33', named('P-224', 'secp224r1', 224)],
  ['1.3.132.0.10', named('secp256k1', 'secp256k1', 256)],
  ['1.3.36.3.3.2.8.1.1.5', named('brainpoolP224r1', 'brainpoolP224r1', 224)],
  ['1.3.36.3.3.2.8.1.1.7', named('brainpoolP256r1', 'brainpoolP256r1', 256)],
  ['1.3.36.3.3.2.8.1.1.8', named('brainpoolP256t1', 'brainpoolP256t1', 256)],
  ['1.3.36.3.3.2.8.1.1.9', named('brainpoolP320r1', 'brainpoolP320r1', 320)],
  ['1.3.36.3.3.2.8.1.1.11', named('brainpoolP384r1', 'brainpoolP384r1', 384)],
  ['1.3.36.3.3.2.8.1.1.13', named('brainpoolP512r1', 'brainpoolP512r1', 512)],
]);
