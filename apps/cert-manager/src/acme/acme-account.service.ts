import { createPrivateKey, type KeyObject, randomUUID } from 'node:crypto';
import { AcmeProblem, NotFound } from '@certloop/contracts';
import { exportPrivateKeyPem, generateKeyPair, type KeyKind } from '@certloop/crypto';
import { constraintViolation, type Database } from '@certloop/db';
import type { Clock } from '@certloop/server';
import type { AcmeClient, ExternalAccount } from './acme.client.js';
import {
  type AcmeAccountRow,
  findAccountRow,
  insertAccountRow,
  updateAccountOfNextKey,
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
  /** Told of each moment of a key change; an error that it throws ends the work as the end of the process would. */
  readonly atKeyChange?: ((moment: KeyChangeMoment) => Promise<void>) | undefined;
}

/**
 * Moments of a key change between what is written here and what is sent to the CA, in their order. The process may
 * end at each of them; the next use of the account finds out which key counts.
 */
export const keyChangeMoments = ['next_key_kept', 'next_key_taken', 'next_key_found'] as const;
export type KeyChangeMoment = (typeof keyChangeMoments)[number];

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
  const settled = await settleKeyChange(deps, stored ?? (await addRow(deps, terms)));
  const privateKey = openKey(deps.box, settled);
  if (settled.url === null) return register(deps, settled, privateKey, terms);
  const account = { privateKey, accountUrl: settled.url };
  if (!isSameList(settled.contactEmails, terms.contactEmails)) {
    await deps.client.updateContact(account, terms.contactEmails);
    await change(deps, settled, { contactEmails: terms.contactEmails });
  }
  return account;
}

/**
 * The stored account; undefined when none has been made. The CA is asked only when a key change was cut short; throws
 * AcmeProblem and UpstreamFailed then.
 */
export async function findAccount(
  deps: AccountDeps,
  { providerId, directoryUrl }: Pick<AccountTerms, 'providerId' | 'directoryUrl'>,
): Promise<AcmeSigner | undefined> {
  const row = await deps.db.read((tx) => findAccountRow(tx, providerId, directoryUrl));
  if (row === undefined) return undefined;
  const settled = await settleKeyChange(deps, row);
  return { privateKey: openKey(deps.box, settled), accountUrl: settled.url ?? undefined };
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
 * answer is lost, the next use of the account finds out which of the two counts, and the next change offers the same
 * key again.
 */
export async function changeAccountKey(deps: AccountDeps, terms: AccountTerms): Promise<void> {
  const account = await ensureAccount(deps, terms);
  const row = await keepNextKey(deps, terms);
  await deps.atKeyChange?.('next_key_kept');
  const privateKey = createPrivateKey(deps.box.open(nextKeyColumn, row.id, row.sealedNextKey));
  try {
    await deps.client.changeKey(account, { privateKey });
  } catch (error) {
    const isRefused = error instanceof AcmeProblem && error.type !== 'serverInternal';
    if (!isRefused) throw error;
    const { sealedKey } = await settleKeyChange(deps, row);
    // another process has handed in the same key a moment ago
    if (sealedKey !== row.sealedKey) return;
    await changeNextKey(deps, row, { sealedNextKey: null });
    throw error;
  }
  await deps.atKeyChange?.('next_key_taken');
  await settleKeyChange(deps, row);
}

/** The account with a next key: the one that a change before has left, else a new one. */
async function keepNextKey(
  deps: AccountDeps,
  { providerId, directoryUrl, keyType }: AccountTerms,
): Promise<AcmeAccountRow & { readonly sealedNextKey: string }> {
  for (;;) {
    const row = await deps.db.read((tx) => findAccountRow(tx, providerId, directoryUrl));
    if (row === undefined) throw new NotFound('the account is gone');
    const { sealedNextKey: left } = row;
    if (left !== null) return { ...row, sealedNextKey: left };
    const { privateKey } = await generateKeyPair(kindOf[keyType]);
    const sealedNextKey = deps.box.seal(nextKeyColumn, row.id, exportPrivateKeyPem(privateKey));
    const updatedAt = deps.clock.now();
    if (await changeNextKey(deps, row, { sealedNextKey })) return { ...row, sealedNextKey, updatedAt };
  }
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

// Longer than any request that another process may have under way.
const keyChangeMs = 120_000;

/**
 * The account with the key that counts, where a change was cut short. A key that the CA does not know stays while the
 * process that made it may still be about to hand it in: thrown away too early, it would be the only one that counts.
 */
async function settleKeyChange(deps: AccountDeps, row: AcmeAccountRow): Promise<AcmeAccountRow> {
  const { sealedNextKey } = row;
  if (sealedNextKey === null) return row;
  const pem = deps.box.open(nextKeyColumn, row.id, sealedNextKey);
  const url = await deps.client.findAccount({ privateKey: createPrivateKey(pem) });
  await deps.atKeyChange?.('next_key_found');
  if (url === undefined && deps.clock.now().getTime() - row.updatedAt.getTime() < keyChangeMs) return row;
  const taken = url === undefined ? {} : { sealedKey: deps.box.seal(keyColumn, row.id, pem), url };
  const columns = { ...taken, sealedNextKey: null };
  if (await changeNextKey(deps, row, columns)) return { ...row, ...columns };
  // somebody else has settled it
  const { providerId, directoryUrl } = row;
  return (await deps.db.read((tx) => findAccountRow(tx, providerId, directoryUrl))) ?? row;
}

/** Changes the account if its next key is still what the row says. */
function changeNextKey(
  { db, clock }: AccountDeps,
  row: AcmeAccountRow,
  columns: Partial<AcmeAccountRow>,
): Promise<boolean> {
  return db.transaction((tx) => updateAccountOfNextKey(tx, row, { ...columns, updatedAt: clock.now() }));
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
