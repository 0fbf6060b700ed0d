import { randomUUID } from 'node:crypto';
import { type ProviderKindName, providerKindNames } from '@certloop/contracts';
import { constraintViolation, type Tx } from '@certloop/db';
import type { Logger } from '@certloop/server';
import type { DbDeps } from '../../db-deps.js';
import type { ProviderKind } from '../provider-kind.js';
import { providerKinds } from '../provider-kinds.js';
import { followEnvironment } from '../provider-state.js';
import {
  insertProvider,
  isBuiltIn,
  lockProviders,
  type ProviderRow,
  updateProvider,
} from '../providers.repository.js';

interface Deps extends DbDeps {
  readonly logger: Logger;
}

/** Addresses of the environment, by the kind whose first provider they configure. */
export type ProviderAddresses = Readonly<Partial<Record<ProviderKindName, string | undefined>>>;

/**
 * Makes sure that each kind has its first provider, which is named after it. A new one, and one that was never configured, is configured by the
 * address in the environment and enabled; one configured from there follows that address.
 */
export async function ensureProviders(deps: Deps, addresses: ProviderAddresses): Promise<void> {
  const ensure = () => deps.db.transaction((tx) => ensureRows(tx, deps.clock.now(), addresses));
  const changed = await ensure().catch((error: unknown) => {
    // Another process that starts right now has made the rows.
    if (constraintViolation(error)?.kind === 'unique') return ensure();
    throw error;
  });
  for (const name of changed) deps.logger.info({ provider: name }, 'provider.configured_by_environment');
}

async function ensureRows(tx: Tx, now: Date, addresses: ProviderAddresses): Promise<ProviderKindName[]> {
  const known = new Map((await lockProviders(tx)).filter(isBuiltIn).map((row) => [row.name, row]));
  const changed: ProviderKindName[] = [];
  for (const [place, name] of providerKindNames.entries()) {
    const kind = providerKinds[name];
    const stored = known.get(name);
    const row = stored ?? newProviderRow(kind, new Date(now.getTime() + place));
    const change = followEnvironment(kind, row, addresses[name]);
    if (change !== undefined) changed.push(name);
    if (stored === undefined) await insertProvider(tx, { ...row, ...change });
    else if (change !== undefined) await updateProvider(tx, row.id, { ...change, updatedAt: now });
  }
  return changed;
}

/** Row of the first provider of a kind, disabled. `createdAt` differs by provider, so that lists have an order. */
export function newProviderRow(
  { name, displayName, description }: ProviderKind,
  createdAt: Date,
): ProviderRow {
  return {
    id: randomUUID(),
    kind: null,
    name,
    displayName,
    description,
    enabled: false,
    config: null,
    secrets: {},
    environmentAddress: null,
    createdAt,
    updatedAt: createdAt,
    lastTest: null,
    pace: null,
  };
}
