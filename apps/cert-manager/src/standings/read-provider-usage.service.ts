import type { Database } from '@certloop/db';
import type { Caller } from '../access/caller.js';
import { readableSpaces } from '../access/permissions.js';
import type { ProviderUsage } from '../providers/provider-usage.js';
import { findLastSuccess } from './outlook/outlook.repository.js';
import type { RecentAnswers } from './outlook/recent-answers.store.js';
import { countUsage, findLastFailure } from './provider-usage.repository.js';

export interface ProviderUsageDeps {
  readonly db: Database;
  /** Answers for callers who may read all, good for ten seconds. */
  readonly usages: RecentAnswers;
}

/** What asks each provider, of the FQDNs that the caller may read, by the id of the provider. */
export function readProviderUsage(
  { db, usages }: ProviderUsageDeps,
  caller: Caller,
): Promise<ReadonlyMap<string, ProviderUsage>> {
  const scope = readableSpaces(caller);
  const read = () =>
    db.longRead(async (tx) => {
      const found = new Map<string, ProviderUsage>();
      for (const { providerId, fqdns, pendingRenewals } of await countUsage(tx, scope)) {
        found.set(providerId, {
          fqdns,
          pendingRenewals,
          lastIssuedAt: await findLastSuccess(tx, providerId, scope),
          lastFailure: await findLastFailure(tx, providerId, scope),
        });
      }
      return found;
    });
  return scope === 'all' ? usages.read('', read) : read();
}
