import { AcmeProblem, acmeRequests } from '@certloop/contracts';
import { thumbprint } from '@certloop/crypto';
import type { AcmePorts, AcmeRecords } from '../ports.js';
import { type AcmeLinks, link } from '../protocol/acme-links.js';
import { type AcmeReply, created, ok } from '../protocol/acme-reply.js';
import type { SignedRequest } from '../protocol/signed-request.js';
import { accountOf, parsePayload, requireActive } from '../protocol/signed-requests.service.js';
import type { Account } from '../records/records.js';
import { accountView } from './account-view.js';
import { parseContacts } from './contacts.js';
import { readBinding } from './external-account.js';

/**
 * Account of the key that signed: the one that exists (200), or a new one (201). Throws `accountDoesNotExist` when
 * only an existing one is asked for, `userActionRequired` without agreement to the terms, and what contacts
 * and the external binding can be refused for (RFC 8555 §7.3, §7.3.1, §7.3.4).
 */
export async function newAccount<T extends AcmeRecords>(
  ports: AcmePorts<T>,
  request: SignedRequest<T['account']>,
): Promise<AcmeReply> {
  // RFC 8555 §7.3.1: for an account that exists, what the members say is ignored.
  parsePayload(acmeRequests.anyObjectSchema, request.payload);
  const key = { jwk: request.jwk, key: request.key, thumbprint: thumbprint(request.jwk) };
  const existing = await ports.store.findAccountByThumbprint(key.thumbprint);
  if (existing !== undefined) return showExisting(existing, request);
  const asked = parsePayload(acmeRequests.newAccountSchema, request.payload);
  if (asked.onlyReturnExisting === true) throw noAccount();
  const termsAgreed = asked.termsOfServiceAgreed === true;
  requireAgreement(ports, request.links, termsAgreed);
  const contacts = parseContacts(asked.contact ?? []);
  const { externalAccountBinding: sent } = asked;
  const binding =
    sent === undefined ? undefined : readBinding(sent, ports.settings.bindingAlgorithms, request);
  const bound = await ports.bind(binding, request);
  const account = { ...key, contacts, termsAgreed, externalAccountBinding: binding?.document };
  const inserted = await ports.store.insertAccount(request, account, bound);
  if (inserted !== undefined)
    return created(accountView(inserted, request.links), addressOf(inserted, request));
  const other = await ports.store.findAccountByThumbprint(key.thumbprint);
  if (other === undefined) throw noAccount();
  return showExisting(other, request);
}

const noAccount = () => new AcmeProblem('accountDoesNotExist', 'no account has this key');

function showExisting(account: Account, request: SignedRequest): AcmeReply {
  requireActive(account);
  return showAccount(account, request);
}

function requireAgreement<T extends AcmeRecords>(
  { settings: { termsOfService } }: AcmePorts<T>,
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
export async function updateAccount<T extends AcmeRecords>(
  { store }: AcmePorts<T>,
  request: SignedRequest<T['account']>,
  id: string,
): Promise<AcmeReply> {
  const account = ownAccount(request, id);
  if (request.payload.length === 0) return showAccount(account, request);
  const { contact, status } = parsePayload(acmeRequests.accountUpdateSchema, request.payload);
  const change = {
    ...(contact !== undefined && { contacts: parseContacts(contact) }),
    ...(status === 'deactivated' && { isDeactivated: true as const }),
  };
  const changed = await store.changeAccount(request, account, change);
  if (changed !== undefined) return showAccount(changed, request);
  const current = await store.findAccount(id);
  if (current !== undefined) requireActive(current);
  throw noAccount();
}

/** The account that signed, which must be the one of the address. Throws `unauthorized` for another's. */
export function ownAccount<A extends Account>(request: SignedRequest<A>, id: string): A {
  const account = accountOf(request);
  if (account.id !== id)
    throw new AcmeProblem('unauthorized', 'the address names another account than the kid');
  return account;
}

function showAccount(account: Account, request: SignedRequest): AcmeReply {
  return ok(accountView(account, request.links), { location: addressOf(account, request) });
}

function addressOf({ id }: Account, { links }: SignedRequest): string {
  return links.of('account', { id });
}
