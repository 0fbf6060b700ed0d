import { randomUUID } from 'node:crypto';
import type { AccountChange, AccountKey, NewAccount } from '@certloop/acme-server';
import { thumbprint } from '@certloop/crypto';
import type { AcmeDeps, AcmeRequest } from '../acme-deps.service.js';
import type { Account } from '../records/records.js';

// Between a read and a change there may be changes of other requests: each of these compares first.

export function addAccount({ store }: AcmeDeps, asked: NewAccount): Account | undefined {
  if (store.findAccountByThumbprint(asked.thumbprint) !== undefined) return undefined;
  const account: Account = { id: randomUUID(), ...asked, deactivatedAt: undefined };
  store.insertAccount(account);
  return account;
}

export function changeAccount(
  { store, clock }: AcmeDeps,
  { id }: Account,
  { contacts, isDeactivated }: AccountChange,
): Account | undefined {
  const account = store.findAccount(id);
  if (account === undefined || account.deactivatedAt !== undefined) return undefined;
  if (contacts !== undefined) account.contacts = contacts;
  if (isDeactivated) account.deactivatedAt = clock.now();
  return account;
}

export function changeAccountKey(
  { store }: AcmeDeps,
  request: AcmeRequest,
  account: Account,
  change: AccountKey,
): Account | undefined {
  if (account.thumbprint !== thumbprint(request.jwk)) return undefined;
  if (store.findAccountByThumbprint(change.thumbprint) !== undefined) return undefined;
  store.changeKey(account, change);
  return account;
}
