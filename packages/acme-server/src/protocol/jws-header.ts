import type { KeyObject } from 'node:crypto';
import { orProblem } from '@certloop/acme-server/rules';
import { AcmeProblem } from '@certloop/contracts';
import { exportJwk, importJwk, type PublicJwk, signatureAlgorithms } from '@certloop/crypto';

/** How a request must name who signed it (RFC 8555 §6.2). */
export type SignerForm = 'jwk' | 'kid' | 'either';

export type Signer =
  | { readonly form: 'jwk'; readonly jwk: PublicJwk; readonly key: KeyObject }
  | { readonly form: 'kid'; readonly kid: string };

export interface SignedHeader {
  readonly signer: Signer;
  readonly nonce: string;
}

/**
 * Returns the content of the protected header of a request, checked in the order of RFC 8555 §6.2 to §6.5. Throws
 * `badSignatureAlgorithm`, `malformed` for a missing or wrong signer, `badPublicKey`, `unauthorized` when `url` is not
 * the address that was asked, and `badNonce` if there is none.
 */
export function readHeader(
  header: Readonly<Record<string, unknown>>,
  { url, form }: { readonly url: string; readonly form: SignerForm },
): SignedHeader {
  requireAlgorithm(header['alg']);
  const signer = readSigner(header, form);
  if (typeof header['url'] !== 'string') throw new AcmeProblem('malformed', 'the JWS header has no url');
  if (header['url'] !== url) {
    const sent = JSON.stringify(header['url'].slice(0, 200));
    throw new AcmeProblem('unauthorized', `the url of the JWS header is ${sent}, but ${url} was asked`);
  }
  return { signer, nonce: readNonce(header['nonce']) };
}

/** Throws `badSignatureAlgorithm` with what is accepted (RFC 8555 §6.2). */
export function requireAlgorithm(alg: unknown): void {
  if (signatureAlgorithms.some((algorithm) => algorithm === alg)) return;
  throw badAlgorithm('the JWS algorithm is not accepted');
}

export function badAlgorithm(
  detail: string,
  algorithms: readonly string[] = signatureAlgorithms,
): AcmeProblem {
  return new AcmeProblem('badSignatureAlgorithm', detail, { members: { algorithms } });
}

function readSigner(header: Readonly<Record<string, unknown>>, form: SignerForm): Signer {
  const { jwk, kid } = header;
  if ((jwk === undefined) === (kid === undefined)) {
    throw new AcmeProblem('malformed', 'the JWS header must have exactly one of jwk and kid');
  }
  const sent = jwk === undefined ? 'kid' : 'jwk';
  if (form !== 'either' && form !== sent) {
    throw new AcmeProblem('malformed', `the JWS header must have ${form} here, not ${sent}`);
  }
  if (sent === 'jwk') return { form: 'jwk', ...readKey(jwk) };
  if (typeof kid !== 'string') throw new AcmeProblem('malformed', 'the kid of the JWS header is not a text');
  return { form: 'kid', kid };
}

/** Key of a JWK. Throws `badPublicKey` for one that cannot be used. */
export function readKey(jwk: unknown): { readonly jwk: PublicJwk; readonly key: KeyObject } {
  const key = orProblem('badPublicKey', () => importJwk(jwk));
  return { jwk: exportJwk(key), key };
}

function readNonce(nonce: unknown): string {
  if (nonce === undefined) throw new AcmeProblem('badNonce', 'the JWS header has no nonce');
  // RFC 8555 §6.5.2: not in base64url is malformed, and not merely a nonce of someone else.
  if (typeof nonce !== 'string' || !/^[A-Za-z0-9_-]+$/.test(nonce)) {
    throw new AcmeProblem('malformed', 'the nonce of the JWS header is not in base64url');
  }
  return nonce;
}
