import { createPrivateKey, type KeyObject, randomUUID } from 'node:crypto';
import { AcmeProblem } from '@certloop/contracts';
import { exportPrivateKeyPem, generateKeyPair, type KeyKind } from '@certloop/crypto';
import { constraintViolation, type Database } from '@certloop/db';
import type { Clock } from '@certloop/server';
import type { AcmeClient, ExternalAccount } from './acme.client.js';
import {
  type AcmeAccountRow,
  findAccountRow,
  insertAccountRow,
  updateAccountRow,
} from './acme-accounts.repository.js';
import type { AcmeSigner } from './signed-request.client.js';

export const accountKeyTypes = ['ES256', 'ES384', 'RS256'] as const;
export type AccountKeyType = (typeof accountKeyTypes)[number];

/** Encrypts what is kept of accounts; `column` and `rowId` are where the cipher text stands. */
export interface KeyBox {
  seal(column: string, rowId: string, secret: string): string;
  open(column: string, rowId: string, sealed: string): string;
}

export interface AccountDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly box: KeyBox;
  readonly client: AcmeClient;
}

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
 * The provider's account at the directory, made when there is none: the key is on disk before the CA sees it, so
 * that an account whose answer was lost is found again by it. Throws AcmeProblem and UpstreamFailed.
 */
export async function ensureAccount(deps: AccountDeps, terms: AccountTerms): Promise<Account> {
  const stored = await deps.db.read((tx) => findAccountRow(tx, terms.providerId, terms.directoryUrl));
  const row = stored ?? (await addRow(deps, terms));
  const settled = row.sealedNextKey === null ? row : await settleKeyChange(deps, row, row.sealedNextKey);
  const privateKey = openKey(deps.box, settled);
  if (settled.url === null) return register(deps, settled, privateKey, terms);
  const account = { privateKey, accountUrl: settled.url };
  if (!isSameList(settled.contactEmails, terms.contactEmails)) {
    await deps.client.updateContact(account, terms.contactEmails);
    await change(deps, settled, { contactEmails: terms.contactEmails });
  }
  return account;
}

/** The stored account without asking the CA; undefined when none has been made. */
export async function findAccount(
  { db, box }: Pick<AccountDeps, 'db' | 'box'>,
  { providerId, directoryUrl }: Pick<AccountTerms, 'providerId' | 'directoryUrl'>,
): Promise<AcmeSigner | undefined> {
  const row = await db.read((tx) => findAccountRow(tx, providerId, directoryUrl));
  return row === undefined ? undefined : { privateKey: openKey(box, row), accountUrl: row.url ?? undefined };
}

/** Makes the account be registered again with its key, as the CA has forgotten it. */
export async function forgetAccountUrl(
  deps: Pick<AccountDeps, 'db' | 'clock'>,
  { providerId, directoryUrl }: Pick<AccountTerms, 'providerId' | 'directoryUrl'>,
): Promise<void> {
  const row = await deps.db.read((tx) => findAccountRow(tx, providerId, directoryUrl));
  if (row !== undefined) await change(deps, row, { url: null });
}

/**
 * Gives the account a new key (RFC 8555 §7.3.5). The new one is on disk before the CA hears of it; when the
 * answer is lost, the next use of the account finds out which of the two counts.
 */
export async function changeAccountKey(deps: AccountDeps, terms: AccountTerms): Promise<void> {
  const account = await ensureAccount(deps, terms);
  const row = await deps.db.read((tx) => findAccountRow(tx, terms.providerId, terms.directoryUrl));
  if (row === undefined) return;
  const { privateKey } = await generateKeyPair(kindOf[terms.keyType]);
  const sealedNextKey = deps.box.seal(nextKeyColumn, row.id, exportPrivateKeyPem(privateKey));
  await change(deps, row, { sealedNextKey });
  await deps.client.changeKey(account, { privateKey });
  await settleKeyChange(deps, { ...row, sealedNextKey }, sealedNextKey);
}

const kindOf: Readonly<Record<AccountKeyType, KeyKind>> = {
  ES256: 'P-256',
  ES384: 'P-384',
  RS256: 'RSA-2048',
};

const keyColumn = 'sealed_key';
const nextKeyColumn = 'sealed_next_key';

function openKey(box: KeyBox, { id, sealedKey }: AcmeAccountRow): KeyObject {
  return createPrivateKey(box.open(keyColumn, id, sealedKey));
}

async function addRow({ db, clock, box }: AccountDeps, terms: AccountTerms): Promise<AcmeAccountRow> {
  const { providerId, directoryUrl, keyType, contactEmails } = terms;
  const id = randomUUID();
  const now = clock.now();
  const { privateKey } = await generateKeyPair(kindOf[keyType]);
  const row: AcmeAccountRow = {
    id,
    providerId,
    directoryUrl,
    sealedKey: box.seal(keyColumn, id, exportPrivateKeyPem(privateKey)),
    sealedNextKey: null,
    url: null,
    contactEmails,
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
  await change(deps, row, { url, contactEmails: terms.contactEmails });
  return { privateKey, accountUrl: url };
}

/** Finds out whether the CA has taken the new key, and keeps the one that counts. */
async function settleKeyChange(
  deps: AccountDeps,
  row: AcmeAccountRow,
  sealedNextKey: string,
): Promise<AcmeAccountRow> {
  const pem = deps.box.open(nextKeyColumn, row.id, sealedNextKey);
  const url = await deps.client.findAccount({ privateKey: createPrivateKey(pem) });
  const taken = url === undefined ? {} : { sealedKey: deps.box.seal(keyColumn, row.id, pem), url };
  const settled = { ...row, ...taken, sealedNextKey: null };
  await change(deps, row, { ...taken, sealedNextKey: null });
  return settled;
}

async function change(
  { db, clock }: Pick<AccountDeps, 'db' | 'clock'>,
  { id }: AcmeAccountRow,
  columns: Partial<AcmeAccountRow>,
): Promise<void> {
  await db.transaction((tx) => updateAccountRow(tx, id, { ...columns, updatedAt: clock.now() }));
}

function isSameList(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((text, index) => text === other[index]);
}
