import { InvalidInput } from '@certloop/contracts';
import { type ListPage, type ListWindow, mapPage, type Tx } from '@certloop/db';
import { SecretUnreadable } from '@certloop/server';
import type { Caller } from '../access/caller.js';
import { requireAdmin } from '../access/permissions.js';
import { listContactRefusals } from '../acme/acme-accounts.repository.js';
import type { DbDeps } from '../db-deps.js';
import { recordProviderAudit } from './changes/record-change.service.js';
import { maskSecrets } from './changes/stored-config.js';
import type { ProviderOpener } from './open-provider.service.js';
import { shownPace } from './pace/provider-pace.js';
import type { ProviderReport } from './provider.js';
import { kindOf } from './provider-kinds.js';
import { missingKey } from './provider-state.js';
import { noUsage, type ProviderUsage } from './provider-usage.js';
import type { ShownProvider } from './provider-view.js';
import {
  getProvider,
  lockProvider,
  type ProviderRow,
  readProviderPage,
  storeTest,
  updateProvider,
} from './providers.repository.js';

export interface ProvidersDeps extends DbDeps {
  readonly opener: ProviderOpener;
}

export interface SwitchProviderDeps extends ProvidersDeps {
  readonly emit: ProviderEvents;
}

/** Events of providers; `changes/reactions.service.ts` lists what follows each of them. */
export interface ProviderEvents {
  /** The provider was enabled or disabled. */
  providerSwitched(
    tx: Tx,
    event: { readonly providerId: string; readonly isEnabled: boolean },
  ): Promise<void>;
}

export interface ListProvidersDeps extends ProvidersDeps {
  /** Returns how much uses each provider, by its id, among the FQDNs that the caller may read. */
  readonly readUsage: (caller: Caller) => Promise<ReadonlyMap<string, ProviderUsage>>;
}

/** Every provider, oldest first, each with the configuration that the caller may see, and its usage if wanted. */
export async function showProviders(
  { db, clock, readUsage }: ListProvidersDeps,
  caller: Caller,
  { include, ...window }: ListWindow & { readonly include?: 'usage' | undefined },
): Promise<ListPage<ShownProvider>> {
  const page = await db.read((tx) => readProviderPage(tx, window));
  const now = clock.now();
  if (include === undefined) return mapPage(page, (row) => shownTo(caller, row, now));
  const usages = await readUsage(caller);
  const ids = page.rows.map(({ id }) => id);
  const refusals =
    caller.isAdmin && ids.length > 0 ? await db.read((tx) => listContactRefusals(tx, ids)) : undefined;
  return mapPage(page, (row) => ({
    ...shownTo(caller, row, now),
    // its message may name an address, as the configuration does
    shownTest: caller.isAdmin ? (row.lastTest ?? undefined) : undefined,
    contactRefusal: refusals?.get(row.id),
    usage: usages.get(row.id) ?? noUsage,
  }));
}

/** Throws NotFound. */
export async function showProvider(deps: ProvidersDeps, caller: Caller, id: string): Promise<ShownProvider> {
  const row = await deps.db.read((tx) => getProvider(tx, id));
  return shownTo(caller, row, deps.clock.now());
}

/** Administrators see the configuration with its secrets masked; others see that there is a provider. */
export function shownTo(caller: Caller, row: ProviderRow, now?: Date): ShownProvider {
  const pace = now && shownPace(row.pace, now);
  const shownConfig = caller.isAdmin ? maskSecrets(row.config ?? {}, row.secrets) : {};
  return { ...row, kind: kindOf(row).name, shownConfig, shownPace: pace };
}

/**
 * Enables or disables a provider and returns a sentence about it, which names the key that a provider enabled
 * too early lacks. Throws NotFound.
 */
export async function setProviderEnabled(
  { db, clock, emit }: SwitchProviderDeps,
  caller: Caller,
  { id, enabled }: { readonly id: string; readonly enabled: boolean },
): Promise<string> {
  requireAdmin(caller);
  const now = clock.now();
  // it may be the provider of very many FQDNs
  const row = await db.longTransaction(async (tx) => {
    const found = await lockProvider(tx, id);
    await updateProvider(tx, id, { enabled, updatedAt: now });
    if (found.enabled !== enabled) await emit.providerSwitched(tx, { providerId: id, isEnabled: enabled });
    const details = { before: { enabled: found.enabled }, after: { enabled } };
    await recordProviderAudit(tx, caller, { action: 'provider.enable', row: found, details }, now);
    return found;
  });
  if (!enabled) return `provider ${row.name} is disabled`;
  const missing = missingKey(kindOf(row), maskSecrets(row.config ?? {}, row.secrets));
  return missing === undefined
    ? `provider ${row.name} is enabled`
    : `provider ${row.name} is enabled, but signs nothing yet: ${missing} is missing`;
}

/** Tries to reach a provider, enabled or not; whatever fails is in the report. Throws NotFound. */
export async function testProvider(
  deps: ProvidersDeps,
  caller: Caller,
  { id, depth }: { readonly id: string; readonly depth: 'shallow' | 'deep' },
): Promise<ProviderReport> {
  requireAdmin(caller);
  const row = await deps.db.read((tx) => getProvider(tx, id));
  const begun = deps.clock.now();
  const report = await reportOn(deps.opener, row, depth);
  const now = deps.clock.now();
  await deps.db.transaction(async (tx) => {
    const { success, message } = report;
    const durationMs = Math.max(0, now.getTime() - begun.getTime());
    await storeTest(tx, row, { at: now.toISOString(), success, message, durationMs });
    const outcome = report.success ? 'success' : 'failure';
    const details = { depth, reason: report.message };
    await recordProviderAudit(tx, caller, { action: 'provider.test', row, outcome, details }, now);
  });
  return report;
}

async function reportOn(
  opener: ProviderOpener,
  row: ProviderRow,
  depth: 'shallow' | 'deep',
): Promise<ProviderReport> {
  try {
    return await opener.open(row).test(depth);
  } catch (error) {
    if (error instanceof InvalidInput) return { success: false, message: error.message };
    if (error instanceof SecretUnreadable) {
      return { success: false, message: `a secret of the configuration ${error.message}` };
    }
    throw error;
  }
}
