import { randomUUID } from 'node:crypto';
import {
  type AcmeReply,
  accountOf,
  created,
  ok,
  parseJsonPayload,
  parsePayload,
  parseSigned,
  requireActive,
} from '@certloop/acme-server';
import {
  type AcmeLinks,
  accountView,
  badAlgorithm,
  link,
  parseContacts,
  readKey,
} from '@certloop/acme-server/rules';
import { AcmeProblem, acmeRequests } from '@certloop/contracts';
import { type FlattenedJws, thumbprint, verifyMac } from '@certloop/crypto';
import type { AcmeDeps, AcmeRequest } from '../acme-deps.service.js';
import type { AcmeSettings } from '../acme-settings.js';
import type { Account } from '../records/records.js';

/**
 * Account of the key that signed: the one that exists (200), or a new one (201). Throws `accountDoesNotExist` when
 * only an existing one is asked for, `userActionRequired` without agreement to the terms, and what contacts
 * and the external binding can be refused for (RFC 8555 §7.3, §7.3.1, §7.3.4).
 */
export async function newAccount(deps: AcmeDeps, request: AcmeRequest): Promise<AcmeReply> {
  // RFC 8555 §7.3.1: for an account that exists, what the members say is ignored.
  parsePayload(acmeRequests.anyObjectSchema, request.payload);
  const existing = deps.store.findAccountByThumbprint(thumbprint(request.jwk));
  if (existing !== undefined) {
    requireActive(existing);
    return showAccount(existing, request);
  }
  const asked = parsePayload(acmeRequests.newAccountSchema, request.payload);
  if (asked.onlyReturnExisting === true) {
    throw new AcmeProblem('accountDoesNotExist', 'no account has this key');
  }
  requireAgreement(deps, request.links, asked.termsOfServiceAgreed === true);
  const account = {
    id: randomUUID(),
    jwk: request.jwk,
    key: request.key,
    thumbprint: thumbprint(request.jwk),
    contacts: parseContacts(asked.contact ?? []),
    termsAgreed: asked.termsOfServiceAgreed === true,
    externalAccountBinding: requireExternalAccount(deps.settings, asked.externalAccountBinding, request),
    deactivatedAt: undefined,
  };
  deps.store.insertAccount(account);
  return created(accountView(account, request.links), addressOf(account, request));
}

function requireAgreement(
  { settings: { termsOfService } }: AcmeDeps,
  links: AcmeLinks,
  isAgreed: boolean,
): void {
  if (termsOfService === undefined || isAgreed) return;
  throw new AcmeProblem('userActionRequired', 'the terms of service must be agreed to', {
    members: { instance: termsOfService },
    // The field of a refusal replaces the one that every answer has (RFC 8555 §7.1).
    headers: {
      Link: `${link(links.of('directory'), 'index')}, ${link(termsOfService, 'terms-of-service')}`,
    },
  });
}

/** Account after the changes that are asked for; none are for POST-as-GET (RFC 8555 §7.3.2, §7.3.6). */
export async function updateAccount(deps: AcmeDeps, request: AcmeRequest, id: string): Promise<AcmeReply> {
  const account = ownAccount(request, id);
  if (request.payload.length === 0) return showAccount(account, request);
  const { contact, status } = parsePayload(acmeRequests.accountUpdateSchema, request.payload);
  if (contact !== undefined) account.contacts = parseContacts(contact);
  if (status === 'deactivated') account.deactivatedAt = deps.clock.now();
  return showAccount(account, request);
}

/** The account that signed, which must be the one of the address. Throws `unauthorized` for another's. */
export function ownAccount(request: AcmeRequest, id: string): Account {
  const account = accountOf(request);
  if (account.id !== id)
    throw new AcmeProblem('unauthorized', 'the address names another account than the kid');
  return account;
}

function showAccount(account: Account, request: AcmeRequest): AcmeReply {
  return ok(accountView(account, request.links), { location: addressOf(account, request) });
}

function addressOf({ id }: Account, { links }: AcmeRequest): string {
  return links.of('account', { id });
}

/**
 * The binding of a new account to an external one, checked by RFC 8555 §7.3.4; undefined without one. Throws
 * `externalAccountRequired` when there must be one, `unauthorized` for an unknown key identifier or a wrong MAC,
 * `malformed` for a binding of another address or key.
 */
function requireExternalAccount(
  { externalAccounts, requireExternalAccount: isRequired }: AcmeSettings,
  binding: unknown,
  { url, jwk }: AcmeRequest,
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
