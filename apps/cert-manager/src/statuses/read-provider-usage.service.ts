import type { Database, Tx } from '@certloop/db';
import type { Caller } from '../access/caller.js';
import { readableSpaces } from '../access/permissions.js';
import type { ProviderUsage } from '../providers/provider-usage.js';
import { listSpaceRows, type SpaceScope } from '../spaces/spaces.repository.js';
import { findLastIssuedAt } from './outlook/outlook.repository.js';
import type { RecentAnswers } from './outlook/recent-answers.store.js';
import { countUsage, findLastFailure, type UsageRow } from './provider-usage.repository.js';

export interface ProviderUsageDeps {
  readonly db: Database;
  /** Answers for callers who may read all, good for ten seconds. */
  readonly usages: RecentAnswers;
}

/** Returns how much uses each provider, by its id, among the FQDNs that the caller may read. */
export function readProviderUsage(
  { db, usages }: ProviderUsageDeps,
  caller: Caller,
): Promise<ReadonlyMap<string, ProviderUsage>> {
  const scope = readableSpaces(caller);
  const read = () =>
    db.longRead(async (tx) => {
      const byProvider = new Map<string, UsageRow[]>();
      for (const row of await countUsage(tx, scope)) {
        const rows = byProvider.get(row.providerId);
        if (rows === undefined) byProvider.set(row.providerId, [row]);
        else rows.push(row);
      }
      const found = new Map<string, ProviderUsage>();
      for (const [providerId, rows] of byProvider) {
        found.set(providerId, await usageOf(tx, providerId, rows, scope));
      }
      return found;
    });
  return scope === 'all' ? usages.read('', read) : read();
}

const maxSpaces = 10;

async function usageOf(
  tx: Tx,
  providerId: string,
  rows: readonly UsageRow[],
  scope: SpaceScope,
): Promise<ProviderUsage> {
  const topRows = rows.slice(0, maxSpaces);
  const found = await listSpaceRows(
    tx,
    topRows.map(({ spaceId }) => spaceId),
  );
  const names = new Map(found.map(({ id, name }) => [id, name]));
  return {
    fqdns: rows.reduce((sum, { fqdns }) => sum + fqdns, 0),
    pendingRenewals: rows.reduce((sum, { pendingRenewals }) => sum + pendingRenewals, 0),
    spaces: topRows.map(({ spaceId: id, fqdns }) => ({ id, name: names.get(id) ?? '', fqdns })),
    lastIssuedAt: await findLastIssuedAt(tx, providerId, scope),
    lastFailure: await findLastFailure(tx, providerId, scope),
  };
}
