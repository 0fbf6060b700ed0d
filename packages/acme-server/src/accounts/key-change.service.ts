import { AcmeProblem, acmeRequests } from '@certloop/contracts';
import { thumbprint } from '@certloop/crypto';
import type { AcmePorts, AcmeRecords, AcmeStore } from '../ports.js';
import { type AcmeReply, ok } from '../protocol/acme-reply.js';
import { readKey, requireAlgorithm } from '../protocol/jws-header.js';
import type { SignedRequest } from '../protocol/signed-request.js';
import {
  accountOf,
  parseJsonPayload,
  parsePayload,
  parseSigned,
  requireSignature,
} from '../protocol/signed-requests.service.js';
import { accountView } from './account-view.js';

/**
 * Account under its new key. The new key signs the inner JWS, the old one the outer; judged in the order of
 * RFC 8555 §7.3.5. Throws `malformed`, with status 409 and the other account's address when the new key has one.
 */
export async function changeKey<T extends AcmeRecords>(
  { store }: AcmePorts<T>,
  request: SignedRequest<T['account']>,
): Promise<AcmeReply> {
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
  await requireFreeKey(store, request, change.thumbprint);
  const changed = await store.changeKey(request, account, change);
  if (changed === undefined) {
    await requireFreeKey(store, request, change.thumbprint);
    throw malformed('names another old key');
  }
  return ok(accountView(changed, request.links), {
    location: request.links.of('account', { id: changed.id }),
  });
}

async function requireFreeKey<T extends AcmeRecords>(
  store: AcmeStore<T>,
  { links }: SignedRequest<T['account']>,
  next: string,
): Promise<void> {
  const holder = await store.findAccountByThumbprint(next);
  if (holder === undefined) return;
  throw new AcmeProblem('malformed', 'an account with the new key already exists', {
    kind: 'conflict',
    headers: { Location: links.of('account', { id: holder.id }) },
  });
}

const malformed = (reason: string) => new AcmeProblem('malformed', `the inner JWS ${reason}`);
