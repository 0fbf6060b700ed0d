import {
  type AcmeReply,
  accountOf,
  ok,
  parseJsonPayload,
  parsePayload,
  parseSigned,
  requireSignature,
} from '@certloop/acme-server';
import { accountView, readKey, requireAlgorithm } from '@certloop/acme-server/rules';
import { AcmeProblem, acmeRequests } from '@certloop/contracts';
import { thumbprint } from '@certloop/crypto';
import type { AcmeDeps, AcmeRequest } from '../acme-deps.service.js';

/**
 * Account under its new key. The new key signs the inner JWS, the old one the outer; judged in the order of
 * RFC 8555 §7.3.5. Throws `malformed`, with status 409 and the other account's address when the new key has one.
 */
export async function changeKey(deps: AcmeDeps, request: AcmeRequest): Promise<AcmeReply> {
  const account = accountOf(request);
  const inner = parseSigned(parseJsonPayload(request.payload));
  requireAlgorithm(inner.header['alg']);
  if (inner.header['kid'] !== undefined) throw malformed('has kid, and must have jwk');
  if (inner.header['nonce'] !== undefined) throw malformed('has a nonce');
  if (inner.header['jwk'] === undefined) throw malformed('has no jwk');
  const next = readKey(inner.header['jwk']);
  await requireSignature(inner, next.key);
  if (inner.header['url'] !== request.url) throw malformed('is for another address');
  const { account: address, oldKey } = parsePayload(acmeRequests.keyChangeSchema, inner.payload);
  if (request.links.accountIdOf(address) !== account.id) throw malformed('is for another account');
  if (thumbprint(readKey(oldKey).jwk) !== account.thumbprint) throw malformed('names another old key');
  const change = { ...next, thumbprint: thumbprint(next.jwk) };
  const holder = deps.store.findAccountByThumbprint(change.thumbprint);
  if (holder !== undefined) {
    throw new AcmeProblem('malformed', 'an account with the new key already exists', {
      kind: 'conflict',
      headers: { Location: request.links.of('account', { id: holder.id }) },
    });
  }
  deps.store.changeKey(account, change);
  return ok(accountView(account, request.links), {
    location: request.links.of('account', { id: account.id }),
  });
}

const malformed = (reason: string) => new AcmeProblem('malformed', `the inner JWS ${reason}`);
