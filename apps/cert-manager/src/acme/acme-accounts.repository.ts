import { column, defineTable, deleteRows, insertMany, type Tx, updateRows } from '@certloop/db';
import { In, IsNull, LessThan } from 'typeorm';

/** Mail addresses that a CA was last asked to take, when, and why it did not. */
export interface ContactRefusal {
  readonly at: string;
  readonly contactEmails: readonly string[];
  readonly reason: string;
}

/** An account with a CA, by which one provider orders. */
export interface AcmeAccountRow {
  readonly id: string;
  readonly providerId: string;
  readonly directoryUrl: string;
  /** The private key in PEM, encrypted. */
  readonly sealedKey: string;
  /** A key that the CA has perhaps been given already in place of the other, encrypted. */
  readonly sealedNextKey: string | null;
  /** URL of the account at the CA; null until it has answered. */
  readonly url: string | null;
  /** Mail addresses that the CA knows. */
  readonly contactEmails: readonly string[];
  /** That the CA did not take other addresses; null if it took them, or was not asked. */
  readonly contactRefusal: ContactRefusal | null;
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
    contactRefusal: column.json<ContactRefusal>().nullable(),
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

/** The latest refusal of contact addresses of each of the providers that has one. */
export async function listContactRefusals(
  tx: Tx,
  providerIds: readonly string[],
): Promise<ReadonlyMap<string, ContactRefusal>> {
  const rows = await tx.findBy(acmeAccounts, { providerId: In([...providerIds]) });
  const refused = rows.flatMap(({ providerId, contactRefusal }) =>
    contactRefusal === null ? [] : [{ providerId, contactRefusal }],
  );
  refused.sort((one, other) => one.contactRefusal.at.localeCompare(other.contactRefusal.at));
  return new Map(refused.map(({ providerId, contactRefusal }) => [providerId, contactRefusal]));
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

/** Response to a CA that asks for a token (RFC 8555 §8.3). */
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
