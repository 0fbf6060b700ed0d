import { NotFound } from '@certloop/contracts';
import {
  column,
  defineTable,
  findRow,
  findRows,
  holdRows,
  insertMany,
  type Tx,
  updateRows,
} from '@certloop/db';
import type { ProviderKindName } from './provider.js';
import { kindOf } from './provider-kinds.js';
import type { SecretPlace } from './secret-box.js';
import type { Config, SealedSecrets } from './stored-config.js';

/** A provider as it is stored. */
export interface ProviderRow {
  readonly id: string;
  readonly name: ProviderKindName;
  readonly displayName: string;
  readonly description: string;
  readonly enabled: boolean;
  /** Complete configuration without its secrets; null until there is one. */
  readonly config: Config | null;
  readonly secrets: SealedSecrets;
  /** Address that the environment gave and nobody has replaced since. */
  readonly environmentAddress: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export const providers = defineTable<ProviderRow>('providers', {
  columns: {
    id: column.uuid().primary(),
    name: column.word<ProviderKindName>(32),
    displayName: column.word(100),
    description: column.text(),
    enabled: column.boolean(),
    config: column.json<Config>().nullable(),
    secrets: column.json<SealedSecrets>(),
    environmentAddress: column.text().nullable(),
    createdAt: column.instant(),
    updatedAt: column.instant(),
  },
  indexes: [{ columns: ['name'], unique: true }],
});

/** Place that a provider's secret is bound to; `path` is its dotted path in the configuration. */
export function secretPlace(rowId: string, path: string): SecretPlace {
  return { table: 'providers', column: `secrets.${path}`, rowId };
}

/** Oldest first. */
export function listProviders(tx: Tx): Promise<ProviderRow[]> {
  return tx.find(providers, { order: { createdAt: 'ASC', id: 'ASC' } });
}

/** The provider that requests go to where nothing names one: the oldest whose CA issues by orders. */
export async function findOrderProvider(tx: Tx): Promise<ProviderRow | undefined> {
  return (await listProviders(tx)).find((row) => kindOf(row).issuance === 'order');
}

export async function findProvider(tx: Tx, id: string): Promise<ProviderRow | undefined> {
  return findRow(tx, providers, { id });
}

/** Those of the providers that are there; at least one is asked for. */
export function listProvidersById(tx: Tx, ids: readonly string[]): Promise<ProviderRow[]> {
  return findRows(tx, providers, { id: ids });
}

/** Throws NotFound. */
export async function getProvider(tx: Tx, id: string): Promise<ProviderRow> {
  const row = await findProvider(tx, id);
  if (row === undefined) throw providerNotFound();
  return row;
}

/**
 * The provider, held until the transaction ends: whoever else changes it waits, and then finds what was written. To be
 * held before a part of it is kept. Throws NotFound.
 */
export async function holdProvider(tx: Tx, id: string): Promise<ProviderRow> {
  const [row] = await holdRows(tx, providers, { id });
  if (row === undefined) throw providerNotFound();
  return row;
}

/** Every provider, held. */
export function holdProviders(tx: Tx): Promise<ProviderRow[]> {
  return holdRows(tx, providers, {});
}

/** The refusal for a provider that is not there. */
export function providerNotFound(): NotFound {
  return new NotFound('provider not found', { code: 'provider_not_found', title: 'Provider not found' });
}

export function insertProvider(tx: Tx, row: ProviderRow): Promise<void> {
  return insertMany(tx, providers, [row]);
}

/** Changes a provider that is known to exist: none is ever deleted. */
export async function updateProvider(tx: Tx, id: string, change: Partial<ProviderRow>): Promise<void> {
  await updateRows(tx, providers, { id }, change);
}
