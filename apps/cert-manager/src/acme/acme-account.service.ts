import { type KeyObject, randomUUID } from 'node:crypto';
import { AcmeProblem, AppError } from '@certloop/contracts';
import { constraintViolation } from '@certloop/db';
import type { DbDeps } from '../db-deps.js';
import {
  type AccountDeps,
  type AccountKeyType,
  changeNextKey,
  openKey,
  openNextKey,
  sealNewKey,
  settleKeyChange,
  storeNextKey,
} from './account-key.service.js';
import {
  type AcmeAccountRow,
  findAccountRow,
  insertAccountRow,
  updateAccountRow,
} from './acme-accounts.repository.js';
import type { AcmeSigner, ExternalAccount } from './acme-operations.js';

/** Which account, and what it is to be. */
export interface AccountTerms {
  readonly providerId: string;
  readonly directoryUrl: string;
  readonly keyType: AccountKeyType;
  readonly contactEmails: readonly string[];
  readonly eab?: ExternalAccount | undefined;
}

/** An account that can sign. */
export type Account = AcmeSigner & { readonly accountUrl: string };

/**
 * The provider's account at the directory, made if there is none: the key is on disk before the CA sees it, so
 * that an account whose answer was lost is found again by it. Throws AcmeProblem and UpstreamFailed.
 */
export async function ensureAccount(deps: AccountDeps, terms: AccountTerms): Promise<Account> {
  const stored = await deps.db.read((tx) => findAccountRow(tx, terms.providerId, terms.directoryUrl));
  const settled = await settleKeyChange(deps, stored ?? (await addRow(deps, terms)));
  const privateKey = openKey(deps.box, settled);
  if (settled.url === null) return register(deps, settled, privateKey, terms);
  const account = { privateKey, accountUrl: settled.url };
  await updateContact(deps, settled, account, terms);
  return account;
}

const dayMs = 86_400_000;

/**
 * Gives the CA other contact addresses. Orders do not depend on them, so a refusal is stored, and the CA is asked again a
 * day later, or when other addresses are configured.
 */
async function updateContact(
  deps: AccountDeps,
  row: AcmeAccountRow,
  account: Account,
  { contactEmails }: AccountTerms,
): Promise<void> {
  const { contactRefusal: last } = row;
  if (isSameList(row.contactEmails, contactEmails)) {
    if (last !== null) await change(deps, row, { contactRefusal: null });
    return;
  }
  const now = deps.clock.now();
  const sinceMs = last === null ? dayMs : now.getTime() - Date.parse(last.at);
  const wasAsked = last !== null && isSameList(last.contactEmails, contactEmails);
  if (wasAsked && sinceMs >= 0 && sinceMs < dayMs) return;
  try {
    await deps.client.updateContact(account, contactEmails);
    await change(deps, row, { contactEmails, contactRefusal: null });
  } catch (error) {
    const isForgotten = error instanceof AcmeProblem && error.type === 'accountDoesNotExist';
    if (!(error instanceof AppError) || isForgotten) throw error;
    const contactRefusal = { at: now.toISOString(), contactEmails, reason: error.message.slice(0, 500) };
    await change(deps, row, { contactRefusal });
    deps.logger?.warn({ reason: contactRefusal.reason }, 'acme.contact_not_updated');
  }
}

/**
 * The stored account; undefined when none has been made. The CA is asked only when a key change was cut short; throws
 * AcmeProblem and UpstreamFailed then.
 */
export async function findAcmeAccount(
  deps: AccountDeps,
  { providerId, directoryUrl }: Pick<AccountTerms, 'providerId' | 'directoryUrl'>,
): Promise<(AcmeSigner & Pick<AcmeAccountRow, 'contactRefusal'>) | undefined> {
  const row = await deps.db.read((tx) => findAccountRow(tx, providerId, directoryUrl));
  if (row === undefined) return undefined;
  const settled = await settleKeyChange(deps, row);
  const { contactRefusal } = settled;
  return { privateKey: openKey(deps.box, settled), accountUrl: settled.url ?? undefined, contactRefusal };
}

/** Makes the account be registered again with its key, as the CA has forgotten it. */
export async function forgetAccountUrl(
  deps: DbDeps,
  { providerId, directoryUrl }: Pick<AccountTerms, 'providerId' | 'directoryUrl'>,
): Promise<void> {
  const row = await deps.db.read((tx) => findAccountRow(tx, providerId, directoryUrl));
  if (row !== undefined) await change(deps, row, { url: null });
}

/**
 * Gives the account a new key (RFC 8555 §7.3.5). The new one is on disk before the CA hears of it; when the
 * answer is lost, the next use of the account finds out which of the two counts, and the next change offers the same
 * key again.
 */
export async function changeAccountKey(deps: AccountDeps, terms: AccountTerms): Promise<void> {
  const account = await ensureAccount(deps, terms);
  const row = await storeNextKey(deps, terms);
  await deps.atKeyChange?.('next_key_stored');
  const privateKey = openNextKey(deps.box, row);
  try {
    await deps.client.changeKey(account, { privateKey });
  } catch (error) {
    const isRefused = error instanceof AcmeProblem && error.type !== 'serverInternal';
    if (!isRefused) throw error;
    const { sealedKey } = await settleKeyChange(deps, row);
    // another process has registered the same key a moment ago
    if (sealedKey !== row.sealedKey) return;
    await changeNextKey(deps, row, { sealedNextKey: null });
    throw error;
  }
  await deps.atKeyChange?.('next_key_taken');
  await settleKeyChange(deps, row);
}

async function addRow({ db, clock, box }: AccountDeps, terms: AccountTerms): Promise<AcmeAccountRow> {
  const { providerId, directoryUrl, keyType, contactEmails } = terms;
  const id = randomUUID();
  const now = clock.now();
  const row: AcmeAccountRow = {
    id,
    providerId,
    directoryUrl,
    sealedKey: await sealNewKey(box, id, keyType),
    sealedNextKey: null,
    url: null,
    contactEmails,
    contactRefusal: null,
    createdAt: now,
    updatedAt: now,
  };
  try {
    await db.transaction((tx) => insertAccountRow(tx, row));
    return row;
  } catch (error) {
    if (constraintViolation(error)?.kind !== 'unique') throw error;
    const other = await db.read((tx) => findAccountRow(tx, providerId, directoryUrl));
    if (other === undefined) throw error;
    return other;
  }
}

async function register(
  deps: AccountDeps,
  row: AcmeAccountRow,
  privateKey: KeyObject,
  terms: AccountTerms,
): Promise<Account> {
  const { url, account } = await deps.client.newAccount({ privateKey }, terms);
  if (account.status !== 'valid') {
    throw new AcmeProblem('unauthorized', `the account with the CA is ${account.status}`);
  }
  await change(deps, row, { url, contactEmails: terms.contactEmails, contactRefusal: null });
  return { privateKey, accountUrl: url };
}

async function change(
  { db, clock }: DbDeps,
  { id }: AcmeAccountRow,
  columns: Partial<AcmeAccountRow>,
): Promise<void> {
  await db.transaction((tx) => updateAccountRow(tx, id, { ...columns, updatedAt: clock.now() }));
}

function isSameList(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((text, index) => text === other[index]);
}
