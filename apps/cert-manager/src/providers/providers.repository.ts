import { NotFound, type ProviderKindName } from '@certloop/contracts';
import {
  column,
  defineTable,
  deleteRows,
  findRow,
  findRows,
  insertMany,
  type ListPage,
  type ListWindow,
  lockForShare,
  lockForUpdate,
  type RowOf,
  readListPage,
  type Tx,
  updateRows,
} from '@certloop/db';
import type { SecretPlace } from '@certloop/server';
import { In } from 'typeorm';
import type { Config, SealedSecrets } from './changes/stored-config.js';
import type { ProviderPace } from './pace/provider-pace.js';
import { kindOf } from './provider-kinds.js';
import type { StoredTest } from './provider-usage.js';

export const providers = defineTable('providers', {
  columns: {
    id: column.uuid().primary(),
    /** No other provider's. */
    name: column.word(32),
    displayName: column.word(100),
    description: column.text(),
    enabled: column.boolean(),
    /** Complete configuration without its secrets; null until there is one. */
    config: column.json<Config>().nullable(),
    secrets: column.json<SealedSecrets>(),
    /** Address that the environment gave and no one has replaced since. */
    environmentAddress: column.text().nullable(),
    createdAt: column.instant(),
    updatedAt: column.instant(),
    // SQLite adds no column that refuses null
    /** Null for the first of each kind, which the service makes and which is named after its kind. */
    kind: column.word<ProviderKindName>(32).nullable(),
    /** The last test of this configuration; null until there is one. */
    lastTest: column.json<StoredTest>().nullable(),
    /** How fast its CA takes orders; null while it has refused none for its rate limit. */
    pace: column.json<ProviderPace>().nullable(),
  },
  indexes: [{ columns: ['name'], unique: true }],
});

/** A provider as it is stored. */
export type ProviderRow = RowOf<typeof providers>;

/** Place that a provider's secret is bound to; `path` is its dotted path in the configuration. */
export function secretPlace(rowId: string, path: string): SecretPlace {
  return { table: 'providers', column: `secrets.${path}`, rowId };
}

/** Oldest first. */
export function listProviders(tx: Tx): Promise<ProviderRow[]> {
  return tx.find(providers, { order: { createdAt: 'ASC', id: 'ASC' } });
}

/** The provider that requests go to where nothing names one: the built-in one whose CA issues by orders. */
export async function findOrderProvider(tx: Tx): Promise<ProviderRow | undefined> {
  return (await listProviders(tx)).find((row) => isBuiltIn(row) && kindOf(row).issuance === 'order');
}

export async function findProvider(tx: Tx, id: string): Promise<ProviderRow | undefined> {
  return findRow(tx, providers, { id });
}

export async function findProviderByName(tx: Tx, name: string): Promise<ProviderRow | undefined> {
  return findRow(tx, providers, { name });
}

/** Returns the providers of these ids that exist; at least one id is given. */
export function listProvidersById(tx: Tx, ids: readonly string[]): Promise<ProviderRow[]> {
  return findRows(tx, providers, { id: ids });
}

/** Ids of those of the providers that exist; none of these is deleted before the transaction ends. */
export async function lockProvidersForShare(tx: Tx, ids: readonly string[]): Promise<string[]> {
  return (await lockForShare(tx, providers, { id: In([...ids]) })).map(({ id }) => id);
}

/** Throws NotFound. */
export async function getProvider(tx: Tx, id: string): Promise<ProviderRow> {
  const row = await findProvider(tx, id);
  if (row === undefined) throw providerNotFound();
  return row;
}

/**
 * The provider, held until the transaction ends: anyone else who changes it waits, and then finds what was written. To be
 * held before a part of it is written back unchanged. Throws NotFound.
 */
export async function lockProvider(tx: Tx, id: string): Promise<ProviderRow> {
  const [row] = await lockForUpdate(tx, providers, { id });
  if (row === undefined) throw providerNotFound();
  return row;
}

/**
 * The provider, which cannot be deleted until the transaction ends; undefined when it is gone. To be asked for before
 * something is stored that names it.
 */
export async function lockProviderForShare(tx: Tx, id: string): Promise<ProviderRow | undefined> {
  const [row] = await lockForShare(tx, providers, { id });
  return row;
}

export async function storePace(tx: Tx, id: string, pace: ProviderPace | null): Promise<void> {
  await updateRows(tx, providers, { id }, { pace });
}

/** All providers, locked until the transaction ends. */
export function lockProviders(tx: Tx): Promise<ProviderRow[]> {
  return lockForUpdate(tx, providers, {});
}

/** The refusal for a provider that is not there. */
export function providerNotFound(message = 'provider not found'): NotFound {
  return new NotFound(message, { code: 'provider_not_found', title: 'Provider not found' });
}

export function insertProvider(tx: Tx, row: ProviderRow): Promise<void> {
  return insertMany(tx, providers, [row]);
}

/** Whether the service makes the provider itself: there is one of each kind, and it stays. */
export function isBuiltIn({ kind }: Pick<ProviderRow, 'kind'>): boolean {
  return kind === null;
}

/** Deletes a provider that is held, with its accounts; certificates of it no longer name one. */
export async function deleteProviderRow(tx: Tx, id: string): Promise<void> {
  await deleteRows(tx, providers, { id });
}

/** Changes a provider that is held. */
export async function updateProvider(tx: Tx, id: string, change: Partial<ProviderRow>): Promise<void> {
  await updateRows(tx, providers, { id }, change);
}

/** Stores how a test of the provider ended, unless the provider was changed or deleted since it was read. */
export async function storeTest(
  tx: Tx,
  { id, updatedAt }: Pick<ProviderRow, 'id' | 'updatedAt'>,
  lastTest: StoredTest,
): Promise<void> {
  await updateRows(tx, providers, { id, updatedAt }, { lastTest });
}

/** Providers, oldest first; there are so few that no index sorts them. */
export function readProviderPage(tx: Tx, window: ListWindow): Promise<ListPage<ProviderRow>> {
  return readListPage(tx, { table: providers, by: 'createdAt' }, window);
}
