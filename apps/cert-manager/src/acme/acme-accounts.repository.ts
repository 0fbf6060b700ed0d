import { column, defineTable, deleteRows, insertMany, type Tx, updateRows } from '@certloop/db';
import { IsNull, LessThan } from 'typeorm';

/** An account with a CA, by which one provider orders. */
export interface AcmeAccountRow {
  readonly id: string;
  readonly providerId: string;
  readonly directoryUrl: string;
  /** The private key in PEM, encrypted. */
  readonly sealedKey: string;
  /** A key that the CA has perhaps been given already in place of the other, encrypted. */
  readonly sealedNextKey: string | null;
  /** What the CA calls the account; null until it has answered. */
  readonly url: string | null;
  /** Mail addresses that the CA knows. */
  readonly contactEmails: readonly string[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export const acmeAccounts = defineTable<AcmeAccountRow>('acme_accounts', {
  columns: {
    id: column.uuid().primary(),
    providerId: column.uuid(),
    directoryUrl: column.word(2000),
    sealedKey: column.text(),
    sealedNextKey: column.text().nullable(),
    url: column.text().nullable(),
    contactEmails: column.json<readonly string[]>(),
    createdAt: column.instant(),
    updatedAt: column.instant(),
  },
  indexes: [{ columns: ['providerId', 'directoryUrl'], unique: true }],
  references: [{ columns: ['providerId'], table: 'providers', onDelete: 'CASCADE' }],
});

export async function findAccountRow(
  tx: Tx,
  providerId: string,
  directoryUrl: string,
): Promise<AcmeAccountRow | undefined> {
  return (await tx.findOneBy(acmeAccounts, { providerId, directoryUrl })) ?? undefined;
}

export function hasAccountRows(tx: Tx): Promise<boolean> {
  return tx.exists(acmeAccounts);
}

/** The database refuses a second account of a provider at a directory. */
export function insertAccountRow(tx: Tx, row: AcmeAccountRow): Promise<void> {
  return insertMany(tx, acmeAccounts, [row]);
}

export async function updateAccountRow(tx: Tx, id: string, change: Partial<AcmeAccountRow>): Promise<void> {
  await updateRows(tx, acmeAccounts, { id }, change);
}

/** Changes an account whose next key is still this one, or still none; false when it is not. */
export async function updateAccountOfNextKey(
  tx: Tx,
  { id, sealedNextKey }: Pick<AcmeAccountRow, 'id' | 'sealedNextKey'>,
  change: Partial<AcmeAccountRow>,
): Promise<boolean> {
  return (await updateRows(tx, acmeAccounts, { id, sealedNextKey: sealedNextKey ?? IsNull() }, change)) === 1;
}

/** What a CA that asks for a token is answered (RFC 8555 §8.3). */
export interface ChallengeTokenRow {
  readonly token: string;
  /** Name or address that the CA asks under. */
  readonly identifier: string;
  readonly keyAuthorization: string;
  readonly createdAt: Date;
  /** When it is swept away even if no one withdrew it. */
  readonly expiresAt: Date;
}

export const challengeTokens = defineTable<ChallengeTokenRow>('acme_challenge_tokens', {
  columns: {
    token: column.word(128).primary(),
    identifier: column.word(253),
    keyAuthorization: column.text(),
    createdAt: column.instant(),
    expiresAt: column.instant(),
  },
  indexes: [{ columns: ['expiresAt'] }],
});

/** Publishes a token; one that is published already stays. */
export async function putChallengeToken(tx: Tx, row: ChallengeTokenRow): Promise<void> {
  const { token, ...change } = row;
  const count = await updateRows(tx, challengeTokens, { token }, change);
  if (count === 0) await insertMany(tx, challengeTokens, [row]);
}

export async function findChallengeToken(tx: Tx, token: string): Promise<ChallengeTokenRow | undefined> {
  return (await tx.findOneBy(challengeTokens, { token })) ?? undefined;
}

export async function deleteChallengeToken(tx: Tx, token: string): Promise<void> {
  await deleteRows(tx, challengeTokens, { token });
}

/** Deletes the tokens that are past their time; how many there were. */
export function deleteOldChallengeTokens(tx: Tx, now: Date): Promise<number> {
  return deleteRows(tx, challengeTokens, { expiresAt: LessThan(now) });
}
