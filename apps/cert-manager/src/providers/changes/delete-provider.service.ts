import { Conflict } from '@certloop/contracts';
import type { Tx } from '@certloop/db';
import type { Caller } from '../../access/caller.js';
import { requireAdmin } from '../../access/permissions.js';
import type { DbDeps } from '../../db-deps.js';
import { kindOf } from '../provider-kinds.js';
import { type ProviderUse, useSentence } from '../provider-use.js';
import { deleteProviderRow, isBuiltIn, lockProvider, type ProviderRow } from '../providers.repository.js';
import { recordProviderAudit } from './record-change.service.js';
import { maskSecrets } from './stored-config.js';

export interface DeleteProviderDeps extends DbDeps {
  /** Returns what names a locked provider, and so cannot do without it. */
  readonly listUses: (tx: Tx, providerId: string, now: Date) => Promise<readonly ProviderUse[]>;
}

/**
 * Deletes a provider with its accounts and secrets; certificates that it issued stay and no longer name a provider.
 * Throws Forbidden, NotFound, and Conflict for the first provider of a kind and for one that something still names.
 */
export async function deleteProvider(
  { db, clock, listUses }: DeleteProviderDeps,
  caller: Caller,
  id: string,
): Promise<string> {
  requireAdmin(caller);
  return db.longTransaction(async (tx) => {
    // deleting takes long where it has issued very many certificates; a request that names it in the meantime waits, and then fails because it was deleted
    const row = await lockProvider(tx, id);
    if (isBuiltIn(row)) throw builtIn(row);
    const now = clock.now();
    const uses = (await listUses(tx, id, now)).filter(({ count }) => count > 0);
    if (uses.length > 0) throw inUse(row, uses);
    await deleteProviderRow(tx, id);
    const { name: kind } = kindOf(row);
    const before = { kind, displayName: row.displayName, config: maskSecrets(row.config ?? {}, row.secrets) };
    await recordProviderAudit(tx, caller, { action: 'provider.delete', row, details: { before } }, now);
    return `provider ${row.name} is deleted`;
  });
}

function builtIn({ name }: ProviderRow): Conflict {
  return new Conflict(`provider ${name} is the first of its kind and stays: disable it instead`, {
    code: 'built_in',
    title: 'Provider is built in',
  });
}

function inUse({ name }: ProviderRow, uses: readonly ProviderUse[]): Conflict {
  return new Conflict(`provider ${name} is in use: ${useSentence(uses)}`, {
    code: 'provider_in_use',
    title: 'Provider is in use',
  });
}
