import { column, defineTable, deleteRows, insertMany, type RowOf, type Tx, updateRows } from '@certloop/db';
import { In, IsNull, LessThan } from 'typeorm';

/** Mail addresses that a CA was last asked to take, when, and why it did not. */
export interface ContactRefusal {
  readonly at: string;
  readonly contactEmails: readonly string[];
  readonly reason: string;
}

export const acmeAccounts = defineTable('acme_accounts', {
  columns: {
    id: column.uuid().primary(),
    providerId: column.uuid(),
    directoryUrl: column.word(2000),
    /** The private key in PEM, encrypted. */
    sealedKey: column.text(),
    /** A key that the CA has perhaps been given already in place of the other, encrypted. */
    sealedNextKey: column.text().nullable(),
    /** URL of the account at the CA; null until it has answered. */
    url: column.text().nullable(),
    /** Mail addresses that the CA knows. */
    contactEmails: column.json<readonly string[]>(),
    /** That the CA did not take other addresses; null if it took them, or was not asked. */
    contactRefusal: column.json<ContactRefusal>().nullable(),
    createdAt: column.instant(),
    updatedAt: column.instant(),
  },
  indexes: [{ columns: ['providerId', 'directoryUrl'], unique: true }],
  references: [{ columns: ['providerId'], table: 'providers', onDelete: 'CASCADE' }],
});

/** An account with a CA, by which one provider orders. */
export type AcmeAccountRow = RowOf<typeof acmeAccounts>;

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

export const challengeTokens = defineTable('acme_challenge_tokens', {
  columns: {
    token: column.word(128).primary(),
    /** Name or address that the CA asks under. */
    identifier: column.word(253),
    keyAuthorization: column.text(),
    createdAt: column.instant(),
    /** When it is swept away even if no one withdrew it. */
    expiresAt: column.instant(),
  },
  indexes: [{ columns: ['expiresAt'] }],
});

/** Response to a CA that asks for a token (RFC 8555 §8.3). */
export type ChallengeTokenRow = RowOf<typeof challengeTokens>;

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
