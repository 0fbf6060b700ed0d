import { AcmeProblem } from '@certloop/contracts';
import { type FlattenedJws, type MacAlgorithm, thumbprint, verifyMac } from '@certloop/crypto';
import type { AskedBinding } from '../ports.js';
import { badAlgorithm, readKey } from '../protocol/jws-header.js';
import type { SignedRequest } from '../protocol/signed-request.js';
import { parseJsonPayload, parseSigned } from '../protocol/signed-requests.service.js';

/**
 * The binding of a new account to an external one, its form checked by RFC 8555 §7.3.4, its MAC not. Throws
 * `badSignatureAlgorithm` for another algorithm, `malformed` for a binding of another address or key.
 */
export function readBinding(
  binding: unknown,
  algorithms: readonly MacAlgorithm[],
  { url, jwk }: Pick<SignedRequest, 'url' | 'jwk'>,
): AskedBinding {
  const jws = parseSigned(binding);
  const { alg, kid, nonce } = jws.header;
  if (!algorithms.some((algorithm) => algorithm === alg)) {
    const accepted = algorithms.join(' or ');
    throw badAlgorithm(`the algorithm of an external account binding must be ${accepted}`, algorithms);
  }
  if (nonce !== undefined) throw malformed('has a nonce');
  if (jws.header['url'] !== url) throw malformed('is for another address');
  if (thumbprint(readKey(parseJsonPayload(jws.payload)).jwk) !== thumbprint(jwk)) {
    throw malformed('is for another account key');
  }
  const { protected: header, payload, signature } = binding as FlattenedJws;
  return {
    kid: typeof kid === 'string' ? kid : undefined,
    document: { protected: header, payload, signature },
    isMadeWith: (hmacKey) => verifyMac(jws, hmacKey),
  };
}

const malformed = (reason: string) => new AcmeProblem('malformed', `the external account binding ${reason}`);
