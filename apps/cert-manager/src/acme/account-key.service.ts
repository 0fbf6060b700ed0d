import { createPrivateKey, type KeyObject } from 'node:crypto';
import { NotFound } from '@certloop/contracts';
import { exportPrivateKeyPem, generateKeyPair, type KeyKind } from '@certloop/crypto';
import type { Logger } from '@certloop/server';
import type { DbDeps } from '../db-deps.js';
import { type AcmeAccountRow, findAccountRow, updateAccountOfNextKey } from './acme-accounts.repository.js';
import type { AcmeClient } from './acme-operations.js';

export type AccountKeyType = 'ES256' | 'ES384' | 'RS256';

/** Encrypts the secrets of accounts; `column` and `rowId` name the column and the row that store the cipher text. */
export interface KeyBox {
  seal(column: string, rowId: string, secret: string): string;
  open(column: string, rowId: string, sealed: string): string;
}

export interface AccountDeps extends DbDeps {
  readonly box: KeyBox;
  readonly client: AcmeClient;
  readonly logger?: Logger;
  /** Called at each moment of a key change; an error that it throws ends the work as a crash would. */
  readonly atKeyChange?: ((moment: KeyChangeMoment) => Promise<void>) | undefined;
}

/**
 * Moments of a key change between what is written here and what is sent to the CA, in their order. The process may
 * end at each of them; the next use of the account finds out which key counts.
 */
export const keyChangeMoments = ['next_key_stored', 'next_key_taken', 'next_key_found'] as const;
export type KeyChangeMoment = (typeof keyChangeMoments)[number];

// longer than any request to the CA takes
const keyChangeMs = 120_000;

/**
 * Finishes a key change that was interrupted, and returns the account with its valid key. A next key that the CA does
 * not know stays stored while the process that created it may still send it: if that succeeded after the key was deleted,
 * no key of the account would be left.
 */
export async function settleKeyChange(deps: AccountDeps, row: AcmeAccountRow): Promise<AcmeAccountRow> {
  const { sealedNextKey } = row;
  if (sealedNextKey === null) return row;
  const pem = deps.box.open(nextKeyColumn, row.id, sealedNextKey);
  const url = await deps.client.findAccount({ privateKey: createPrivateKey(pem) });
  await deps.atKeyChange?.('next_key_found');
  if (url === undefined && deps.clock.now().getTime() - row.updatedAt.getTime() < keyChangeMs) return row;
  const taken = url === undefined ? {} : { sealedKey: deps.box.seal(keyColumn, row.id, pem), url };
  const columns = { ...taken, sealedNextKey: null };
  if (await changeNextKey(deps, row, columns)) return { ...row, ...columns };
  // another process has finished the change
  const { providerId, directoryUrl } = row;
  return (await deps.db.read((tx) => findAccountRow(tx, providerId, directoryUrl))) ?? row;
}

/** Changes the account if its next key is still that of the row; false if it is not. */
export function changeNextKey(
  { db, clock }: AccountDeps,
  row: AcmeAccountRow,
  columns: Partial<AcmeAccountRow>,
): Promise<boolean> {
  return db.transaction((tx) => updateAccountOfNextKey(tx, row, { ...columns, updatedAt: clock.now() }));
}

/** The account with a next key: the one that an earlier change left, or a new one. */
export async function storeNextKey(
  deps: AccountDeps,
  {
    providerId,
    directoryUrl,
    keyType,
  }: Pick<AcmeAccountRow, 'providerId' | 'directoryUrl'> & { readonly keyType: AccountKeyType },
): Promise<AcmeAccountRow & { readonly sealedNextKey: string }> {
  for (;;) {
    const row = await deps.db.read((tx) => findAccountRow(tx, providerId, directoryUrl));
    if (row === undefined) throw new NotFound('the account no longer exists');
    const { sealedNextKey: left } = row;
    if (left !== null) return { ...row, sealedNextKey: left };
    const sealedNextKey = deps.box.seal(nextKeyColumn, row.id, await newKeyPem(keyType));
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

/** Key that the account signs with. */
export function openKey(box: KeyBox, { id, sealedKey }: AcmeAccountRow): KeyObject {
  return createPrivateKey(box.open(keyColumn, id, sealedKey));
}

/** The next key of an account that has one. */
export function openNextKey(
  box: KeyBox,
  row: AcmeAccountRow & { readonly sealedNextKey: string },
): KeyObject {
  return createPrivateKey(box.open(nextKeyColumn, row.id, row.sealedNextKey));
}

/** A new key, encrypted for the column of the key of an account. */
export async function sealNewKey(box: KeyBox, rowId: string, keyType: AccountKeyType): Promise<string> {
  return box.seal(keyColumn, rowId, await newKeyPem(keyType));
}

async function newKeyPem(keyType: AccountKeyType): Promise<string> {
  const { privateKey } = await generateKeyPair(kindOf[keyType]);
  return exportPrivateKeyPem(privateKey);
}
