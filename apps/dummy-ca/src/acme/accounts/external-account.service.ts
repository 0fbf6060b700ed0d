import { AcmeProblem } from '@certloop/contracts';
import { type FlattenedJws, thumbprint, verifyMac } from '@certloop/crypto';
import type { AcmeSettings } from '../acme-settings.js';
import { badAlgorithm, readKey } from '../protocol/jws-header.js';
import { parseJsonPayload, parseSigned, type SignedRequest } from '../protocol/signed-requests.service.js';

/**
 * The binding of a new account to an external one, checked by RFC 8555 §7.3.4; undefined without one. Throws
 * `externalAccountRequired` when there must be one, `unauthorized` for an unknown key identifier or a wrong MAC,
 * `malformed` for a binding of another address or key.
 */
export function requireExternalAccount(
  { externalAccounts, requireExternalAccount: isRequired }: AcmeSettings,
  binding: unknown,
  { url, jwk }: SignedRequest,
): object | undefined {
  if (binding === undefined) {
    if (!isRequired) return undefined;
    throw new AcmeProblem(
      'externalAccountRequired',
      'this CA requires an external account binding (externalAccountBinding)',
    );
  }
  const jws = parseSigned(binding);
  const { alg, kid, nonce } = jws.header;
  if (alg !== 'HS256') {
    throw badAlgorithm('the algorithm of an external account binding must be HS256', ['HS256']);
  }
  if (nonce !== undefined) throw malformed('has a nonce');
  if (jws.header['url'] !== url) throw malformed('is for another address');
  if (thumbprint(readKey(parseJsonPayload(jws.payload)).jwk) !== thumbprint(jwk)) {
    throw malformed('is for another account key');
  }
  const key = typeof kid === 'string' ? externalAccounts.get(kid) : undefined;
  if (key === undefined || !verifyMac(jws, key)) {
    throw new AcmeProblem('unauthorized', 'the external account is unknown or its MAC is wrong');
  }
  const { protected: header, payload, signature } = binding as FlattenedJws;
  return { protected: header, payload, signature };
}

const malformed = (reason: string) => new AcmeProblem('malformed', `the external account binding ${reason}`);
